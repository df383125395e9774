import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { reconcile } from '../../src/notifications/reconcile.js';
import { submissionEmailJob } from '../../src/notifications/submission-email/submission-email.job.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme', { websites: [website('acme.test')] })]);
});

afterAll(() => app?.close());

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

  expect(await reconcile({ db, queues })).toBe(2);
  expect(await waiting()).toBe(22);
  await reconcile({ db, queues });
  expect(await waiting()).toBe(22);
});
