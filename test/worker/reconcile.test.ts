import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { reconcile } from '../../src/notifications/reconcile.js';
import {
  type EmailIds,
  submissionEmailJob,
} from '../../src/notifications/submission-email/submission-email.job.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { eventually } from '../support/wait.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme', { websites: [website('acme.test')] })]);
});

beforeEach(async () => {
  await app.services.db.orm.submission.deleteMany();
});

afterAll(() => app?.close());

test('while only e-mails that are sent again wait, first attempts are enqueued, and come before them', async () => {
  const { db, queues, notifications } = app.services;
  const past = new Date(Date.now() - 60_000);
  const site = await websiteId(app.services, 'acme.test');
  const failed = await recordedLeads(app.services, site, 700, past);
  await db.orm.notification.updateMany({ data: { state: 'failed', attempts: 1, nextAttemptAt: past } });
  await notifications.sendAgain(failed, TEST_ACTOR);
  const jobs = await eventually(async () => {
    const { waiting = 0 } = await queues.depth(submissionEmailJob);
    return waiting > 20 && waiting;
  });
  // Due before the new one, whose hand-over was lost.
  await db.orm.notification.updateMany({ data: { nextAttemptAt: past } });
  const [lead] = await recordedLeads(app.services, site, 1, new Date(Date.now() - 30_000));
  await db.orm.notification.update({
    where: { submissionId: lead! },
    data: { nextAttemptAt: new Date(Date.now() - 30_000) },
  });
  expect(jobs).toBe(22);
  await reconcile(app.services);
  const handled: EmailIds[] = [];
  queues.work(submissionEmailJob, async (payload) => void handled.push(payload), { concurrency: 1 });
  await eventually(async () => (await queues.depth(submissionEmailJob)).waiting === 0);
  await queues.stopWorkers();
  const [first, ...others] = handled;
  expect(first).toEqual({ submissionIds: [lead] });
  expect(others.every(({ isLater }) => isLater)).toBe(true);
});

test('while many jobs wait, retries are enqueued once and first attempts are left to the jobs', async () => {
  const { db, queues } = app.services;
  const past = new Date(Date.now() - 60_000);
  const leads = await recordedLeads(app.services, await websiteId(app.services, 'acme.test'), 3, past);
  await db.orm.notification.updateMany({ data: { nextAttemptAt: past } });
  // A deferral by the mail server is no retry of the message's own.
  await db.orm.notification.update({ where: { submissionId: leads[0]! }, data: { attempts: 1 } });
  await db.orm.notification.update({ where: { submissionId: leads[1]! }, data: { heldBackUntil: past } });
  const waiting = async () => (await queues.depth(submissionEmailJob)).waiting;
  const flood = Array.from({ length: 20 }, () => ({ id: uuid(), payload: { submissionIds: [uuid()] } }));
  await queues.enqueue(submissionEmailJob, flood);

  expect(await reconcile(app.services)).toBe(2);
  expect(await waiting()).toBe(22);
  await reconcile(app.services);
  expect(await waiting()).toBe(22);
});
