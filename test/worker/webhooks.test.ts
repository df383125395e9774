import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { WebhookDelivery } from '../../src/generated/prisma/client.js';
import { completeJsonRecord } from '../../src/submissions/export/export-formats.js';
import type { WebhookEvent } from '../../src/webhooks/webhook-events.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount } from '../support/panel.js';
import { type Received, type Receiver, startReceiver } from '../support/receiver.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const smtp: SinkBehaviour = {};
let app: TestApp;
let receiver: Receiver;
let teamId: number;
let site: string;
let paths = 0;

beforeAll(async () => {
  receiver = await startReceiver();
  app = await startTestApp({ worker: true, smtp, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [team('acme')]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app.services, 'www.acme.test');
});
afterEach(async () => {
  await app.services.db.orm.webhook.deleteMany();
});
afterAll(async () => {
  await app.close();
  await receiver.close();
});

type Settings = Partial<
  Readonly<{ teamId: number; events: WebhookEvent[]; websiteIds: string[]; url: string }>
>;

/** Creates an endpoint at a path of its own. */
async function endpoint({ events = ['submission.created'], websiteIds = [], url, ...of }: Settings = {}) {
  const path = `/${++paths}`;
  const settings = {
    url: url ?? receiver.url + path,
    events,
    websiteIds,
    formIds: [],
    description: '',
    enabled: true,
  };
  const { id, secret } = await app.services.webhooks.create(of.teamId ?? teamId, settings, TEST_ACTOR);
  return { id, secret, path, settings };
}

const listed = async (id: string) => (await app.services.webhooks.find(id))!;

const deliveriesOf = (webhookId: string): Promise<WebhookDelivery[]> =>
  app.services.db.orm.webhookDelivery.findMany({ where: { webhookId }, orderBy: { createdAt: 'asc' } });

/** Waits until the only delivery of an endpoint has a state. */
const inState = (webhookId: string, state: WebhookDelivery['state']) =>
  eventually(async () => (await deliveriesOf(webhookId)).find((delivery) => delivery.state === state));

const attemptsOf = (deliveryId: string) =>
  app.services.db.orm.webhookAttempt.findMany({ where: { deliveryId }, orderBy: { number: 'asc' } });

const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
  };

/** Makes every delivery of an endpoint that waits for its retry due now. */
const hurry = (webhookId: string) =>
  app.services.db.orm.webhookDelivery.updateMany({
    where: { webhookId, state: 'pending', claimedUntil: null },
    data: { nextAttemptAt: new Date() },
  });

