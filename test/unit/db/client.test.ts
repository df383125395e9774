import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDb, type Db } from '../../../src/db/client.js';
import { isDatabaseAway } from '../../../src/db/database-errors.js';
import { createEmptyDatabase } from '../../support/database.js';

let url: string;
const opened: Db[] = [];

beforeAll(async () => {
  url = (await createEmptyDatabase()).url;
});

afterAll(() => Promise.all(opened.map((db) => db.close())));

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
