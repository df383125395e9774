import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { purgeSpam } from '../../src/spam/purge.js';
import type { WebhookEvent } from '../../src/webhooks/webhook-events.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { endpointSettings, provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

const SPAM =
  'We noticed your website is not on the first page of Google. We offer backlinks and guest posts, see https://rank.example/offer';

const EVENTS: WebhookEvent[] = ['submission.created', 'submission.deleted'];

let app: TestApp;
let receiver: Receiver;
let teamId: number;
let paths = 0;

const db = () => app.services.db.orm;

// No worker runs, so that a test decides whether the message or the verdict comes first.
beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [team('acme')]);
  teamId = (await db().team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});

beforeEach(async () => {
  await db().submission.deleteMany();
});

afterEach(async () => {
  await db().webhook.deleteMany();
});

afterAll(async () => {
  await app?.close();
  await receiver?.close();
});

type Endpoint = Readonly<{ id: string; path: string }>;

const settingsOf = (path: string, { events = EVENTS, enabled = true } = {}) => ({
  ...endpointSettings(receiver.url + path, events),
  enabled,
});

async function endpoint(events = EVENTS): Promise<Endpoint> {
  const path = `/${++paths}`;
  const { id } = await app.services.webhooks.create(teamId, settingsOf(path, { events }), TEST_ACTOR);
  return { path, id };
}

/** Records a submission that looks like spam, before anything judges it. */
async function spam(): Promise<string> {
  const [id] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
  await db().submission.update({
    where: { id: id! },
    data: { values: { email: 'v@x.test', message: SPAM } },
  });
  return id!;
}

/** Sends what an endpoint is to be told, as when the minute in which the verdict could have come is over. */
async function deliver({ id }: Endpoint): Promise<void> {
  await db().webhookDelivery.updateMany({
    where: { webhookId: id, state: 'pending' },
    data: { nextAttemptAt: new Date(Date.now() - 1_000) },
  });
  await app.services.webhookDeliveries.deliver(id);
  await app.services.webhookDeliveries.drained();
}

async function judge(id: string): Promise<void> {
  expect(await app.services.judging.withholdIfSpam(id)).toBe(true);
}

const release = (id: string) => app.services.handling.setState([id], 'new', TEST_ACTOR);

const remove = (id: string) => app.services.handling.delete([id], TEST_ACTOR);

/** Makes everything so old that deliveries, and spam, are no longer kept, and purges the deliveries. */
async function passMonths(): Promise<void> {
  const longAgo = new Date(Date.now() - 90 * 86_400_000);
  await db().webhookDelivery.updateMany({ data: { createdAt: longAgo } });
  await db().submission.updateMany({ data: { createdAt: longAgo, stateChangedAt: longAgo } });
  await app.services.webhookDeliveries.purge();
}

const toldAt = ({ path }: Endpoint): string[] =>
  receiver.at(path).map(({ body }) => JSON.parse(body).type as string);

describe('a lead that is withheld late and then taken out of the spam', () => {
  test('is announced to the endpoint whose queue was backed up, and to no other again', async () => {
    const [quick, backedUp] = [await endpoint(), await endpoint()];
    const id = await spam();
    await deliver(quick);
    await judge(id);
    await deliver(backedUp);
    expect([toldAt(quick), toldAt(backedUp)]).toEqual([['submission.created'], []]);
    await release(id);
    for (const one of [quick, backedUp]) await deliver(one);
    expect([toldAt(quick), toldAt(backedUp)]).toEqual([['submission.created'], ['submission.created']]);
  });

  test('is not announced again when it was released months later', async () => {
    const told = await endpoint();
    const id = await spam();
    await deliver(told);
    await judge(id);
    await passMonths();
    await release(id);
    await deliver(told);
    expect(toldAt(told)).toEqual(['submission.created']);
    // Sent, it may still bounce, be sent again and be withheld again.
    await db().notification.update({ where: { submissionId: id }, data: { state: 'sent' } });
    await passMonths();
    expect(await db().webhookDelivery.count()).toBe(1);
    await remove(id);
    expect(await db().webhookDelivery.count({ where: { type: 'submission.created' } })).toBe(0);
  });

  test('is announced to an endpoint that was disabled while the announcement waited', async () => {
    const one = await endpoint();
    const id = await spam();
    const webhook = (await app.services.webhooks.find(one.id))!;
    await app.services.webhooks.update(webhook, settingsOf(one.path, { enabled: false }), TEST_ACTOR);
    await judge(id);
    const disabled = (await app.services.webhooks.find(one.id))!;
    await app.services.webhooks.update(disabled, settingsOf(one.path), TEST_ACTOR);
    await release(id);
    await deliver(one);
    expect(toldAt(one)).toEqual(['submission.created']);
  });

  test('is announced once when several accounts release it at once', async () => {
    const one = await endpoint();
    const id = await spam();
    await judge(id);
    await Promise.all([release(id), release(id), app.services.handling.setState([id], 'done', TEST_ACTOR)]);
    await deliver(one);
    expect(toldAt(one)).toEqual(['submission.created']);
  });
});

