import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';

/** More than two portions. */
const EXPIRED = 12_000;

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('one run of the purge deletes every portion of old deliveries, and leaves the others', async () => {
  const { db, webhookDeliveries } = app.services;
  const webhookId = randomUUID();
  await db.orm.$executeRaw`
    INSERT INTO webhook_deliveries (webhook_id, type, payload, state, created_at)
    SELECT ${webhookId}::uuid, 'form.changed', '{}', 'delivered',
           now() - CASE WHEN n = 0 THEN interval '29 days' ELSE interval '31 days' END
      FROM generate_series(0, ${EXPIRED}::int) n`;
  await webhookDeliveries.purge();
  expect(await db.orm.webhookDelivery.count({ where: { webhookId } })).toBe(1);
});
