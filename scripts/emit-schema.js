// Writes schema.graphql from the resolvers: `npm run schema`. With --check it writes nothing and fails when the
// file says something else.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printPanelSchema } from '../dist/modules/graphql/schema.js';
import { printablePanelSchema } from '../dist/modules/panel.js';

const file = fileURLToPath(new URL('../schema.graphql', import.meta.url));
const text = printPanelSchema(printablePanelSchema());
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error('schema.graphql is not what the resolvers say. Run `npm run schema` and commit it.');
  process.exit(1);
}
