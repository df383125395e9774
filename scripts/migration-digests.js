// Appends the migrations that prisma/migrations.sha256 does not list yet; a listed one is never listed anew.
// `cd prisma && sha256sum -c migrations.sha256` reads the same list.
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readMigrations } from '../dist/modules/db/migration/migrations.js';

const LIST = fileURLToPath(new URL('../prisma/migrations.sha256', import.meta.url));

/** Lists every migration that is new, and returns their names. */
export function listMigrations() {
  const list = readFileSync(LIST, { encoding: 'utf8', flag: 'a+' });
  const fresh = readMigrations().filter(({ name }) => !list.includes(` migrations/${name}/`));
  for (const { name, checksum } of fresh) {
    appendFileSync(LIST, `${checksum}  migrations/${name}/migration.sql\n`);
  }
  return fresh.map(({ name }) => name);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const name of listMigrations()) console.log(`Listed ${name}`);
}
