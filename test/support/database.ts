import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDb, type Db } from '../../src/db/client.js';

export type TestDatabase = Readonly<{ url: string; db: Db; drop(): Promise<void> }>;

function serverUrl(database: string): string {
  const url = new URL(process.env.TEST_DATABASE_SERVER ?? '');
  url.pathname = `/${database}`;
  return url.href;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl('postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const freshName = () => `test_${randomBytes(6).toString('hex')}`;

/**
 * How long a statement waits for a connection, in milliseconds: longer than in production, since the modules that a
 * test file loads hold the whole process up.
 */
export const CONNECT_TIMEOUT_MS = 20_000;

/** A database without a table, for what creates them. It goes with the server at the end of the run. */
export async function createEmptyDatabase(): Promise<{ url: string }> {
  const name = freshName();
  await administer(`CREATE DATABASE ${name}`);
  return { url: serverUrl(name) };
}

/**
 * A migrated database of its own, on the PostgreSQL that the test run has started.
 *
 * @param timeZone That of its sessions, instead of the server's.
 */
export async function createTestDatabase(timeZone?: string): Promise<TestDatabase> {
  const name = freshName();
  await administer(
    `CREATE DATABASE ${name} TEMPLATE ${process.env.TEST_DATABASE_TEMPLATE} STRATEGY FILE_COPY`,
  );
  if (timeZone) await administer(`ALTER DATABASE ${name} SET timezone = '${timeZone}'`);
  const url = serverUrl(name);
  const db = createDb(url, { connectTimeoutMs: CONNECT_TIMEOUT_MS });
  return {
    url,
    db,
    async drop() {
      await db.close();
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Every row of every table, to tell whether anything at all has changed. */
export async function dumpTables(url: string): Promise<Record<string, string[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    );
    // xmin shows rows that were written again with the values they had. One statement, since tests dump many times.
    const rows = await client.query<{ name: string; row: string }>(
      tables.rows
        .map(({ name }) => `SELECT '${name}' AS name, t.xmin || ' ' || t::text AS row FROM ${name} t`)
        .join(' UNION ALL ')
        .concat(' ORDER BY 1, 2'),
    );
    const dump: Record<string, string[]> = Object.fromEntries(tables.rows.map(({ name }) => [name, []]));
    for (const { name, row } of rows.rows) dump[name]!.push(row);
    return dump;
  } finally {
    await client.end();
  }
}
