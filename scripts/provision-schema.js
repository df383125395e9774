// Writes provision.schema.json, the JSON Schema that editors check provision documents with.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from './build.js';

await build();
const { documentJsonSchema } = await import('../dist/modules/provision/json-schema.js');
const file = fileURLToPath(new URL('../provision.schema.json', import.meta.url));
writeFileSync(file, `${JSON.stringify(documentJsonSchema(), null, 2)}\n`);
const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
execFileSync(process.execPath, [biome, 'format', '--write', file], { stdio: 'inherit' });
