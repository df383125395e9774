import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { migrate, migrationState } from '../../../src/db/migration/migrate.js';
import { migrationNames, readMigrations } from '../../../src/db/migration/migrations.js';
import { createEmptyDatabase } from '../../support/database.js';
import { migrationFolder, openClient, writeMigration } from '../../support/migrations.js';

const SCHEMA_DIFF = fileURLToPath(new URL('../../../scripts/schema-diff.js', import.meta.url));

async function tablesOf(url: string): Promise<string[]> {
  const client = await openClient(url);
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  await client.end();
  return rows.map(({ name }) => name);
}

test('migrating applies what is pending, and nothing the second time', async () => {
  const { url } = await createEmptyDatabase();
  expect(await migrate(url)).toEqual(migrationNames());
  expect(await migrate(url)).toEqual([]);
});

test('the migrations lead to the schema of schema.prisma', async () => {
  const { url } = await createEmptyDatabase();
  await migrate(url);
  const { stdout } = await promisify(execFile)(process.execPath, [SCHEMA_DIFF], {
    env: { DATABASE_URL: url },
  });
  expect(stdout).toBe('');
});

test('migrations recorded by Prisma’s own engine are recognised, and a new table has the same columns', async () => {
  const { url } = await createEmptyDatabase();
  const client = await openClient(url);
  // What the engine runs before its first migration, and what it writes about one.
  await client.query(`CREATE TABLE _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL, checksum VARCHAR(64) NOT NULL, finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL, logs TEXT, rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(), applied_steps_count INTEGER NOT NULL DEFAULT 0)`);
  const columns = `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
    FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`;
  const [first, second] = ['CREATE TABLE one (id int);\n', 'CREATE TABLE two (id int);\n'];
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
     VALUES ('1b4e28ba-2fa1-11d2-883f-0016d3cca427', encode(sha256($1), 'hex'), now(), '1_one', 1)`,
    [Buffer.from(first)],
  );
  expect(
    await migrate(url, { directory: await migrationFolder({ '1_one': first, '2_two': second }) }),
  ).toEqual(['2_two']);

  const fresh = await createEmptyDatabase();
  await migrate(fresh.url, { directory: await migrationFolder({ '1_one': first }) });
  const other = await openClient(fresh.url);
  expect((await other.query(columns)).rows).toEqual((await client.query(columns)).rows);
  await Promise.all([client.end(), other.end()]);
});

test('processes that start concurrently apply each migration once', async () => {
  const { url } = await createEmptyDatabase();
  const applied = await Promise.all([migrate(url), migrate(url), migrate(url), migrate(url)]);
  expect(applied.flat().sort()).toEqual(migrationNames());
});

test('an edited migration is refused by name, and nothing is applied', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await migrationFolder({ '1_one': 'CREATE TABLE one (id int);' });
  await migrate(url, { directory });
  await writeMigration(directory, '1_one', 'CREATE TABLE one (id bigint);');
  await writeMigration(directory, '2_two', 'CREATE TABLE two (id int);');
  await expect(migrate(url, { directory })).rejects.toThrow('Edited after it was applied: 1_one');
  expect(await tablesOf(url)).toEqual(['_prisma_migrations', 'one']);
});

test('a checkout with CRLF line ends holds the same migration', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await migrationFolder({ '1_one': 'CREATE TABLE one (\nid int);\n' });
  await migrate(url, { directory });
  await writeMigration(directory, '1_one', 'CREATE TABLE one (\r\nid int);\r\n');
  expect(await migrate(url, { directory })).toEqual([]);
});

test('a migration of a later version is a warning, and an older process still starts', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await migrationFolder({ '1_one': 'CREATE TABLE one (id int);' });
  const later = await migrationFolder({
    '1_one': 'CREATE TABLE one (id int);',
    '9_later': 'CREATE TABLE later (id int);',
  });
  await migrate(url, { directory: later });
  const warnings: object[] = [];
  const log = { warn: (details: object) => void warnings.push(details) };
  expect(await migrate(url, { directory, log })).toEqual([]);
  expect(warnings).toEqual([{ unknown: ['9_later'] }]);
  expect(await migrationState(url, directory)).toMatchObject({ pending: [], unknown: ['9_later'] });
});

test('a migration that another tool left unfinished is refused by name', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await migrationFolder({ '1_one': 'CREATE TABLE one (id int);' });
  await migrate(url, { directory });
  const client = await openClient(url);
  await client.query('UPDATE _prisma_migrations SET finished_at = NULL');
  await client.end();
  await expect(migrate(url, { directory })).rejects.toThrow('1_one was begun by another tool');
});

test('a migration that fails leaves no trace, keeps those before it, and can be corrected', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await migrationFolder({
    '1_one': 'CREATE TABLE one (id int);',
    '2_two': 'CREATE TABLE two (id int); SELECT no_such_function();',
  });
  await expect(migrate(url, { directory })).rejects.toThrow(/Migration 2_two failed.*no_such_function/);
  expect(await tablesOf(url)).toEqual(['_prisma_migrations', 'one']);

  await writeMigration(directory, '2_two', 'CREATE TABLE two (id int);');
  expect(await migrate(url, { directory })).toEqual(['2_two']);
});

test('a function body keeps its semicolons', async () => {
  const { url } = await createEmptyDatabase();
  const directory = await migrationFolder({
    '1_one': 'CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 2; END $$;',
  });
  expect(await migrate(url, { directory })).toEqual(['1_one']);
});

test('a migration is read as Prisma reads it, checksum included', async () => {
  const directory = await migrationFolder({ '1_one': 'SELECT 1;\n' });
  expect(readMigrations(directory)).toEqual([
    {
      name: '1_one',
      sql: 'SELECT 1;\n',
      checksum: 'b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd',
    },
  ]);
});
