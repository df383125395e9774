import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let now = Date.now();
let elapsed = 0;
let isFull = false;

beforeAll(async () => {
  const elapsedSince = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => elapsedSince() + elapsed);
  app = await startTestApp({ clock: () => new Date(now), isDiskFull: async () => isFull });
});

afterAll(async () => {
  jest.restoreAllMocks();
  await app?.close();
});

async function readiness(): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${app.url}/readyz`);
  return { status: response.status, body: await response.json() };
}

const READY = { status: 200, body: { database: 'ok', queue: 'ok' } };
const BEHIND = { status: 503, body: { database: 'behind', queue: 'ok' } };

test('a gateway is not ready while the database lacks a migration that it needs', async () => {
  const { db } = app.services;
  const remove = () => db.orm.$executeRaw`UPDATE _prisma_migrations SET rolled_back_at = now()
    WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)`;
  const restore = () => db.orm.$executeRaw`UPDATE _prisma_migrations SET rolled_back_at = NULL`;
  await remove();
  expect(await readiness()).toEqual(BEHIND);
  await restore();
  expect(await readiness()).toEqual(READY);

  await remove();
  elapsed += 4_000;
  expect(await readiness()).toEqual(BEHIND);
  await restore();
});

test('a clock that is set back does not make a gateway trust what it has seen for longer', async () => {
  const { db } = app.services;
  elapsed += 4_000;
  expect(await readiness()).toEqual(READY);
  now -= 3_600_000;
  elapsed += 4_000;
  await db.orm.$executeRaw`ALTER TABLE _prisma_migrations RENAME TO put_aside`;
  expect(await readiness()).toEqual(BEHIND);
  await db.orm.$executeRaw`ALTER TABLE put_aside RENAME TO _prisma_migrations`;
});

test('a gateway is not ready on a database without any migration', async () => {
  const { db } = app.services;
  await db.orm.$executeRaw`ALTER TABLE _prisma_migrations RENAME TO put_aside`;
  elapsed += 4_000;
  expect(await readiness()).toEqual(BEHIND);
  await db.orm.$executeRaw`ALTER TABLE put_aside RENAME TO _prisma_migrations`;
});

test('a gateway is ready on a database that a later version has migrated', async () => {
  await app.services.db.orm.$executeRaw`
    INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
    VALUES ('later', 'none', '99990101000000_later', now())`;
  elapsed += 4_000;
  expect(await readiness()).toEqual(READY);
});

test('a gateway is not ready while the disk of its own database is all but full', async () => {
  isFull = true;
  expect(await readiness()).toEqual({ status: 503, body: { database: 'full', queue: 'ok' } });
  isFull = false;
  expect(await readiness()).toEqual(READY);
});

test('a gateway is not ready on a database that only reads, and asks to submit later', async () => {
  await provision(app.services, [team('acme')]);
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  const site = await websiteId(app.services, 'www.acme.test');
  const submit = async () => {
    const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com' }),
    });
    return { status: response.status, retryAfter: response.headers.has('retry-after') };
  };
  const sql = new pg.Client({ connectionString: app.database.url });
  await sql.connect();
  const setReadOnly = async (value: 'on' | 'off') => {
    await sql.query(
      `ALTER DATABASE ${sql.escapeIdentifier(sql.database!)} SET default_transaction_read_only = ${value}`,
    );
    // Sessions that exist keep their setting.
    await sql.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  };
  await setReadOnly('on');
  await eventually(async () => (await readiness()).status === 503);
  expect(await readiness()).toEqual({ status: 503, body: { database: 'read_only', queue: 'ok' } });
  expect(await submit()).toEqual({ status: 503, retryAfter: true });
  await setReadOnly('off');
  await eventually(async () => (await readiness()).status === 200);
  expect(await submit()).toEqual({ status: 200, retryAfter: false });
  await sql.end();
});

test('the readiness check writes a temporary file, for which a full disk has no room', async () => {
  const { db } = app.services;
  const filesWritten = async () => {
    const [row] = await db.orm.$queryRaw<[{ files: number }]>`
      SELECT temp_files::int AS files FROM pg_stat_database WHERE datname = current_database()`;
    return row.files;
  };
  const before = await filesWritten();
  elapsed += 4_000;
  expect(await readiness()).toEqual(READY);
  await eventually(async () => (await filesWritten()) > before);
});
