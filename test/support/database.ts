import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../../src/lib/migrations.js';
import { createDatabase, type Database } from '../../src/lib/prisma.js';

const SERVER = process.env.TEST_DATABASE_SERVER ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** A migrated database of its own, with a client of it. */
export type TestDatabase = { url: string; db: Database; drop(): Promise<void> };

/** Creates a migrated database on the test server; `drop` takes it away again. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `formgate_test_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name}`);
  const address = new URL(SERVER);
  address.pathname = `/${name}`;
  await migrate(address.href);
  const db = createDatabase(address.href);
  return {
    url: address.href,
    db,
    async drop() {
      await db.$disconnect();
      await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
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
    const dump: Record<string, string[]> = {};
    for (const { name } of tables.rows) {
      // xmin shows rows that were written again with the values they had.
      const { rows } = await client.query<{ row: string }>(
        `SELECT t.xmin || ' ' || t::text AS row FROM ${name} t ORDER BY 1`,
      );
      dump[name] = rows.map(({ row }) => row);
    }
    return dump;
  } finally {
    await client.end();
  }
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: SERVER });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