describe('an event', () => {
  test('of a submission is delivered, signed, with labels and without a secret', async () => {
    const { id, secret, path } = await endpoint();
    const [leadId] = await recordedLeads(app.services, site, 1);
    const { id: messageId } = await inState(id, 'delivered');
    const [received] = receiver.at(path);
    expect(received!.headers['webhook-id']).toBe(messageId);
    const { type, data } = verified(secret, received!);
    expect(type).toBe('submission.created');
    expect(data).toMatchObject({
      lead_id: leadId,
      state: 'new',
      locale: 'fr',
      website: { id: site, host: 'www.acme.test' },
      form: { slug: 'contact', version: 1 },
      fields: { email: { label: 'E-mail', value: 'v@x.test' } },
    });
    expect(received!.body).not.toContain('whsec_');
  });

  test('of a change of state has the state before, and a deletion outlives its submission', async () => {
    const { secret, path } = await endpoint({ events: ['submission.state_changed', 'submission.deleted'] });
    const ids = await recordedLeads(app.services, site, 1);
    await app.services.handling.setState(ids, 'done', TEST_ACTOR);
    await eventually(() => receiver.at(path).length === 1);
    await app.services.handling.delete(ids, TEST_ACTOR);
    await eventually(() => receiver.at(path).length === 2);
    const [changed, deleted] = receiver.at(path).map((one) => verified(secret, one));
    expect(changed).toMatchObject({
      type: 'submission.state_changed',
      data: { lead_id: ids[0], state: 'done', previous_state: 'new' },
    });
    expect(deleted).toMatchObject({
      type: 'submission.deleted',
      data: { lead_id: ids[0], website: { id: site } },
    });
  });

  test('of an e-mail that has failed for good is delivered with the reason', async () => {
    const { secret, path } = await endpoint({ events: ['notification.failed'] });
    smtp.rcpt = () => '550 5.1.1 No such user';
    try {
      const [leadId] = await recordedLeads(app.services, site, 1);
      await eventually(() => receiver.at(path).length === 1);
      const [failed] = receiver.at(path).map((one) => verified(secret, one));
      expect(failed).toMatchObject({
        type: 'notification.failed',
        data: { lead_id: leadId, notification: { outcome: 'failed', smtp_code: 550 } },
      });
    } finally {
      delete smtp.rcpt;
    }
  });

  test('of an e-mail whose last recipient is removed is delivered with the words of its last attempt', async () => {
    const { secret, path } = await endpoint({ events: ['notification.failed'] });
    const recipients = ['gone@acme.test', 'busy@acme.test'];
    const { orm } = app.services.db;
    const { placement, notification } = orm;
    const setRecipients = (to: string[]) =>
      placement.updateMany({ where: { websiteId: site }, data: { recipients: to } });
    await setRecipients(recipients);
    smtp.rcpt = (address) => (address === 'gone@acme.test' ? '550 5.1.1 No such user' : '450 4.2.1 Busy');
    try {
      const [leadId = ''] = await recordedLeads(app.services, site, 1);
      await eventually(() => notification.findFirst({ where: { submissionId: leadId, retries: 1 } }));
      await setRecipients(['gone@acme.test']);
      await notification.update({ where: { submissionId: leadId }, data: { nextAttemptAt: new Date() } });
      const [failed] = await eventually(() => receiver.at(path).length === 1 && receiver.at(path));
      expect(verified(secret, failed!)).toMatchObject({
        type: 'notification.failed',
        data: { lead_id: leadId, notification: { outcome: 'failed', recipients } },
      });
    } finally {
      delete smtp.rcpt;
      await setRecipients([]);
    }
  });

  test('of a failed e-mail has the state at the failure when it is delivered later', async () => {
    const { id, secret, path } = await endpoint({ events: ['notification.failed'] });
    receiver.behave(path, (response) => response.writeHead(503).end());
    smtp.rcpt = () => '550 5.1.1 No such user';
    try {
      const ids = await recordedLeads(app.services, site, 1);
      await eventually(async () => (await deliveriesOf(id)).find(({ retries }) => retries === 1));
      await app.services.handling.setState(ids, 'done', TEST_ACTOR);
      receiver.behave(path, (response) => response.writeHead(200).end());
      await hurry(id);
      await inState(id, 'delivered');
      const [first, second] = receiver.at(path);
      expect(verified(secret, first!)).toMatchObject({ data: { state: 'new' } });
      expect(second!.body).toBe(first!.body);
    } finally {
      delete smtp.rcpt;
    }
  });

  test('of a form is delivered with what has changed', async () => {
    const { secret, path } = await endpoint({ events: ['form.changed'] });
    const form = await app.services.db.orm.form.findFirstOrThrow({ where: { teamId } });
    await app.services.managedForms.duplicate(form.id, { slug: 'copy', name: null }, TEST_ACTOR);
    await eventually(() => receiver.at(path).length === 1);
    const [changed] = receiver.at(path).map((one) => verified(secret, one));
    expect(changed).toMatchObject({
      type: 'form.changed',
      data: { form: { slug: 'copy', change: 'created' } },
    });
  });

  test('of another website, or of a disabled endpoint, writes no delivery', async () => {
    const { id: narrow } = await endpoint({ websiteIds: [site] });
    const paused = await endpoint();
    await app.services.webhooks.update(
      await listed(paused.id),
      { ...paused.settings, enabled: false },
      TEST_ACTOR,
    );
    await recordedLeads(app.services, site, 1);
    await inState(narrow, 'delivered');
    expect(await deliveriesOf(paused.id)).toEqual([]);
  });

  test('goes with its submission when that is erased before it is delivered', async () => {
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(500).end());
    const ids = await recordedLeads(app.services, site, 1);
    await eventually(() => receiver.at(path).length === 1);
    await app.services.handling.delete(ids, TEST_ACTOR);
    expect(await deliveriesOf(id)).toEqual([]);
  });
});

