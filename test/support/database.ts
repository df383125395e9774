import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDatabase, type Database } from '../../src/lib/prisma.js';

export type TestDatabase = Readonly<{ url: string; db: Database; drop(): Promise<void> }>;

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

/** A database without a table, for what creates them. It goes with the server at the end of the run. */
export async function createEmptyDatabase(): Promise<{ url: string }> {
  const name = freshName();
  await administer(`CREATE DATABASE ${name}`);
  return { url: serverUrl(name) };
}

/** A migrated database of its own, on the PostgreSQL that the test run has started. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = freshName();
  await administer(`CREATE DATABASE ${name} TEMPLATE ${process.env.TEST_DATABASE_TEMPLATE}`);
  const url = serverUrl(name);
  const db = createDatabase(url);
  return {
    url,
    db,
    async drop() {
      await db.$disconnect();
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
