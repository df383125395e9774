import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const METRICS_TOKEN = 'a-metrics-token-of-its-own';
const smtp: SinkBehaviour = { rcpt: (address) => (address === 'slow@acme.test' ? '450 4.2.1 Busy' : null) };
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: true, smtp, env: { METRICS_TOKEN } });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('good.test', { email: 'desk@acme.test' }),
        website('slow.test', { email: 'slow@acme.test' }),
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
    data: { createdAt },
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

test('the time from a submission to its e-mail counts from when it was recorded', async () => {
  const count = (await metric('formgate_mail_delay_seconds_count')) ?? 0;
  const seconds = (await metric('formgate_mail_delay_seconds_sum')) ?? 0;
  const id = await record('good.test', 120);
  app.services.notifications.handOver(id);
  await eventually(async () => (await state(id)).state === 'sent');
  expect(await metric('formgate_mail_delay_seconds_count')).toBe(count + 1);
  expect((await metric('formgate_mail_delay_seconds_sum'))! - seconds).toBeGreaterThanOrEqual(120);
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
