import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitForEmail } from '../../../src/probes/email-outcome.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { provision, team, websiteId } from '../../support/factories.js';
import { recordedLeads } from '../../support/leads.js';

let app: TestApp;
let lead: string;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  [lead = ''] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
});
afterAll(() => app.close());

const outcome = (): Promise<unknown> =>
  waitForEmail(app.services.db, lead, AbortSignal.timeout(50)).catch(({ finding }) => finding);

test('an e-mail that no worker takes is waited for no longer than the signal allows', async () => {
  expect(await outcome()).toBe('mail_waiting');
});

test('an attempt that has not ended by then is unconfirmed', async () => {
  const { notification } = app.services.db.orm;
  await notification.update({ where: { submissionId: lead }, data: { attempts: 1 } });
  expect(await outcome()).toBe('mail_unconfirmed');
});

test('while the mail server is away an e-mail that waits for it says so', async () => {
  const db = app.services.db.orm;
  const site = await websiteId(app.services, 'www.acme.test');
  const [other = ''] = await recordedLeads(app.services, site, 1);
  const attempt = {
    number: 1,
    outcome: 'deferred' as const,
    detail: 'The mail server is away (connection_refused).',
    recipients: ['desk@acme.test'],
    startedAt: new Date(),
    finishedAt: new Date(),
  };
  await db.notificationAttempt.create({ data: { submissionId: other, ...attempt } });
  expect(await outcome()).toBe('mail_server_away');
  await db.notificationAttempt.create({ data: { submissionId: lead, ...attempt } });
  expect(await outcome()).toBe('mail_server_away');
  await db.notificationAttempt.deleteMany();
});

test('an e-mail whose lead is deleted meanwhile is not waited for any longer either', async () => {
  await app.services.db.orm.submission.delete({ where: { id: lead } });
  expect(await outcome()).toBe('mail_waiting');
});