describe('a receiver', () => {
  test('that fails gets the same message again, with the same id, and each attempt is kept', async () => {
    const { id, secret, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(503).end('Not now \0'));
    await recordedLeads(app.services, site, 1);
    const waiting = await eventually(async () =>
      (await deliveriesOf(id)).find(({ retries }) => retries === 1),
    );
    const pauseS = (waiting.nextAttemptAt.getTime() - Date.now()) / 1000;
    expect(pauseS).toBeGreaterThan(3);
    expect(pauseS).toBeLessThan(7);
    receiver.behave(path, (response) => response.writeHead(200).end('Thanks'));
    await hurry(id);
    const { id: deliveryId } = await inState(id, 'delivered');
    const [first, second] = receiver.at(path);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(verified(secret, second!)).toEqual(verified(secret, first!));
    expect(await attemptsOf(deliveryId)).toMatchObject([
      { number: 1, status: 503, answer: 'Not now \uFFFD' },
      { number: 2, status: 200, answer: 'Thanks' },
    ]);
  });

  test('that names a time in Retry-After gets no message before it', async () => {
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(429, { 'Retry-After': '600' }).end());
    await recordedLeads(app.services, site, 1);
    const { nextAttemptAt } = await eventually(async () =>
      (await deliveriesOf(id)).find(({ retries }) => retries === 1),
    );
    expect(nextAttemptAt.getTime() - Date.now()).toBeGreaterThan(590_000);
  });

  test('that redirects has failed, and the address it names gets nothing', async () => {
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(307, { Location: `${path}/elsewhere` }).end());
    await recordedLeads(app.services, site, 1);
    await eventually(async () => (await deliveriesOf(id)).find(({ retries }) => retries === 1));
    expect(receiver.at(`${path}/elsewhere`)).toEqual([]);
  });

  test('that answers 10 MB has received the message, and 1,024 bytes are kept', async () => {
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(200).end(Buffer.alloc(10_000_000, 'x')));
    await recordedLeads(app.services, site, 1);
    const { id: deliveryId } = await inState(id, 'delivered');
    const [attempt] = await attemptsOf(deliveryId);
    expect(attempt!.answer).toHaveLength(1_024);
  });

  test('that answers 410 disables the endpoint at once, and the owners who are not disabled are told', async () => {
    const { orm } = app.services.db;
    const disabled = await createAccount(app.services, { email: 'left@acme.test' });
    await orm.membership.create({ data: { teamId, userId: disabled, role: 'owner' } });
    await orm.user.update({ where: { id: disabled }, data: { disabledAt: new Date() } });
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(410).end());
    await recordedLeads(app.services, site, 1);
    await inState(id, 'failed');
    await eventually(async () => (await listed(id)).state === 'gone');
    const told = await eventually(() =>
      app.sink.messages.find(({ mail }) => mail.messageId?.startsWith('<webhook-notice-')),
    );
    expect(told.recipients).toEqual(['owner@acme.test']);
  });

  test('that has failed for five days has its endpoint disabled, and what waits ends as failed', async () => {
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(500).end());
    await app.services.db.orm.webhook.update({
      where: { id },
      data: {
        failingSince: new Date(Date.now() - 5 * 86_400_000 - 60_000),
        lastFailedAt: new Date(Date.now() - 86_400_000),
      },
    });
    await recordedLeads(app.services, site, 3);
    await eventually(async () => (await listed(id)).state === 'failing');
    await hurry(id);
    await eventually(async () => (await deliveriesOf(id)).every(({ state }) => state === 'failed'));
  });

  test('that hangs has five attempts at most, and holds up no other', async () => {
    const hanging = await endpoint();
    const other = await endpoint();
    receiver.behave(hanging.path, () => undefined);
    await recordedLeads(app.services, site, 12);
    await eventually(
      async () => (await deliveriesOf(other.id)).filter(({ state }) => state === 'delivered').length === 12,
    );
    expect(receiver.most.get(hanging.path)).toBe(5);
    expect(receiver.open.get(hanging.path)).toBe(5);
  });
});

