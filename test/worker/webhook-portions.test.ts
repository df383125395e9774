import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { readDeliveryBacklog } from '../../src/webhooks/deliveries.queries.js';
import { endWaiting } from '../../src/webhooks/ending.queries.js';
import { continueRedelivery } from '../../src/webhooks/redelivery.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { endpointSettings, provision, TEST_ACTOR, team } from '../support/factories.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

/** Deliveries of an endpoint: more than two portions. */
const MANY = 12_000;

const PORTION = 5_000;

let app: TestApp;
let receiver: Receiver;
let teamId: number;
let paths = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  // Without a worker, so that a test decides when portions run.
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [team('acme')]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});
afterEach(async () => {
  await app.services.db.orm.webhook.deleteMany();
  await app.services.db.orm.webhookDelivery.deleteMany();
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

const listed = async (id: string) => (await app.services.webhooks.find(id))!;

/** Creates an endpoint with many deliveries of one time, and switches it. */
async function endpoint(state: 'pending' | 'delivered') {
  const { db, webhooks } = app.services;
  const path = `/${++paths}`;
  const settings = endpointSettings(receiver.url + path, ['form.changed']);
  const { id } = await webhooks.create(teamId, settings, TEST_ACTOR);
  await db.orm.$executeRaw`
    INSERT INTO webhook_deliveries (webhook_id, type, payload, state, attempts, created_at)
    SELECT ${id}::uuid, 'form.changed', '{}', ${state}::webhook_delivery_state, ${state === 'pending' ? 0 : 1}::int,
           now() - interval '1 minute'
      FROM generate_series(1, ${MANY}::int)`;
  const turn = async (enabled: boolean) =>
    webhooks.update(await listed(id), { ...settings, enabled }, TEST_ACTOR);
  const counts = async () => {
    const rows = await db.orm.webhookDelivery.groupBy({
      by: ['state'],
      where: { webhookId: id },
      _count: true,
    });
    return Object.fromEntries(rows.map((row) => [row.state, row._count]));
  };
  return { id, path, turn, counts };
}

const redeliver = async (id: string, ago = 3_600_000) =>
  app.services.webhooks.redeliver(
    await listed(id),
    { deliveryIds: null, since: new Date(Date.now() - ago) },
    TEST_ACTOR,
  );

test('a redelivery is no backlog of the workers, what has no attempt is, from when it was due last', async () => {
  const { db } = app.services;
  const oldestS = async () => (await readDeliveryBacklog(db)).oldestS;
  const delivered = await endpoint('delivered');
  await redeliver(delivered.id);
  await continueRedelivery(db, delivered.id, MANY);
  expect(await delivered.counts()).toEqual({ pending: MANY });
  expect(await oldestS()).toBe(0);

  const settings = endpointSettings(`${receiver.url}/${++paths}`, ['form.changed']);
  const { id: webhookId } = await app.services.webhooks.create(teamId, settings, TEST_ACTOR);
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const event = { webhookId, type: 'form.changed', payload: {} };
  await db.orm.webhookDelivery.create({
    data: { ...event, state: 'failed', createdAt: ago(30), nextAttemptAt: ago(30) },
  });
  await redeliver(webhookId);
  await continueRedelivery(db, webhookId, MANY);
  expect(await oldestS()).toBeLessThan(60);
  await db.orm.webhookDelivery.create({ data: { ...event, createdAt: ago(10), nextAttemptAt: ago(10) } });
  expect(await oldestS()).toBeGreaterThanOrEqual(600);
  await db.orm.webhookDelivery.create({ data: { ...event, createdAt: ago(20), nextAttemptAt: ago(-60) } });
  expect(await oldestS()).toBeGreaterThanOrEqual(1_200);
});

test('an endpoint that answers 410 is disabled once, gets nothing more, and what waits ends in portions', async () => {
  const { db, webhookDeliveries } = app.services;
  const { id, path, counts } = await endpoint('pending');
  receiver.behave(path, (response) => response.writeHead(410).end());
  await webhookDeliveries.deliver(id);
  await webhookDeliveries.drained();
  expect((await listed(id)).state).toBe('gone');
  const sent = receiver.at(path).length;
  expect(sent).toBeGreaterThan(0);
  expect(await counts()).toEqual({ failed: sent, pending: MANY - sent });
  await webhookDeliveries.deliver(id);
  await webhookDeliveries.drained();
  expect(receiver.at(path)).toHaveLength(sent);
  // A worker that is killed has ended a portion; the next one ends the rest.
  expect(await endWaiting(db, id, PORTION)).toBe(PORTION);
  expect(await counts()).toEqual({ failed: sent + PORTION, pending: MANY - sent - PORTION });
  await webhookDeliveries.runPortions();
  expect(await counts()).toEqual({ failed: MANY });
  expect(await db.orm.webhookNotice.count({ where: { webhookId: id } })).toBe(1);
  expect(await db.orm.auditEvent.count({ where: { action: 'webhook.disabled', subjectId: id } })).toBe(1);
});

test('what waits for a disabled endpoint ends but for tests and attempts in flight, that of an active one does not', async () => {
  const { db } = app.services;
  const { id, turn, counts } = await endpoint('pending');
  const soon = new Date(Date.now() + 60_000);
  const ofWebhook = { webhookId: id, payload: {} };
  await db.orm.webhookDelivery.createMany({
    data: [
      { ...ofWebhook, type: 'webhook.test' },
      { ...ofWebhook, type: 'form.changed', attempts: 1, claimedUntil: soon, nextAttemptAt: soon },
      { ...ofWebhook, type: 'form.changed', attempts: 1, nextAttemptAt: soon },
    ],
  });
  expect(await endWaiting(db, id, PORTION)).toBe(0);
  await turn(false);
  expect(await counts()).toEqual({ pending: MANY + 3 });
  await Promise.all([endWaiting(db, id, PORTION), endWaiting(db, id, PORTION)]);
  await app.services.webhookDeliveries.runPortions();
  expect(await counts()).toEqual({ failed: MANY + 1, pending: 2 });
});

test('an endpoint is enabled again once all that waited has ended, and is refused until then', async () => {
  const { db } = app.services;
  const { id, turn, counts } = await endpoint('pending');
  await turn(false);
  await db.orm.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM webhook_deliveries WHERE webhook_id = ${id}::uuid LIMIT 1 FOR UPDATE`;
      await expect(turn(true)).rejects.toMatchObject({ status: 409 });
      expect((await listed(id)).state).toBe('paused');
      expect(await counts()).toEqual({ failed: MANY - 1, pending: 1 });
    },
    { timeout: 60_000 },
  );
  await turn(true);
  expect((await listed(id)).state).toBe('active');
  expect(await counts()).toEqual({ failed: MANY });
});

test('all since a time are sent again once each, also when another worker continues, however often it is begun', async () => {
  const { db, webhookDeliveries } = app.services;
  const { id, counts } = await endpoint('delivered');
  const old = { webhookId: id, type: 'form.changed', payload: {}, state: 'failed' as const };
  await db.orm.webhookDelivery.create({ data: { ...old, createdAt: new Date(Date.now() - 2 * 3_600_000) } });
  expect(await redeliver(id)).toBe(MANY);
  await expect(redeliver(id)).rejects.toMatchObject({ status: 409 });
  // What happens after the request is not redelivered.
  await db.orm.webhookDelivery.create({ data: old });
  expect(await counts()).toEqual({ delivered: MANY, failed: 2 });
  expect(await continueRedelivery(db, id, PORTION)).toBe(PORTION);
  expect(await counts()).toEqual({ delivered: MANY - PORTION, failed: 2, pending: PORTION });
  // They arrive before the worker that was killed is followed by another.
  await db.orm.webhookDelivery.updateMany({
    where: { webhookId: id, state: 'pending' },
    data: { state: 'delivered' },
  });
  expect(await Promise.all([1, 2].map(() => continueRedelivery(db, id, 2_000)))).toEqual([2_000, 2_000]);
  expect(await counts()).toEqual({ delivered: MANY - 4_000, failed: 2, pending: 4_000 });
  await webhookDeliveries.runPortions();
  expect(await counts()).toEqual({ delivered: PORTION, failed: 2, pending: MANY - PORTION });
  expect(await continueRedelivery(db, id, PORTION)).toBe(0);
  expect(await redeliver(id)).toBe(PORTION + 1);
});

test('a redelivery ends when its endpoint is disabled', async () => {
  const { db, webhookDeliveries } = app.services;
  const { id, turn, counts } = await endpoint('delivered');
  await redeliver(id);
  await continueRedelivery(db, id, PORTION);
  await turn(false);
  await webhookDeliveries.runPortions();
  expect(await counts()).toEqual({ delivered: MANY - PORTION, failed: PORTION });
  await turn(true);
  await webhookDeliveries.runPortions();
  expect(await counts()).toEqual({ delivered: MANY - PORTION, failed: PORTION });
});