test('a lead that an account marks as spam was announced, and is not again after its deliveries are purged', async () => {
  const told = await endpoint();
  const id = await spam();
  await deliver(told);
  await db().notification.update({ where: { submissionId: id }, data: { state: 'sent', attempts: 1 } });
  await app.services.handling.setState([id], 'spam', TEST_ACTOR);
  await passMonths();
  expect(await db().webhookDelivery.count()).toBe(0);
  await release(id);
  await deliver(told);
  expect(toldAt(told)).toEqual(['submission.created']);
});

describe.each([
  ['no verdict', false],
  ['a verdict that came late', true],
])(
  'a lead with %s whose e-mail had ended unsent, and that is marked as spam when it is sent again',
  (_of, isLate) => {
    test.each(['skipped_quota', 'no_recipient', 'failed', 'bounced'] as const)(
      'months after %s is not announced again, and its deletion is told',
      async (state) => {
        const told = await endpoint();
        const ids = [await spam(), await spam()];
        const { handling } = app.services;
        await deliver(told);
        if (isLate) {
          for (const id of ids) await judge(id);
          await handling.setState(ids, 'new', TEST_ACTOR);
        }
        await db().notification.updateMany({ data: { state, attempts: 1 } });
        await passMonths();
        await handling.sendAgain(ids, TEST_ACTOR);
        await handling.setState(ids, 'spam', TEST_ACTOR);
        expect(await db().notification.count({ where: { state: 'withheld' } })).toBe(2);
        await release(ids[0]!);
        await remove(ids[1]!);
        await deliver(told);
        expect(toldAt(told).sort()).toEqual([
          'submission.created',
          'submission.created',
          'submission.deleted',
        ]);
      },
    );
  },
);

describe('a deletion', () => {
  test.each([
    ['the purge of spam', () => purgeSpam(app.services.db)],
    ['an account', (id: string) => remove(id)],
    ['an erasure', () => app.services.erasures.erase(teamId, 'v@x.test', TEST_ACTOR)],
    ['retention', () => app.services.retention.runAgain()],
  ])('by %s of what was withheld before its announcement is told to no endpoint', async (_by, deletion) => {
    const [one, deletionsAlone] = [await endpoint(), await endpoint(['submission.deleted'])];
    const id = await spam();
    await judge(id);
    const longAgo = new Date(Date.now() - 5 * 365 * 86_400_000);
    await db().submission.update({ where: { id }, data: { createdAt: longAgo, stateChangedAt: longAgo } });
    await deletion(id);
    expect(await db().submission.count()).toBe(0);
    for (const each of [one, deletionsAlone]) await deliver(each);
    expect([toldAt(one), toldAt(deletionsAlone)]).toEqual([[], []]);
  });

  test('of what was withheld late is told to the endpoints that it was announced to, also months later', async () => {
    const [quick, backedUp] = [await endpoint(), await endpoint()];
    const id = await spam();
    await deliver(quick);
    await judge(id);
    await passMonths();
    await purgeSpam(app.services.db);
    expect(await db().submission.count({ where: { id } })).toBe(0);
    for (const one of [quick, backedUp]) await deliver(one);
    expect([toldAt(quick), toldAt(backedUp)]).toEqual([['submission.created', 'submission.deleted'], []]);
  });

  test('of a lead, released or marked as spam by an account, is told to the endpoints as before', async () => {
    const one = await endpoint();
    const [released, marked] = [await spam(), await spam()];
    await judge(released);
    await release(released);
    await app.services.handling.setState([marked], 'spam', TEST_ACTOR);
    await deliver(one);
    await remove(released);
    await remove(marked);
    await deliver(one);
    expect(toldAt(one).sort()).toEqual([
      ...['submission.created', 'submission.created', 'submission.deleted', 'submission.deleted'],
    ]);
  });
});