describe('a secret', () => {
  test('that cannot be decrypted sends nothing, which shows as a failed attempt with a retry', async () => {
    const { id, path } = await endpoint();
    await app.services.db.orm.webhook.update({
      where: { id },
      data: { secretCipher: Buffer.from('broken') },
    });
    await recordedLeads(app.services, site, 1);
    const delivery = await eventually(async () =>
      (await deliveriesOf(id)).find(({ retries, claimedUntil }) => retries > 0 && claimedUntil === null),
    );
    expect(delivery.state).toBe('pending');
    expect(delivery.nextAttemptAt.getTime()).toBeGreaterThan(Date.now());
    expect(await attemptsOf(delivery.id)).toMatchObject([{ number: 1, status: null, fault: 'not_sent' }]);
    expect(receiver.at(path)).toEqual([]);
  });

  test('that was rotated signs beside the new one for a day, and then no more', async () => {
    const { id, secret, path } = await endpoint();
    const renewed = await app.services.webhooks.rotateSecret(await listed(id), TEST_ACTOR);
    await recordedLeads(app.services, site, 1);
    await inState(id, 'delivered');
    const [both] = receiver.at(path);
    expect(both!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    expect(verified(secret, both!)).toEqual(verified(renewed, both!));
    await app.services.db.orm.webhook.update({ where: { id }, data: { previousUntil: new Date() } });
    await recordedLeads(app.services, site, 1);
    const alone = await eventually(() => receiver.at(path)[1]);
    expect(verified(renewed, alone)).toMatchObject({ type: 'submission.created' });
    expect(() => verified(secret, alone)).toThrow('No matching signature found');
  });

  test('that was rotated twice signs until a day after its own rotation', async () => {
    const { id, secret, path } = await endpoint();
    const second = await app.services.webhooks.rotateSecret(await listed(id), TEST_ACTOR);
    const third = await app.services.webhooks.rotateSecret(await listed(id), TEST_ACTOR);
    await recordedLeads(app.services, site, 1);
    const all = await eventually(() => receiver.at(path)[0]);
    expect(all.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+ v1,\S+$/);
    for (const one of [secret, second, third]) expect(verified(one, all).type).toBe('submission.created');
    await app.services.db.orm.webhookFormerSecret.updateMany({ data: { signsUntil: new Date() } });
    await recordedLeads(app.services, site, 1);
    const two = await eventually(() => receiver.at(path)[1]);
    for (const one of [second, third]) expect(verified(one, two).type).toBe('submission.created');
    expect(() => verified(secret, two)).toThrow('No matching signature found');
    await app.services.webhookDeliveries.purge();
    expect(await app.services.db.orm.webhookFormerSecret.count()).toBe(0);
  });

  test('is not rotated while five former ones sign, so that concurrent rotations end none early', async () => {
    const { id, secret, path } = await endpoint();
    const webhook = await listed(id);
    const rotations = await Promise.allSettled(
      Array.from({ length: 7 }, () => app.services.webhooks.rotateSecret(webhook, TEST_ACTOR)),
    );
    const drawn = rotations.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refused = rotations.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(drawn).toHaveLength(5);
    const conflict = expect.stringMatching(/^5 former secrets still sign, the first until 20/);
    expect(refused).toMatchObject(Array(2).fill({ status: 409, message: conflict }));
    expect(app.services.webhooks.formerSecretsUntil(await listed(id))).toHaveLength(5);
    await recordedLeads(app.services, site, 1);
    const message = await eventually(() => receiver.at(path)[0]);
    for (const one of [secret, ...drawn]) expect(verified(one, message).type).toBe('submission.created');
  });
});

describe('an endpoint whose website is gone', () => {
  /** An endpoint for a website that is then deleted. */
  async function bereft(slug: string) {
    const { services } = app;
    await provision(services, [team(slug, { websites: [website(`www.${slug}.test`)] })]);
    const { id: teamId } = await services.db.orm.team.findUniqueOrThrow({ where: { slug } });
    const gone = await websiteId(services, `www.${slug}.test`);
    const made = await endpoint({ teamId, websiteIds: [gone] });
    expect(await services.managedWebsites.remove(gone, TEST_ACTOR)).toBe('deleted');
    return { ...made, teamId, gone };
  }
  const settled = { events: ['submission.created' as const], formIds: [], description: '', enabled: true };

  test('is told of no lead', async () => {
    const { id, gone } = await bereft('lost');
    await app.services.db.orm.webhook.update({ where: { id }, data: { teamId } });
    const { id: other } = await endpoint();
    await recordedLeads(app.services, site, 1);
    await inState(other, 'delivered');
    expect(await deliveriesOf(id)).toEqual([]);
    const [narrowed] = await app.services.webhooks.narrowedTo([await listed(id)]);
    expect(narrowed!.websites).toEqual([{ id: gone, name: null }]);
  });

  test('is edited with that narrowing or without it, and narrowed to no website of another team', async () => {
    const { id, gone, settings } = await bereft('bereft');
    const { webhooks } = app.services;
    const save = async (websiteIds: string[]) => {
      await webhooks.update(
        await listed(id),
        { ...settled, url: `${settings.url}/new`, websiteIds },
        TEST_ACTOR,
      );
      return (await listed(id)).websiteIds;
    };
    expect(await save([gone])).toEqual([gone]);
    await expect(save([gone, site])).rejects.toMatchObject({ status: 422 });
    expect(await save([])).toEqual([]);
    await expect(save([gone])).rejects.toMatchObject({ status: 422 });
  });
});

describe('a delivery that has ended', () => {
  test('is sent again on request, one or all since a time, with its id', async () => {
    const { id, path } = await endpoint();
    await recordedLeads(app.services, site, 2);
    await eventually(async () => (await deliveriesOf(id)).every(({ state }) => state === 'delivered'));
    const [one] = await deliveriesOf(id);
    const webhook = await listed(id);
    const again = (which: { deliveryIds?: string[]; since?: Date }) =>
      app.services.webhooks.redeliver(webhook, { deliveryIds: null, since: null, ...which }, TEST_ACTOR);
    expect(await again({ deliveryIds: [one!.id] })).toBe(1);
    await eventually(() => receiver.at(path).length === 3);
    expect(receiver.at(path)[2]!.headers['webhook-id']).toBe(one!.id);
    await inState(id, 'delivered');
    await eventually(async () => (await deliveriesOf(id)).every(({ state }) => state === 'delivered'));
    expect(await again({ since: new Date(Date.now() - 60_000) })).toBe(2);
    await eventually(() => receiver.at(path).length === 5);
  });

  test('of a test was sent once, also to a disabled endpoint', async () => {
    const { id, path, settings, secret } = await endpoint();
    await app.services.webhooks.update(await listed(id), { ...settings, enabled: false }, TEST_ACTOR);
    receiver.behave(path, (response) => response.writeHead(500).end());
    await app.services.webhooks.sendTest(await listed(id), TEST_ACTOR);
    await inState(id, 'failed');
    expect(verified(secret, receiver.at(path)[0]!).type).toBe('webhook.test');
    expect((await listed(id)).failingSince).toBeNull();
  });

  test('of a test ends the failures of its endpoint when it succeeds', async () => {
    const { id } = await endpoint();
    const failingSince = new Date(Date.now() - 7_200_000);
    await app.services.db.orm.webhook.update({ where: { id }, data: { failingSince } });
    await app.services.webhooks.sendTest(await listed(id), TEST_ACTOR);
    await inState(id, 'delivered');
    expect((await listed(id)).failingSince).toBeNull();
  });

  test('of a test that is answered 410 disables its endpoint from then', async () => {
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(410).end());
    const before = Date.now();
    await app.services.webhooks.sendTest(await listed(id), TEST_ACTOR);
    const { failingSince } = await eventually(async () => {
      const found = await listed(id);
      return found.state === 'gone' && found;
    });
    expect(failingSince!.getTime()).toBeGreaterThanOrEqual(before);
  });
});

