import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { createDb } from '../../../src/db/client.js';
import { isDatabaseAway } from '../../../src/db/database-errors.js';

const CLOSED_PORT = 1;

/** The errors of every way to ask a database that is not there. */
async function errorsOf(port: number): Promise<unknown[]> {
  const db = createDb(`postgres://postgres@127.0.0.1:${port}/none`);
  const asked = await Promise.allSettled([
    db.orm.$queryRaw`SELECT 1`,
    db.orm.$executeRaw`SELECT 1`,
    db.orm.website.findFirst(),
    db.orm.$transaction((tx) => tx.website.findFirst()),
  ]);
  await db.close();
  return asked.map((outcome) => outcome.status === 'rejected' && outcome.reason);
}

test('a server that refuses connections is away, for every kind of query', async () => {
  expect((await errorsOf(CLOSED_PORT)).map(isDatabaseAway)).toEqual([true, true, true, true]);
});

test('a server that closes the connection is away, for every kind of query', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  expect((await errorsOf(port)).map(isDatabaseAway)).toEqual([true, true, true, true]);
  await new Promise((resolve) => server.close(resolve));
});

test('other errors do not mean that the server is away', () => {
  expect([new Error('column "x" does not exist'), 'away', null].map(isDatabaseAway)).toEqual([
    false,
    false,
    false,
  ]);
});
