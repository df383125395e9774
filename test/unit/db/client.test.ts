import dns from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { createDb, type Db } from '../../../src/db/client.js';
import { isDatabaseAway, serverMessage } from '../../../src/db/database-errors.js';
import { Prisma } from '../../../src/generated/prisma/client.js';
import { createEmptyDatabase } from '../../support/database.js';
import { eventually } from '../../support/wait.js';

let url: string;
const opened: Db[] = [];

beforeAll(async () => {
  url = (await createEmptyDatabase()).url;
});

afterAll(() => Promise.all(opened.map((db) => db.close())));

afterEach(() => {
  jest.restoreAllMocks();
});

/** Sleeps in a transaction over a door of its own. @returns what ended it. */
async function sleepFor(seconds: number, options: { statementTimeoutMs?: number } = {}): Promise<unknown> {
  const db = createDb(url, options);
  opened.push(db);
  const { orm } = db;
  return orm
    .$transaction((tx) => tx.$executeRaw`SELECT pg_sleep(${seconds}::float8)`)
    .then(
      () => 'committed',
      (error) => error,
    );
}

test('a transaction that no request waits for takes its time, another one as long as a statement may', async () => {
  const [unbound, bound] = await Promise.all([sleepFor(5.5), sleepFor(5.5, { statementTimeoutMs: 1_000 })]);
  expect(unbound).toBe('committed');
  expect(isDatabaseAway(bound)).toBe(true);
});

const QUERIES: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['a statement', ({ sql }) => sql(Prisma.sql`SELECT 1`)],
  ['a raw query', ({ orm }) => orm.$queryRaw`SELECT 1`],
  ['a query', ({ orm }) => orm.team.findFirst()],
  ['a transaction', ({ orm }) => orm.$transaction((tx) => tx.$executeRaw`SELECT 1`)],
];

/** Resolves each name to these addresses, as a machine does whose `localhost` has one of each family. */
const resolveTo = (...addresses: dns.LookupAddress[]) =>
  jest
    .spyOn(dns, 'lookup')
    .mockImplementation(((_name: string, _options: object, done: (...found: unknown[]) => void) =>
      done(null, addresses)) as unknown as typeof dns.lookup);

test.each(QUERIES)('a server that refuses at each address of its host is away: %s', async (_name, query) => {
  resolveTo({ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 });
  const db = createDb('postgresql://formgate@localhost:1/formgate?sslmode=disable');
  opened.push(db);
  const error = await query(db).catch((each: Error) => each);
  expect(isDatabaseAway(error)).toBe(true);
  expect(serverMessage(error as Error)).toMatch(/^(connect )?ECONNREFUSED/);
});

/** A server that answers the first packet of each connection with these bytes. */
async function answering(bytes: Buffer) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** An ErrorResponse of PostgreSQL's protocol. */
function refusal(sqlState: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${sqlState}\0Mpassword authentication failed\0\0`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(fields.length + 4);
  return Buffer.concat([Buffer.from('E'), length, fields]);
}

test.each(
  QUERIES.flatMap(([name, query]) => [
    [`refuses the login: ${name}`, refusal('28P01'), 'disable', query] as const,
    [`has no such database: ${name}`, refusal('3D000'), 'disable', query] as const,
    [`has no TLS: ${name}`, Buffer.from('N'), 'verify-full', query] as const,
  ]),
)('a server is away that %s', async (_what, bytes, sslmode, query) => {
  const { server, port } = await answering(bytes);
  const db = createDb(`postgresql://formgate@127.0.0.1:${port}/formgate?sslmode=${sslmode}`);
  opened.push(db);
  expect(isDatabaseAway(await query(db).catch((each) => each))).toBe(true);
  server.close();
});

test('instants are read whatever style of dates the database has', async () => {
  const name = new URL(url).pathname.slice(1);
  const db = createDb(url);
  await db.orm.$executeRawUnsafe(`ALTER DATABASE "${name}" SET datestyle = 'German'`);
  await db.close();
  const again = createDb(url);
  opened.push(again);
  const [row] = await again.sql<{ at: Date }>(Prisma.sql`SELECT timestamptz '2026-11-30 01:00:00Z' AS at`);
  expect(row?.at).toEqual(new Date('2026-11-30T01:00:00Z'));
});

test.each([
  ['before its next statement', true],
  ['before it commits', false],
])('a connection that is lost in a transaction %s means a server that is away', async (_when, goesOn) => {
  const db = createDb(url);
  opened.push(db);
  const work = db.orm.$transaction(async (tx) => {
    const [{ pid }] = await tx.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
    await db.orm.$queryRaw`SELECT pg_terminate_backend(${pid})`;
    await eventually(async () => {
      const rows = await db.orm.$queryRaw<unknown[]>`SELECT FROM pg_stat_activity WHERE pid = ${pid}`;
      return rows.length === 0;
    });
    if (goesOn) await tx.$executeRaw`SELECT 1`;
  });
  expect(isDatabaseAway(await work.catch((each) => each))).toBe(true);
});

test('options of the address stand beside those that its sessions always have', async () => {
  const address = new URL(url);
  address.searchParams.set('options', '-c work_mem=12345kB -c enable_seqscan=on');
  const db = createDb(address.href);
  opened.push(db);
  const [row] = await db.sql<Record<string, string>>(Prisma.sql`
    SELECT current_setting('work_mem') AS memory, current_setting('enable_seqscan') AS scans,
           current_setting('jit') AS jit`);
  expect(row).toEqual({ memory: '12345kB', scans: 'off', jit: 'off' });
});
