import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { readHeld } from '../../src/attention/sources/mail.queries.js';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import {
  releaseWithheld,
  reopenNotifications,
} from '../../src/notifications/submission-email/reopening.queries.js';
import { createServices } from '../../src/services.js';
import { startWorker } from '../../src/worker.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

/** The installation as a whole. */
const ALL = { teamIds: null };

const METRICS_TOKEN = 'a-metrics-token-of-its-own';
const smtp: SinkBehaviour = {
  rcpt: (address) => (address === 'slow@acme.test' ? '450 4.2.1 Busy' : null),
  message: (raw) => (raw.includes('desk@hanging.test') ? 'hang' : null),
};
/** A confirmation is slow at once, and may take its ten minutes. */
const mailTimeouts = { connectMs: 10_000, answerMs: 10_000, slowMs: 100, confirmMs: 600_000 };
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: true, smtp, mailTimeouts, env: { METRICS_TOKEN } });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('good.test', { email: 'desk@acme.test' }),
        website('slow.test', { email: 'slow@acme.test' }),
        website('hanging.test', { email: 'desk@hanging.test' }),
      ],
    }),
  ]);
});

afterAll(() => app?.close());

/** The value of a metric without labels; undefined when it is not there. */
async function metric(name: string): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  const text = await (await fetch(`${app.url}/metrics`, { headers })).text();
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** Records a lead of so many seconds ago, without handing its e-mail over to the worker. */
async function record(host: string, secondsAgo: number): Promise<string> {
  const site = await websiteId(app.services, host);
  const createdAt = new Date(Date.now() - secondsAgo * 1_000);
  const [submissionId] = await recordedLeads(app.services, site, 1, createdAt);
  await app.services.db.orm.notification.update({
    where: { submissionId: submissionId! },
    data: { createdAt, retryingSince: createdAt },
  });
  return submissionId!;
}

const state = async (id: string) =>
  app.services.db.orm.notification.findUniqueOrThrow({ where: { submissionId: id } });

test('a mailbox that defers is told apart from a backlog of the workers', async () => {
  const { notifications } = app.services;
  const deferred = await record('slow.test', 600);
  notifications.handOver(deferred);
  await eventually(async () => (await state(deferred)).retries > 0);
  expect(await metric('formgate_notifications_pending')).toBe(1);
  expect(await metric('formgate_notifications_deferred')).toBe(1);
  expect(await metric('formgate_notifications_oldest_pending_seconds')).toBeGreaterThanOrEqual(600);
  expect(await metric('formgate_notifications_oldest_backlog_seconds')).toBe(0);

  const waiting = await record('good.test', 300);
  const age = await metric('formgate_notifications_oldest_backlog_seconds');
  expect(age).toBeGreaterThanOrEqual(300);
  expect(age).toBeLessThan(600);
  notifications.handOver(waiting);
  await eventually(async () => (await state(waiting)).state === 'sent');
  expect(await metric('formgate_notifications_oldest_backlog_seconds')).toBe(0);
});

test('a domain that hangs is told apart from a backlog, with what waits for it untried', async () => {
  const { notifications, db } = app.services;
  const before = (await metric('formgate_notifications_deferred')) ?? 0;
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await record('hanging.test', 1_200));
  for (const id of ids) notifications.handOver(id);
  await eventually(async () => (await metric('formgate_notifications_deferred')) === before + ids.length);

  // Also while a worker claims them anew, which finds the domain's circuit open.
  await eventually(async () => {
    expect(await metric('formgate_notifications_oldest_backlog_seconds')).toBe(0);
    expect(await readHeld(db, ALL, new Date())).toEqual([]);
    return (await Promise.all(ids.map(state))).some(({ attempts }) => attempts > 1);
  });
  const countUntried = async () =>
    (await Promise.all(ids.map(state))).filter(({ retries, unconfirmed }) => !retries && !unconfirmed).length;
  expect(await countUntried()).toBeGreaterThan(0);

  // When every worker has ended, none holds them back. A job in flight may do so once more, or end as an attempt.
  await eventually(async () => {
    await db.orm.notification.updateMany({
      where: { submissionId: { in: ids } },
      data: { heldBackUntil: new Date(Date.now() - 61_000), nextAttemptAt: new Date(Date.now() + 600_000) },
    });
    return (await readHeld(db, ALL, new Date()))[0]?.count === (await countUntried());
  });
  expect(await metric('formgate_notifications_oldest_backlog_seconds')).toBeGreaterThan(600);
  await db.orm.notification.deleteMany({ where: { submissionId: { in: ids } } });
});

test('an e-mail of an old lead that is sent again is no backlog of days', async () => {
  const id = await record('good.test', 3 * 86_400);
  const { orm } = app.services.db;
  await orm.notification.update({ where: { submissionId: id }, data: { state: 'failed' } });
  await orm.$transaction((tx) => reopenNotifications(tx, [id]));
  expect(await metric('formgate_notifications_oldest_backlog_seconds')).toBeLessThan(600);
  expect(await readHeld(app.services.db, ALL, new Date())).toEqual([]);
  await orm.notification.delete({ where: { submissionId: id } });
});

test('the time from a submission to its e-mail counts from when it was recorded', async () => {
  const count = (await metric('formgate_mail_delay_seconds_count')) ?? 0;
  const seconds = (await metric('formgate_mail_delay_seconds_sum')) ?? 0;
  const id = await record('good.test', 120);
  app.services.notifications.handOver(id);
  await eventually(async () => (await state(id)).state === 'sent');
  expect(await metric('formgate_mail_delay_seconds_count')).toBe(count + 1);
  expect((await metric('formgate_mail_delay_seconds_sum'))! - seconds).toBeGreaterThanOrEqual(120);
});

test('the time to the e-mail of an old lead that is released counts from then', async () => {
  const seconds = (await metric('formgate_mail_delay_seconds_sum')) ?? 0;
  const id = await record('good.test', 3 * 86_400);
  const { orm } = app.services.db;
  await orm.notification.update({ where: { submissionId: id }, data: { state: 'withheld' } });
  await orm.$transaction((tx) => releaseWithheld(tx, [id]));
  app.services.notifications.handOver(id);
  await eventually(async () => (await state(id)).state === 'sent');
  expect((await metric('formgate_mail_delay_seconds_sum'))! - seconds).toBeLessThan(60);
});

test('the jobs of every queue that a worker serves are counted', async () => {
  const services = createServices(app.services.config, createLogger('silent'));
  const work = jest.spyOn(services.queues, 'work');
  const worker = await startWorker(services);
  try {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const text = await (await fetch(`${app.url}/metrics`, { headers })).text();
    const counted = [...text.matchAll(/^formgate_queue_jobs\{queue="([\w-]+)",state="waiting"\} \d+$/gm)];
    const served = work.mock.calls.map(([job]) => job.name);
    expect(served).toContain('account-email');
    expect(counted.map(([, name]) => name).sort()).toEqual([...served, 'regular'].sort());
  } finally {
    await worker.close();
    await services.close();
  }
});

test('what cannot be measured in an outage is left out, and comes back', async () => {
  const { orm } = app.services.db;
  await orm.$executeRaw`ALTER TABLE requested_emails RENAME TO put_aside`;
  for (const name of ['pending', 'deferred', 'oldest_pending_seconds', 'oldest_backlog_seconds']) {
    expect(await metric(`formgate_notifications_${name}`)).toBeUndefined();
  }
  await orm.$executeRaw`ALTER TABLE put_aside RENAME TO requested_emails`;
  await eventually(async () => (await metric('formgate_notifications_pending')) === 1);
});
