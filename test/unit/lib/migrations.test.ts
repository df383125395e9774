import { cp, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, PRISMA_DIRECTORY, pendingChanges } from '../../../src/lib/migrations.js';
import { createEmptyDatabase } from '../../support/database.js';

const names = async (directory: string) =>
  (await readdir(directory, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

async function copyOfMigrations(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'));
  await cp(`${PRISMA_DIRECTORY}migrations`, directory, { recursive: true });
  return directory;
}

test('applies what is pending, and nothing the second time', async () => {
  const { url } = await createEmptyDatabase();
  expect(await migrate(url)).toEqual(await names(`${PRISMA_DIRECTORY}migrations`));
  expect(await migrate(url)).toEqual([]);
});

test('the migrations say what the schema says', async () => {
  const { url } = await createEmptyDatabase();
  await migrate(url);
  expect(await pendingChanges(url)).toBe('');
});

test('processes that start at once apply each migration once', async () => {
  const { url } = await createEmptyDatabase();
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
  expect(applied.flat().sort()).toEqual(await names(`${PRISMA_DIRECTORY}migrations`));
});

test('an edited migration is refused by name, and nothing is applied', async () => {
  const { url } = await createEmptyDatabase();
  await migrate(url);
  const directory = await copyOfMigrations();
  const [first] = await names(directory);
  await writeFile(join(directory, first!, 'migration.sql'), 'SELECT 1;');
  await expect(migrate(url, directory)).rejects.toThrow(`Edited after it was applied: ${first}`);
});

test('a migration of a later version is refused by name', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await copyOfMigrations();
  await cp(join(directory, (await names(directory))[0]!), join(directory, '99990101000000_later'), {
    recursive: true,
  });
  await writeFile(join(directory, '99990101000000_later', 'migration.sql'), 'CREATE TABLE later (id int);');
  await migrate(url, directory);
  await expect(migrate(url)).rejects.toThrow('99990101000000_later');
});

test('a migration that fails leaves the database as it was, and can be mended', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await copyOfMigrations();
  const later = join(directory, '99990101000000_later');
  await cp(join(directory, (await names(directory))[0]!), later, { recursive: true });
  await writeFile(join(later, 'migration.sql'), 'CREATE TABLE later (id int); SELECT no_such_function();');
  await expect(migrate(url, directory)).rejects.toThrow('no_such_function');

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT to_regclass('users') AS users, to_regclass('later') AS later`);
  await client.end();
  expect(rows).toEqual([{ users: null, later: null }]);

  await writeFile(join(later, 'migration.sql'), 'CREATE TABLE later (id int);');
  expect(await migrate(url, directory)).toContain('99990101000000_later');
});

test('a function body keeps its semicolons', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await copyOfMigrations();
  const later = join(directory, '99990101000000_later');
  await cp(join(directory, (await names(directory))[0]!), later, { recursive: true });
  await writeFile(
    join(later, 'migration.sql'),
    'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$;',
  );
  expect(await migrate(url, directory)).toContain('99990101000000_later');
});
