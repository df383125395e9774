import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import { GraphQLError } from 'graphql';
import type { Transaction } from '../../../src/db/client.js';
import { isDatabaseAway, isDeadlock } from '../../../src/db/database-errors.js';
import { formatErrors } from '../../../src/graphql/format-error.js';
import { errorHandler } from '../../../src/http/error-handler.js';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const CODES = ['one', 'two'] as const;
type Lock = (tx: Transaction, code: string) => Promise<unknown>;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.db.orm.department.createMany({ data: CODES.map((code) => ({ code, name: code })) });
});

afterAll(() => database.drop());

/** Has two transactions wait for each other. @returns what ended one of them. */
async function deadlock(lock: Lock): Promise<unknown> {
  const locked = new EventEmitter();
  const both = Promise.all(CODES.map((code) => once(locked, code)));
  const run = (first: string, second: string) =>
    database.db.orm.$transaction(async (tx) => {
      await lock(tx, first);
      locked.emit(first);
      await both;
      await lock(tx, second);
    });
  const ended = await Promise.allSettled([run('one', 'two'), run('two', 'one')]);
  const [error, ...others] = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(others).toEqual([]);
  return error;
}

test.each<[string, Lock]>([
  ['a model', (tx, code) => tx.department.update({ where: { code }, data: { name: 'x' } })],
  ['a raw query', (tx, code) => tx.$queryRaw`SELECT FROM departments WHERE code = ${code} FOR UPDATE`],
  ['a raw statement', (tx, code) => tx.$executeRaw`UPDATE departments SET name = 'y' WHERE code = ${code}`],
])('a deadlock of %s is told apart, and may be tried again', async (_, lock) => {
  const error = await deadlock(lock);
  expect(isDeadlock(error)).toBe(true);
  expect(isDatabaseAway(error)).toBe(false);

  const log = createLogger('silent');
  const app = express();
  app.get('/', () => {
    throw error;
  });
  app.use(errorHandler(log));
  const server = app.listen(0);
  const { port } = server.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { Connection: 'close' } });
  server.close();
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toMatch(/^\d+$/);

  const thrown = new GraphQLError('deadlock', { originalError: error as Error });
  expect(
    formatErrors(log)({ message: 'x', extensions: { code: 'INTERNAL_SERVER_ERROR' } }, thrown),
  ).toMatchObject({ extensions: { code: 'SERVICE_UNAVAILABLE' } });
});
