import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createTransport } from 'nodemailer';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { BOUNCES } from '../support/delivery-reports.js';
import { provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount } from '../support/panel.js';
import type { SinkBehaviour } from '../support/smtp.js';
import { eventually } from '../support/wait.js';

// Bounces that come while another recipient of the same lead is still tried.

const smtp: SinkBehaviour = {};

let app: TestApp;
let port: number;
let site: string;

beforeAll(async () => {
  port = await freePort();
  const env = { BOUNCE_DOMAIN: 'bounces.formgate.test', BOUNCE_PORT: String(port) };
  app = await startTestApp({ worker: true, smtp, env });
  await provision(app.services, [team('acme')]);
  site = await websiteId(app.services, 'www.acme.test');
  const recipients = ['desk@acme.test', 'sales@acme.test'];
  await app.services.db.orm.placement.updateMany({ data: { recipients } });
  await createAccount(app.services, { email: 'staff@agency.test', password: 'a long password', staff: true });
});
afterAll(() => app?.close());

const answerSales = (answer: string) => {
  smtp.rcpt = (address) => (address.startsWith('sales@') ? answer : null);
};

beforeEach(async () => {
  await app.services.db.orm.submission.deleteMany();
  await app.services.db.orm.staffEmail.deleteMany();
  answerSales('452 4.2.2 Mailbox full');
});

const notificationOf = (submissionId: string) =>
  app.services.db.orm.notification.findUniqueOrThrow({ where: { submissionId } });

/** Reports to the worker that an e-mail has come back from a recipient. */
const bounce = (returnPath: string, to: string) =>
  createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true }).sendMail({
    envelope: { from: '', to: returnPath },
    raw: BOUNCES.Postfix!({ to, returnPath }),
  });

/** A lead that one of its two recipients has, while the other is tried again. */
async function halfSentLead(): Promise<{ id: string; returnPath: string }> {
  const [id = ''] = await recordedLeads(app.services, site, 1);
  await app.services.notifications.send(id);
  await eventually(async () => (await notificationOf(id)).deliveredTo.length === 1);
  const { sender } = await app.sink.waitFor(({ mail }) => mail.messageId?.includes(id) ?? false);
  return { id, returnPath: sender };
}

/** Makes the next attempt, and waits for the state that it leads to. */
async function retried(id: string): Promise<string> {
  const { db, notifications } = app.services;
  await db.orm.notification.update({ where: { submissionId: id }, data: { nextAttemptAt: new Date(0) } });
  await notifications.send(id);
  return (await notificationOf(id)).state;
}

test('a lead whose first recipient bounced is undelivered once the second refuses it', async () => {
  const { id, returnPath } = await halfSentLead();
  await bounce(returnPath, 'desk@acme.test');
  expect((await notificationOf(id)).state).toBe('pending');
  answerSales('550 5.1.1 No such user');
  expect(await retried(id)).toBe('bounced');
  expect(await app.services.db.orm.staffEmail.count()).toBe(1);
  const [sentAgain] = await app.services.handling.sendAgain([id], TEST_ACTOR);
  expect(sentAgain?.outcome).toBe('handed_over');
});

test('a lead whose first recipient bounced is undelivered once the second has left the settings', async () => {
  const { orm } = app.services.db;
  const { id, returnPath } = await halfSentLead();
  await bounce(returnPath, 'desk@acme.test');
  await orm.placement.updateMany({ data: { recipients: ['desk@acme.test'] } });
  expect(await retried(id)).toBe('bounced');
  expect(await orm.staffEmail.count()).toBe(1);
  await orm.placement.updateMany({ data: { recipients: ['desk@acme.test', 'sales@acme.test'] } });
});

test('a lead whose last recipient bounces before its e-mail is recorded is undelivered', async () => {
  const { id, returnPath } = await halfSentLead();
  await bounce(returnPath, 'desk@acme.test');
  delete smtp.rcpt;
  smtp.confirm = async () => {
    await bounce(returnPath, 'sales@acme.test');
    return undefined;
  };
  const state = await retried(id);
  delete smtp.confirm;
  expect(state).toBe('bounced');
  expect(await app.services.db.orm.staffEmail.count()).toBe(1);
});

test('a forwarded e-mail that is refused tells staff nothing new of a lead that they know', async () => {
  const { requestedEmails, db } = app.services;
  const { id, returnPath } = await halfSentLead();
  await bounce(returnPath, 'desk@acme.test');
  answerSales('550 5.1.1 No such user');
  expect(await retried(id)).toBe('bounced');
  const { id: teamId } = await db.orm.team.findFirstOrThrow();
  await requestedEmails.forward({ id, teamId }, { recipients: ['sales@acme.test'], note: null }, TEST_ACTOR);
  await eventually(() => db.orm.requestedEmail.findFirst({ where: { submissionId: id, state: 'failed' } }));
  expect(await db.orm.staffEmail.count()).toBe(1);
});

test('a forwarded e-mail that bounces tells staff nothing while a recipient has the notification', async () => {
  const { requestedEmails, db } = app.services;
  const { id } = await halfSentLead();
  const { id: teamId } = await db.orm.team.findFirstOrThrow();
  const wanted = { recipients: ['mistyped@acme.test'], note: null };
  await requestedEmails.forward({ id, teamId }, wanted, TEST_ACTOR);
  const { sender } = await app.sink.waitFor(({ recipients: [first] }) => first === 'mistyped@acme.test');
  await eventually(async () =>
    db.orm.requestedEmail.findFirst({ where: { submissionId: id, state: 'sent' } }),
  );
  await bounce(sender, 'mistyped@acme.test');
  answerSales('550 5.1.1 No such user');
  expect(await retried(id)).toBe('sent');
  expect(await db.orm.staffEmail.count()).toBe(0);
});
