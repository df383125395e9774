import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type pg from 'pg';
import { migrate } from '../../../src/db/migration/migrate.js';
import { createEmptyDatabase } from '../../support/database.js';
import { migrationFolder, openClient } from '../../support/migrations.js';
import { eventually } from '../../support/wait.js';

const COMPILED = new URL('../../../dist/modules/db/migration/migrate.js', import.meta.url).href;

const TABLE = 'CREATE TABLE leads (id int); INSERT INTO leads VALUES (1);';
const INDEX =
  '-- formgate: concurrently\n-- Leads are looked up by id.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS "leads_id_idx" ON "leads"("id");\n';

let url: string;
let client: pg.Client;

beforeAll(async () => {
  ({ url } = await createEmptyDatabase());
  client = await openClient(url);
});

afterAll(() => client.end());

/** Migrates in a process of its own. */
function spawnMigrate(at: string, directory: string): ChildProcess {
  const script = `
    const { migrate } = await import(${JSON.stringify(COMPILED)});
    await migrate(${JSON.stringify(at)}, { directory: ${JSON.stringify(directory)} });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

const isBusy = (where: string) => async () =>
  (
    await client.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'formgate migrate' AND ${where}`,
    )
  ).rowCount;

const indexState = async () =>
  (await client.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('leads_id_idx')`)).rows;

test('a process killed in the middle of a migration leaves no trace of it, and the next process applies it', async () => {
  await client.query('CREATE TABLE gate AS SELECT true AS is_closed');
  const directory = await migrationFolder({
    '1_slow': `CREATE TABLE half (id int);
      DO $$ BEGIN WHILE (SELECT is_closed FROM gate) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
      CREATE TABLE whole (id int);`,
  });
  const child = spawnMigrate(url, directory);
  await eventually(isBusy(`query LIKE '%is_closed%'`));
  await kill(child);
  const next = migrate(url, { directory });
  await eventually(isBusy(`query LIKE '%is_closed%'`));
  expect((await client.query(`SELECT to_regclass('half') AS half`)).rows).toEqual([{ half: null }]);
  await client.query('UPDATE gate SET is_closed = false');
  expect(await next).toEqual(['1_slow']);
  expect((await client.query(`SELECT FROM half, whole`)).rows).toEqual([]);
});

test('a migration retries until a long reader ends, logs it, and does not block other requests meanwhile', async () => {
  await migrate(url, { directory: await migrationFolder({ '2_leads': TABLE }) });
  const directory = await migrationFolder({
    '2_leads': TABLE,
    '3_column': 'ALTER TABLE leads ADD COLUMN name text;',
  });

  const reader = await openClient(url);
  await reader.query('BEGIN; SELECT * FROM leads');
  const warnings: { migration: string; holders: { application: string; transactionAgeS: number }[] }[] = [];
  let isMigrated = false;
  const migrating = migrate(url, {
    directory,
    log: { warn: (details) => void warnings.push(details as (typeof warnings)[number]) },
  }).then((applied) => {
    isMigrated = true;
    return applied;
  });

  const begunAt = Date.now();
  let slowestMs = 0;
  await eventually(async () => {
    const askedAt = Date.now();
    await client.query('SELECT * FROM leads');
    slowestMs = Math.max(slowestMs, Date.now() - askedAt);
    return warnings.length > 0 && Date.now() - begunAt > 3_000;
  });
  expect(isMigrated).toBe(false);
  await reader.query('COMMIT');
  expect(await migrating).toEqual(['3_column']);
  // It waited behind the migration's request, and for less time than a gateway gives a statement.
  expect(slowestMs).toBeGreaterThan(500);
  expect(slowestMs).toBeLessThan(1_900);
  expect(warnings.find(({ migration }) => migration)).toMatchObject({
    migration: '3_column',
    reason: 'canceling statement due to lock timeout',
    holders: [{ pid: expect.any(Number), application: 'a long reader', state: 'idle in transaction' }],
  });
  expect(JSON.stringify(warnings)).not.toContain('SELECT');
  await reader.end();
});

test('a migration that ends in a deadlock is retried', async () => {
  const directory = await migrationFolder({
    '3_deadlock': 'ALTER TABLE gate ADD COLUMN a int; ALTER TABLE leads ADD COLUMN b int;',
  });
  const other = await openClient(url);
  // It leaves the discovery of the deadlock, and so its end, to the migration.
  await other.query(`SET deadlock_timeout = '1min'; BEGIN; SELECT * FROM leads`);
  const reasons: unknown[] = [];
  const log = { warn: (details: object) => void reasons.push(Object(details).reason) };
  const migrating = migrate(url, { directory, log });
  await eventually(isBusy(`wait_event_type = 'Lock'`));
  await other.query('SELECT * FROM gate');
  await other.query('COMMIT');
  expect(await migrating).toEqual(['3_deadlock']);
  expect(reasons).toContain('deadlock detected');
  await other.end();
});

test('a concurrent migration killed while it builds is repeated, and its invalid index rebuilt', async () => {
  const directory = await migrationFolder({ '4_index': INDEX });
  // A transaction that has written is waited for by an index build, which blocks nothing meanwhile.
  const writer = await openClient(url);
  await writer.query('BEGIN; INSERT INTO leads VALUES (2)');
  const child = spawnMigrate(url, directory);
  await eventually(isBusy(`query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'`));
  expect((await client.query('SELECT id FROM leads')).rows).toEqual([{ id: 1 }]);
  await kill(child);
  await eventually(async () => !(await isBusy('true')()));
  expect(await indexState()).toEqual([{ indisvalid: false }]);

  await writer.query('COMMIT');
  expect(await migrate(url, { directory })).toEqual(['4_index']);
  expect(await indexState()).toEqual([{ indisvalid: true }]);
  expect(await migrate(url, { directory })).toEqual([]);
  await writer.end();
});

test('processes that start concurrently build a concurrent index once', async () => {
  const other = await createEmptyDatabase();
  const directory = await migrationFolder({ '2_leads': TABLE, '4_index': INDEX });
  const migrating = () => migrate(other.url, { directory });
  const applied = await Promise.all([migrating(), migrating(), migrating()]);
  expect(applied.flat()).toEqual(['2_leads', '4_index']);
});

test('a concurrent migration may be one CREATE INDEX CONCURRENTLY IF NOT EXISTS and nothing else', async () => {
  const directory = await migrationFolder({ '5_index': `${INDEX}DROP TABLE leads;` });
  await expect(migrate(url, { directory })).rejects.toThrow(
    /^Migration 5_index is concurrent, so it must be/,
  );
});
