import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { reconcile } from '../../src/notifications/reconcile.js';
import { createServices } from '../../src/services.js';
import { startWorker } from '../../src/worker.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import type { SinkBehaviour, SinkMessage } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

const HOUR_S = 3_600;

/** A confirmation is slow at once, and may take its ten minutes. */
const mailTimeouts = { connectMs: 10_000, answerMs: 10_000, slowMs: 100, confirmMs: 600_000 };

const smtp: SinkBehaviour = {};
let app: TestApp;
let staff: PanelClient;

beforeAll(async () => {
  app = await startTestApp({ smtp, mailTimeouts, env: { WORKER_CONCURRENCY: '2' } });
  const sites = ['slow', 'good', 'lost', 'stop'].map((name) =>
    website(`${name}.test`, { email: `desk@${name}.test` }),
  );
  await provision(app.services, [team('acme', { websites: sites })]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});

beforeEach(() => {
  delete smtp.confirm;
});

afterAll(() => app?.close());

const leads = async (host: string, count: number) =>
  recordedLeads(app.services, await websiteId(app.services, host), count);

const find = (submissionId: string) =>
  app.services.db.orm.notification.findUniqueOrThrow({ where: { submissionId } });

const copies = (id: string) => app.sink.messages.filter(({ raw }) => raw.includes(id));

const isTo = (host: string, { recipients }: SinkMessage) => recipients[0] === `desk@${host}`;

/** Seconds until a notification is due. */
const dueInS = async (id: string) => ((await find(id)).nextAttemptAt.getTime() - Date.now()) / 1000;

/** Makes one attempt when a notification's pause is over, by a process that has just started. */
async function attemptLater(submissionId: string): Promise<void> {
  const data = { nextAttemptAt: new Date(0) };
  await app.services.db.orm.notification.update({ where: { submissionId }, data });
  const services = createServices(app.services.config, createLogger('silent'), { mailTimeouts });
  await services.notifications.send(submissionId);
  await services.close();
}

const timeline = async (id: string) =>
  (
    await staff.ask(
      `query ($id: ID!) { submission(id: $id) { notification { state attempts { number outcome detail } } } }`,
      { id },
    )
  ).submission.notification;

test('a mail server that is slow to confirm gets one copy of each message, without delaying others', async () => {
  let confirm: (value: undefined) => void = () => undefined;
  const confirmed = new Promise<undefined>((resolve) => {
    confirm = resolve;
  });
  smtp.confirm = async (message) => (isTo('slow.test', message) ? confirmed : undefined);
  // A worker that has stopped begins no further e-mail, and other tests send some.
  const services = createServices(app.services.config, createLogger('silent'), { mailTimeouts });
  const slow = await leads('slow.test', 6);
  const worker = await startWorker(services);
  try {
    for (const id of slow) services.notifications.handOver(id);
    await eventually(() => app.sink.messages.filter((each) => isTo('slow.test', each)).length >= 2);
    const good = await leads('good.test', 8);
    for (const id of good) services.notifications.handOver(id);
    await eventually(async () => (await Promise.all(good.map(find))).every(({ state }) => state === 'sent'));

    const waiting = slow.filter((id) => copies(id).length > 0);
    for (const id of waiting) {
      await eventually(async () => (await dueInS(id)) > HOUR_S - 60);
      expect(await find(id)).toMatchObject({ state: 'pending', attempts: 1 });
    }
    await reconcile(services);
    confirm(undefined);
    // Those that waited for the domain meanwhile are due within seconds.
    await eventually(async () => (await Promise.all(slow.map(find))).every(({ state }) => state === 'sent'));
    for (const id of [...slow, ...good]) expect(copies(id)).toHaveLength(1);
  } finally {
    await worker.close();
  }
});

test('a message that is never confirmed is sent three times over a day, and fails', async () => {
  smtp.confirm = async () => 'reset';
  const [id = ''] = await leads('lost.test', 1);
  await attemptLater(id);
  expect(await find(id)).toMatchObject({ state: 'pending', attempts: 1, retries: 0, unconfirmed: 1 });
  expect(await dueInS(id)).toBeGreaterThan(HOUR_S - 60);
  expect(await dueInS(id)).toBeLessThan(HOUR_S + 60);

  await attemptLater(id);
  expect(await find(id)).toMatchObject({ state: 'pending', attempts: 2 });
  expect(await dueInS(id)).toBeGreaterThan(24 * HOUR_S - 60);

  await attemptLater(id);
  expect(await find(id)).toMatchObject({ state: 'failed', attempts: 3 });
  const detail = expect.stringMatching(
    /^The mail server never confirmed the message, which may have arrived\./,
  );
  expect(await timeline(id)).toEqual({
    state: 'failed',
    attempts: [1, 2, 3].map((number) => ({ number, outcome: 'unknown', detail })),
  });
  const [original, ...repeats] = copies(id).map(({ raw }) => raw);
  expect(repeats).toHaveLength(2);
  for (const repeat of repeats) expect(repeat.equals(original!)).toBe(true);

  delete smtp.confirm;
  await app.services.notifications.sendAgain([id], TEST_ACTOR);
  await attemptLater(id);
  expect(await find(id)).toMatchObject({ state: 'sent', unconfirmed: 0 });
});

test('a worker that stops while it waits for a confirmation exits in time, and the message is not due soon', async () => {
  smtp.confirm = () => new Promise(() => undefined);
  const [id = ''] = await leads('stop.test', 1);
  const services = createServices(app.services.config, createLogger('silent'), { mailTimeouts });
  const worker = await startWorker(services);
  services.notifications.handOver(id);
  await eventually(() => copies(id).length > 0);
  const startedAt = Date.now();
  await worker.close();
  await services.close();
  expect(Date.now() - startedAt).toBeLessThan(9_500);
  expect(await timeline(id)).toMatchObject({ state: 'pending', attempts: [{ outcome: 'unknown' }] });
  expect(await dueInS(id)).toBeGreaterThan(HOUR_S - 60);
  expect(copies(id)).toHaveLength(1);
});

test('an account e-mail whose confirmation is slow detaches from its job, and is not due for an hour', async () => {
  let confirm: (value: undefined) => void = () => undefined;
  smtp.confirm = () =>
    new Promise((resolve) => {
      confirm = resolve;
    });
  const { db, background, accountEmails } = app.services;
  const user = await db.orm.user.create({ data: { email: 'ada@account.test', name: 'Ada' } });
  const link = await db.orm.oneTimeLink.create({
    data: { userId: user.id, purpose: 'password_reset', expiresAt: new Date(Date.now() + 3 * HOUR_S * 1000) },
  });
  const row = () => db.orm.oneTimeLink.findUniqueOrThrow({ where: { id: link.id } });
  await background.run((detach) => accountEmails.send(link.id, detach));
  await eventually(async () => (await row()).nextAttemptAt.getTime() > Date.now() + (HOUR_S - 60) * 1000);
  expect(await row()).toMatchObject({ state: 'pending', attempts: 1, unconfirmed: 0 });
  confirm(undefined);
  await background.drained();
  expect(await row()).toMatchObject({ state: 'sent' });
});

test('an account e-mail that is never confirmed is due again after an hour', async () => {
  smtp.confirm = async () => 'reset';
  const { db, accountEmails } = app.services;
  const user = await db.orm.user.create({ data: { email: 'eve@never.test', name: 'Eve' } });
  const link = await db.orm.oneTimeLink.create({
    data: { userId: user.id, purpose: 'password_reset', expiresAt: new Date(Date.now() + 3 * HOUR_S * 1000) },
  });
  await accountEmails.send(link.id, () => undefined);
  const row = await db.orm.oneTimeLink.findUniqueOrThrow({ where: { id: link.id } });
  expect(row).toMatchObject({ state: 'pending', unconfirmed: 1 });
  expect(row.nextAttemptAt.getTime()).toBeGreaterThan(Date.now() + (HOUR_S - 60) * 1000);
});