describe('a delivery that waits', () => {
  const again = async (id: string, which: { deliveryIds?: string[]; since?: Date }) =>
    app.services.webhooks.redeliver(
      await listed(id),
      { deliveryIds: null, since: null, ...which },
      TEST_ACTOR,
    );
  const since = new Date(Date.now() - 60_000);

  test('for its retry is tried at once on request, one or all since a time, and has all its retries again', async () => {
    const { id, path } = await endpoint();
    receiver.behave(path, (response) => response.writeHead(503, { 'retry-after': '7200' }).end());
    await recordedLeads(app.services, site, 2);
    const tried = (attempts: number) =>
      eventually(async () => {
        const all = await deliveriesOf(id);
        return all.length === 2 && all.every((one) => one.attempts === attempts && !one.claimedUntil) && all;
      });
    const [first, second] = await tried(1);
    expect(await again(id, { deliveryIds: [first!.id] })).toBe(1);
    await eventually(() => receiver.at(path).length === 3);
    expect(receiver.at(path)[2]!.headers['webhook-id']).toBe(first!.id);
    expect(await again(id, { deliveryIds: [second!.id] })).toBe(1);
    const waiting = await tried(2);
    expect(waiting.map(({ state, retries }) => ({ state, retries }))).toEqual([
      { state: 'pending', retries: 1 },
      { state: 'pending', retries: 1 },
    ]);
    receiver.behave(path, (response) => response.writeHead(204).end());
    expect(await again(id, { since })).toBe(2);
    await eventually(async () => (await deliveriesOf(id)).every(({ state }) => state === 'delivered'));
    expect(receiver.at(path)).toHaveLength(6);
  });

  test('for a verdict, or whose attempt is under way, is left as it is', async () => {
    const { id } = await endpoint();
    const soon = new Date(Date.now() + 60_000);
    const waiting = { webhookId: id, type: 'form.changed', payload: {}, nextAttemptAt: soon };
    await app.services.db.orm.webhookDelivery.createMany({
      data: [waiting, { ...waiting, attempts: 2, claimedUntil: soon }],
    });
    const before = await deliveriesOf(id);
    expect(await again(id, { since })).toBe(0);
    expect(await again(id, { deliveryIds: before.map((one) => one.id) })).toBe(0);
    expect(await deliveriesOf(id)).toEqual(before);
  });
});

