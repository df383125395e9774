import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { recordAttempt } from '../../src/webhooks/deliveries.queries.js';
import { RETRY_PAUSES_S } from '../../src/webhooks/retry.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const HOUR_MS = 3_600_000;
const BEGAN = Date.parse('2026-10-01T09:00:00Z');

/** Hours after the first attempt at which a delivery that always fails is tried. */
const TEN_ATTEMPTS = Array.from(
  { length: RETRY_PAUSES_S.length + 1 },
  (_, retries) => RETRY_PAUSES_S.slice(0, retries).reduce((sum, pauseS) => sum + pauseS, 0) / 3_600,
);

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** An endpoint whose attempts are recorded at hours after its first. */
async function endpoint() {
  const { orm } = database.db;
  const id = randomUUID();
  const plan = { create: { code: id, name: id } };
  const team = await orm.team.create({ data: { slug: id, name: id, plan } });
  await orm.webhook.create({
    data: { id, teamId: team.id, url: 'https://hooks.acme.test/', secretCipher: Buffer.alloc(1) },
  });
  const at = (hour: number, ok: boolean) =>
    recordAttempt(database.db, {
      claim: { id: randomUUID(), webhookId: id, attempt: 1, retries: 0 },
      ok,
      pauseS: null,
      isTest: false,
      status: ok ? 204 : 500,
      fault: null,
      answer: '',
      startedAt: new Date(BEGAN + hour * HOUR_MS),
      durationMs: 1,
    });
  return {
    id,
    /** Fails at these hours. @returns the hours at which it was to be disabled. */
    async fail(hours: readonly number[]) {
      const disabled: number[] = [];
      for (const hour of hours) if (await at(hour, false)) disabled.push(hour);
      return disabled;
    },
    succeed: (hour: number) => at(hour, true),
  };
}

/** The hours of a span at which something is tried, a day between them. */
const daily = (from: number, to: number) =>
  Array.from({ length: (to - from) / 24 + 1 }, (_, day) => from + day * 24);

test('an endpoint of which each attempt of five days has failed is disabled', async () => {
  const { fail } = await endpoint();
  expect(await fail(daily(0, 144))).toEqual([120, 144]);
});

test('an endpoint is not disabled by one more failure after a silence', async () => {
  const { fail } = await endpoint();
  expect(await fail([...TEN_ATTEMPTS, 30 * 24])).toEqual([]);
});

test('an endpoint that fails before and after a silence is disabled after five days without it', async () => {
  const { fail } = await endpoint();
  expect(await fail([...daily(0, 72), ...daily(720, 720 + 96)])).toEqual([720 + 48, 720 + 72, 720 + 96]);
});

test('an endpoint is given five days anew by a success, whatever came before', async () => {
  const { fail, succeed } = await endpoint();
  expect(await fail([0, ...daily(720, 720 + 96)])).toEqual([]);
  expect(await succeed(720 + 100)).toBe(false);
  expect(await fail(daily(720 + 101, 720 + 101 + 120))).toEqual([720 + 101 + 120]);
});

test('an endpoint that the version before has recorded the failures of begins its five days', async () => {
  const { id, fail } = await endpoint();
  const recorded = (hour: number | null) =>
    database.db.orm.webhook.update({
      where: { id },
      data: { failingSince: hour === null ? null : new Date(BEGAN + hour * HOUR_MS) },
    });
  await recorded(0);
  expect(await fail([480])).toEqual([]);
  // It has seen a success, and then a failure, between those that this version sees.
  await recorded(null);
  await recorded(490);
  expect(await fail([500, ...daily(520, 640)])).toEqual([616, 640]);
});
