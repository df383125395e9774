import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import type { Prisma } from '../../src/generated/prisma/client.js';
import { recordVerdicts } from '../../src/spam/judging.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { endpointSettings, provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { isWaitingForLock } from '../support/locks.js';
import { createAccount } from '../support/panel.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const SPAM =
  'We noticed your website is not on the first page of Google. We offer backlinks and guest posts, see https://rank.example/offer';

const smtp: SinkBehaviour = {};

let app: TestApp;
let site: string;
let teamId: number;

const orm = () => app.services.db.orm;

beforeAll(async () => {
  app = await startTestApp({ smtp, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
  await provision(app.services, [team('acme')]);
  site = await websiteId(app.services, 'www.acme.test');
  teamId = (await orm().team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});

beforeEach(async () => {
  await orm().submission.deleteMany();
  await orm().webhook.deleteMany();
});

afterAll(() => app?.close());

async function spam(): Promise<string> {
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await orm().submission.update({ where: { id }, data: { values: { email: 'v@x.test', message: SPAM } } });
  return id;
}

async function statesOf(id: string) {
  const { state } = await orm().submission.findUniqueOrThrow({ where: { id } });
  const notification = await orm().notification.findUniqueOrThrow({ where: { submissionId: id } });
  return { lead: state, email: notification.state };
}

test('a lead that an account says is no spam is not judged afterwards', async () => {
  const id = await spam();
  await app.services.handling.setState([id], 'spam', TEST_ACTOR);
  await app.services.handling.setState([id], 'new', TEST_ACTOR);
  await app.services.notifications.send(id);
  expect(await statesOf(id)).toEqual({ lead: 'new', email: 'sent' });
});

test('the e-mail of a lead that becomes spam while it waits is withheld, until the lead is none after all', async () => {
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await app.services.handling.setState([id], 'spam', TEST_ACTOR);
  await app.services.notifications.send(id);
  expect(await statesOf(id)).toEqual({ lead: 'spam', email: 'withheld' });
  await app.services.handling.setState([id], 'in_progress', TEST_ACTOR);
  await eventually(async () => (await statesOf(id)).email !== 'withheld');
  await app.services.notifications.send(id);
  expect(await statesOf(id)).toEqual({ lead: 'in_progress', email: 'sent' });
});

test('an attempt in flight when its lead becomes spam is not taken back', async () => {
  const [id = ''] = await recordedLeads(app.services, site, 1);
  const nextAttemptAt = new Date(Date.now() + 60_000);
  await orm().notification.update({ where: { submissionId: id }, data: { attempts: 1, nextAttemptAt } });
  await app.services.handling.setState([id], 'spam', TEST_ACTOR);
  expect(await statesOf(id)).toEqual({ lead: 'spam', email: 'pending' });
});

test('the failed e-mail of a lead that is spam is not sent again', async () => {
  const { notifications, handling } = app.services;
  const [id = ''] = await recordedLeads(app.services, site, 1);
  smtp.rcpt = '550 5.1.1 No such mailbox';
  await notifications.send(id);
  delete smtp.rcpt;
  await handling.setState([id], 'spam', TEST_ACTOR);
  expect(await handling.sendAgain([id], TEST_ACTOR)).toEqual([
    { submissionId: id, outcome: 'nothing_to_send', month: null },
  ]);
  expect(await statesOf(id)).toEqual({ lead: 'spam', email: 'failed' });
  await handling.setState([id], 'new', TEST_ACTOR);
  expect(await handling.sendAgain([id], TEST_ACTOR)).toEqual([
    { submissionId: id, outcome: 'handed_over', month: null },
  ]);
  await notifications.send(id);
  expect(await statesOf(id)).toEqual({ lead: 'new', email: 'sent' });
});

test('the e-mail of a lead that becomes spam while it waits for its retry is withheld', async () => {
  const { notifications, handling } = app.services;
  const [id = ''] = await recordedLeads(app.services, site, 1);
  smtp.rcpt = '450 4.2.1 Try again later';
  await notifications.send(id);
  delete smtp.rcpt;
  expect(await statesOf(id)).toEqual({ lead: 'new', email: 'pending' });
  await handling.setState([id], 'spam', TEST_ACTOR);
  expect(await statesOf(id)).toEqual({ lead: 'spam', email: 'withheld' });
  await handling.setState([id], 'new', TEST_ACTOR);
  await notifications.send(id);
  expect(await statesOf(id)).toEqual({ lead: 'new', email: 'sent' });
});

/** Has the mail server fall silent at a command. @returns once one has come. */
const hangAt = (command: 'mail' | 'rcpt') =>
  new Promise<void>((resolve) => {
    smtp[command] = () => {
      resolve();
      return 'hang';
    };
  });

/** Makes the conversations with a domain fall silent, so that its circuit opens and holds back what comes then. */
async function holdBack(): Promise<void> {
  const [first = ''] = await recordedLeads(app.services, site, 1);
  smtp.rcpt = 'reset';
  await app.services.notifications.send(first);
  delete smtp.rcpt;
  await orm().submission.delete({ where: { id: first } });
}

const isDue = async (id: string) => {
  const { nextAttemptAt } = await orm().notification.findUniqueOrThrow({ where: { submissionId: id } });
  return nextAttemptAt.getTime() <= Date.now();
};

test('the e-mail of a lead that becomes spam while its domain is held back is withheld when it is due', async () => {
  const { notifications, handling } = app.services;
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await holdBack();
  await notifications.send(id);
  expect(await isDue(id)).toBe(false);
  await handling.setState([id], 'spam', TEST_ACTOR);
  await eventually(() => isDue(id));
  await notifications.send(id);
  expect(await statesOf(id)).toEqual({ lead: 'spam', email: 'withheld' });
  await handling.setState([id], 'new', TEST_ACTOR);
  await notifications.send(id);
  expect(await statesOf(id)).toEqual({ lead: 'new', email: 'sent' });
});

test('the e-mail of a lead that becomes spam while the mail server is away does not go when it is back', async () => {
  const { notifications, handling } = app.services;
  const [first = '', trial = '', spam = ''] = await recordedLeads(app.services, site, 3);
  smtp.mail = '421 4.3.2 Away';
  await notifications.send(first);
  const isTrying = hangAt('mail');
  const trying = notifications.send(trial);
  await isTrying;
  const waiting = notifications.send(spam);
  await eventually(async () => !(await isDue(spam)));
  await handling.setState([spam], 'spam', TEST_ACTOR);
  await waiting;
  delete smtp.mail;
  await eventually(() => isDue(spam));
  await Promise.all([trying, notifications.send(spam)]);
  expect(await statesOf(spam)).toEqual({ lead: 'spam', email: 'withheld' });
  expect(await orm().notificationAttempt.count({ where: { submissionId: spam } })).toBe(0);
});

test('a lead that leaves the spam while the verdict is committed is announced to webhooks', async () => {
  await app.services.webhooks.create(
    teamId,
    endpointSettings('http://127.0.0.1:9/leads', ['submission.created', 'submission.state_changed']),
    TEST_ACTOR,
  );
  const id = await spam();
  const verdict = { id, eventId: uuid(), score: 150, threshold: 100, filter: 'quarantine' } as const;
  let change: Promise<unknown> | undefined;
  await orm().$transaction(async (tx) => {
    const sql = <Row>(statement: Prisma.Sql) => tx.$queryRaw<Row[]>(statement);
    const recorded = await recordVerdicts({ ...app.services.db, sql }, [
      { ...verdict, isWithheld: true, reasons: [] },
    ]);
    expect(recorded).toEqual([id]);
    change = app.services.handling.setState([id], 'in_progress', TEST_ACTOR);
    await eventually(() => isWaitingForLock(app.services));
  });
  await change;
  expect(await statesOf(id)).toEqual({ lead: 'in_progress', email: 'pending' });
  const deliveries = await orm().webhookDelivery.findMany({ orderBy: { type: 'asc' } });
  expect(deliveries.map(({ type }) => type)).toEqual(['submission.created', 'submission.state_changed']);
});

test('a lead that staff mark and another of its day that is deleted, both of which teach, do not wait for each other', async () => {
  const { handling, dailyCounts } = app.services;
  const userId = await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  const actor = { ...TEST_ACTOR, userId };
  const [marked = '', deleted = ''] = await recordedLeads(app.services, site, 2);
  await handling.setState([deleted], 'done', actor);
  await dailyCounts.run();
  const changes: Promise<unknown>[] = [];
  await orm().$transaction(
    async (tx) => {
      // Both come to this lock by their samples, and to the count of their day.
      await tx.$executeRaw`SELECT pg_advisory_xact_lock('spam_features'::regclass::oid::bigint)`;
      changes.push(handling.setState([marked], 'spam', actor));
      await eventually(() => isWaitingForLock(app.services));
      changes.push(handling.delete([deleted], actor));
      await eventually(() => isWaitingForLock(app.services, '%', 2));
    },
    { timeout: 60_000 },
  );
  await Promise.all(changes);
  expect(await statesOf(marked)).toEqual({ lead: 'spam', email: 'withheld' });
  expect(await orm().spamSample.findMany({ select: { isSpam: true } })).toEqual([{ isSpam: true }]);
});

test('an attempt in flight keeps its claim when its lead becomes spam', async () => {
  const { notifications, handling } = app.services;
  const [id = ''] = await recordedLeads(app.services, site, 1);
  const isTalking = hangAt('rcpt');
  const sending = notifications.send(id);
  await isTalking;
  await handling.setState([id], 'spam', TEST_ACTOR);
  const dueAt = async () =>
    (await orm().notification.findUniqueOrThrow({ where: { submissionId: id } })).nextAttemptAt.getTime();
  const before = await dueAt();
  await eventually(async () => (await dueAt()) > before);
  delete smtp.rcpt;
  await sending;
  expect(await orm().notificationAttempt.count({ where: { submissionId: id } })).toBe(1);
});