test('a person’s export has the webhooks told with their results, and the erasure takes them along', async () => {
  const { id } = await endpoint();
  const [leadId] = await recordedLeads(app.services, site, 1);
  await inState(id, 'delivered');
  const { persons, submissionLog, erasures, db } = app.services;
  const told: unknown[] = [];
  for await (const batch of persons.submissionsOf(teamId, 'v@x.test')) {
    told.push(...batch.filter((one) => one.id === leadId).map(completeJsonRecord));
  }
  const host = new URL(receiver.url).host;
  expect(told).toMatchObject([
    { webhooks: [{ host, type: 'submission.created', state: 'delivered', attempts: [{ status: 204 }] }] },
  ]);
  const [shown] = await submissionLog.toldWebhooks([leadId!]);
  expect(shown).toMatchObject([{ host, state: 'delivered', status: 204 }]);
  await erasures.erase(teamId, 'v@x.test', TEST_ACTOR);
  expect(await db.orm.webhookDelivery.count({ where: { submissionId: { not: null } } })).toBe(0);
  expect(await db.orm.webhookAttempt.count({ where: { delivery: { webhookId: id } } })).toBe(0);
});

test('what a worker had claimed when it was killed is delivered when its lease has expired', async () => {
  const { id, path } = await endpoint();
  const claimedUntil = new Date(Date.now() + 1_000);
  await app.services.db.orm.webhookDelivery.create({
    data: {
      webhookId: id,
      type: 'form.changed',
      payload: {},
      attempts: 1,
      claimedUntil,
      nextAttemptAt: claimedUntil,
    },
  });
  await inState(id, 'delivered');
  expect(receiver.at(path)[0]!.at).toBeGreaterThanOrEqual(claimedUntil.getTime());
});
