import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readClockSkewMs, requireRightClock } from '../../../src/db/clock-skew.queries.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/durations.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const shiftedBy = (ms: number) => () => new Date(Date.now() + ms);

test('a clock that is PostgreSQL’s own differs by nothing, and another by its distance', async () => {
  expect(Math.abs(await readClockSkewMs(database.db))).toBeLessThan(1_000);
  expect(await readClockSkewMs(database.db, shiftedBy(HOUR_MS))).toBeGreaterThan(HOUR_MS - 1_000);
  expect(await readClockSkewMs(database.db, shiftedBy(-HOUR_MS))).toBeLessThan(1_000 - HOUR_MS);
});

test.each([0, 50 * MINUTE_MS, -50 * MINUTE_MS])('a clock that is %i ms off may delete', async (ms) => {
  await expect(requireRightClock(database.db, shiftedBy(ms))).resolves.toBeUndefined();
});

test.each([
  [3 * HOUR_MS, 'The clock of this process is 3.0 h ahead of that of PostgreSQL.'],
  [-2 * DAY_MS, 'The clock of this process is 48.0 h behind that of PostgreSQL.'],
])('a clock that is %i ms off may not', async (ms, message) => {
  await expect(requireRightClock(database.db, shiftedBy(ms))).rejects.toThrow(message);
});
