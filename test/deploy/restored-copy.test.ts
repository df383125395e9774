import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { startWorker } from '../../src/worker.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let receiver: Receiver;
let site: string;
let webhookId: string;
let worker: { close(): Promise<void> } | undefined;

beforeEach(async () => {
  worker = undefined;
  receiver = await startReceiver();
  app = await startTestApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [team('acme')]);
  const { id: teamId } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  site = await websiteId(app.services, 'www.acme.test');
  const settings = { events: ['submission.created' as const], websiteIds: [], formIds: [], description: '' };
  ({ id: webhookId } = await app.services.webhooks.create(
    teamId,
    { ...settings, url: `${receiver.url}/hook`, enabled: true },
    TEST_ACTOR,
  ));
});
afterEach(async () => {
  await worker?.close();
  await app.close();
  await receiver.close();
});

/** Runs a file of statements as `psql` does. */
async function run(file: string): Promise<void> {
  const client = new pg.Client({ connectionString: app.database.url });
  await client.connect();
  await client.query(await readFile(`deploy/postgres/${file}`, 'utf8'));
  await client.end();
}

const deliveries = () =>
  app.services.db.orm.webhookDelivery.findMany({
    orderBy: { createdAt: 'asc' },
    include: { attemptLog: true },
  });

const bodies = () => receiver.at('/hook').map(({ body }) => body);

const told = (leadId: string) => eventually(() => bodies().some((body) => body.includes(leadId)));

test('a webhook delivery set aside is failed with the reason, and sent with its id when asked to', async () => {
  const [pending] = await recordedLeads(app.services, site, 1);
  await run('set-mail-aside.sql');
  const [delivery] = await deliveries();
  expect(delivery).toMatchObject({
    submissionId: pending,
    state: 'failed',
    attempts: 1,
    claimedUntil: null,
    attemptLog: [
      { number: 1, status: null, fault: 'set_aside', answer: 'Set aside when a backup was restored' },
    ],
  });

  worker = await startWorker(app.services);
  const [later] = await recordedLeads(app.services, site, 1);
  await told(later!);
  expect(bodies().filter((body) => body.includes(pending!))).toEqual([]);

  await run('send-mail-set-aside.sql');
  await told(pending!);
  const [, repeated] = receiver.at('/hook');
  expect(repeated!.headers['webhook-id']).toBe(delivery!.id);
  await eventually(async () => (await deliveries()).every(({ state }) => state === 'delivered'));
  await run('send-mail-set-aside.sql');
  expect((await deliveries()).map(({ state }) => state)).toEqual(['delivered', 'delivered']);
});

test('an e-mail set aside that has reached some of its recipients reaches the others alone when asked to', async () => {
  const { orm } = app.services.db;
  const [half, none] = await recordedLeads(app.services, site, 2);
  const reached = 'reached@acme.test';
  await orm.placement.updateMany({
    where: { websiteId: site },
    data: { recipients: [reached, 'b@acme.test'] },
  });
  const of = (submissionId: string) => orm.notification.findUniqueOrThrow({ where: { submissionId } });
  const log = { number: 1, outcome: 'deferred', startedAt: new Date(), finishedAt: new Date() } as const;
  await orm.notification.update({
    where: { submissionId: half! },
    data: {
      attempts: 1,
      deliveredTo: [reached],
      sentAt: new Date(),
      attemptLog: { create: { ...log, recipients: [reached, 'b@acme.test'] } },
    },
  });
  await run('set-mail-aside.sql');
  expect(await of(half!)).toMatchObject({ state: 'failed', deliveredTo: [reached] });
  expect(await of(none!)).toMatchObject({ state: 'failed', deliveredTo: [] });

  worker = await startWorker(app.services);
  await app.services.notifications.sendAgain([half!], TEST_ACTOR);
  await run('send-mail-set-aside.sql');
  await eventually(
    async () => (await of(half!)).deliveredTo.length === 2 && (await of(none!)).state === 'sent',
  );
  const toReached = app.sink.messages.filter(({ mail }) => mail.text?.includes(half!) ?? false);
  expect(toReached.flatMap(({ recipients }) => recipients)).toEqual(['b@acme.test']);
});

test('staff digests and monthly reports that are due in a backup are not written when mail is set aside', async () => {
  const { orm } = app.services.db;
  await orm.team.updateMany({ data: { monthlyReportSince: new Date('2026-01-01T00:00:00Z') } });
  const dueAt = new Date(Date.now() - 60_000);
  await orm.dailyTask.createMany({
    data: [
      { name: 'digest', dueAt },
      { name: 'spam-digest', dueAt },
    ],
  });
  await run('set-mail-aside.sql');
  // Of withheld leads the owners are told twice rather than never.
  expect(await orm.dailyTask.findMany()).toEqual([{ name: 'spam-digest', dueAt }]);
  const { monthlyReports } = app.services;
  await monthlyReports.enqueueDue();
  expect(await orm.monthlyReport.findMany()).toMatchObject([{ state: 'failed', attempts: 0 }]);
});

test('notices about tokens that are due in a backup are not sent when mail is set aside', async () => {
  const { orm } = app.services.db;
  const value = await createToken(app.services, 'acme', 'owner@acme.test');
  const later = new Date(Date.now() + 10 * 86_400_000);
  await orm.token.updateMany({ data: { expiresAt: later, createdAt: new Date(0), lastUsedAt: null } });
  await run('set-mail-aside.sql');
  expect(await app.services.tokenNotices.record()).toBe(0);
  const tokenId = Number(value.split('|')[0]);
  const notices = await orm.tokenNotice.findMany();
  expect(notices.map((notice) => [notice.tokenId, notice.reason, notice.state]).sort()).toEqual([
    [tokenId, 'ending', 'failed'],
    [tokenId, 'unused', 'failed'],
  ]);
});

test('a redelivery in flight in a backup ends when mail is set aside', async () => {
  const data = { redeliverSince: new Date(0), redeliverBefore: new Date() };
  await app.services.db.orm.webhook.update({ where: { id: webhookId }, data });
  await run('set-mail-aside.sql');
  const webhook = await app.services.db.orm.webhook.findUniqueOrThrow({ where: { id: webhookId } });
  expect(webhook).toMatchObject({ state: 'active', redeliverSince: null });
});

test('a copy with disabled webhooks tells receivers neither what was pending nor what comes', async () => {
  const [pending] = await recordedLeads(app.services, site, 1);
  await run('disable-webhooks.sql');
  worker = await startWorker(app.services);
  const [later] = await recordedLeads(app.services, site, 1);
  // The worker at work, and past the queue's next look at what is due.
  await app.sink.waitFor(({ mail }) => mail.text?.includes(later!) ?? false, 30_000);
  await app.sink.waitFor(({ mail }) => mail.text?.includes(pending!) ?? false, 30_000);
  expect((await deliveries()).map(({ state }) => state)).toEqual(['failed']);
  expect(bodies()).toEqual([]);
});
