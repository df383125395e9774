import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { readMigrations } from '../../../src/db/migration/migrations.js';

const LIST = new URL('../../../prisma/migrations.sha256', import.meta.url);

test('every migration is listed with its unchanged digest', async () => {
  const listed = (await readFile(LIST, 'utf8')).trim().split('\n').sort();
  const found = readMigrations().map(({ name, checksum }) => `${checksum}  migrations/${name}/migration.sql`);
  expect(found.sort()).toEqual(listed);
});
