import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../errors.js';
import { buildIndex, isConcurrent } from './concurrent-index.js';
import { retryOnLockTimeout, type WaitLog } from './lock-waits.js';
import { describeLocks } from './migration-locks.js';
import { readRecord, recordMigration } from './migration-record.js';
import { compareMigrations, type Migration, type MigrationState, readMigrations } from './migrations.js';
import { requirePublicSchema } from './public-schema.js';

/** Advisory lock that serialises the processes that migrate a database. */
const MIGRATION_LOCK = 0x666d6774;

const POLL_EVERY_MS = 200;

/**
 * How long a lock request may wait, and all traffic on its table behind it: less than the 1.9 seconds after which a
 * gateway gives up a statement, more than the second after which PostgreSQL looks for a deadlock.
 */
const LOCK_TIMEOUT_MS = 1_200;

/** SQLSTATE classes of a server that is away, starting, stopping or full. */
const SERVER_AWAY = /^(08|53|57P)/;

type Options = Readonly<{
  /** Folder of the migrations, where it is not this package's own. */
  directory?: string;
  log?: WaitLog;
  /** Receives a line about each migration before it runs: what it locks, and for how long. */
  announce?(line: string): void;
}>;

const SILENT: WaitLog = { warn: () => undefined };

/**
 * Applies the pending migrations and returns their names; a second run finds none.
 *
 * Each migration and its record share one transaction, so that a kill leaves nothing or a finished migration.
 * Processes that start together take turns. A database of a later version is left as it is.
 *
 * @throws StartError when an applied migration was edited since, naming it, when one fails, or when the role works in
 * another schema than `public`.
 */
export async function migrate(databaseUrl: string, options: Options = {}): Promise<string[]> {
  const { log = SILENT, announce } = options;
  const migrations = readMigrations(options.directory);
  return withClient(databaseUrl, async (client) => {
    const { pending, unknown } = await acquireMigrationLock(client, migrations);
    if (unknown.length > 0) log.warn({ unknown }, 'The database has migrations of a later version');
    for (const migration of pending) {
      announce?.(`${migration.name} locks ${await describeLocks(client, migration.sql)}`);
      const wait = { databaseUrl, client, log, migration: migration.name };
      await retryOnLockTimeout(wait, () => apply(client, migration)).catch((error) => {
        throw explain(error, migration);
      });
    }
    return pending.map(({ name }) => name);
  });
}

/**
 * Reads which migrations a database has and lacks, and changes nothing.
 *
 * @throws StartError when the role works in another schema than `public`.
 */
export function migrationState(databaseUrl: string, directory?: string): Promise<MigrationState> {
  const migrations = readMigrations(directory);
  return withClient(databaseUrl, async (client) => compareMigrations(migrations, await readRecord(client)));
}

async function withClient<T>(databaseUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'formgate migrate' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await requirePublicSchema(client);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Waits until this process has the advisory lock or nothing is pending; the lock ends with the connection. */
async function acquireMigrationLock(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<MigrationState> {
  let isMine = false;
  for (;;) {
    const state = compareMigrations(migrations, await readRecord(client));
    if (isMine || state.pending.length === 0) return state;
    // A statement that waited for the lock would hold a snapshot, for which a concurrent index build waits.
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS mine', [MIGRATION_LOCK]);
    isMine = rows[0].mine;
    if (isMine) await prepareSession(client);
    else await pause(POLL_EVERY_MS * (0.5 + Math.random()));
  }
}

async function prepareSession(client: pg.Client): Promise<void> {
  // The timeouts of a role are meant for requests; an index build takes as long as it takes.
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
  // The statement of a killed process ends within a second, where the server's platform detects a closed socket.
  await client.query(`SET client_connection_check_interval = '1s'`).catch(() => undefined);
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  if (isConcurrent(migration)) {
    await buildIndex(client, migration);
    return recordMigration(client, migration);
  }
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(migration.sql);
    await recordMigration(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function explain(error: unknown, { name }: Migration): unknown {
  if (!(error instanceof pg.DatabaseError) || SERVER_AWAY.test(error.code ?? '')) return error;
  return new StartError(`Migration ${name} failed and left no trace: ${error.message}`);
}
