import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createLogger } from '../../src/lib/telemetry/logger.js';
import { createServices, type Services } from '../../src/services.js';
import { writeStaffEmails } from '../../src/staff-emails/staff-emails.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { createAccount } from '../support/panel.js';

let app: TestApp;
/** Those of a worker that stops. */
let leaving: Services;
let userIds: number[];
let onRecipient: () => void = () => undefined;

const orm = () => app.services.db.orm;

beforeAll(async () => {
  app = await startTestApp({
    smtp: {
      rcpt: () => {
        onRecipient();
        return null;
      },
    },
  });
  await provision(app.services, [team('acme')]);
  const password = 'a long password';
  userIds = await Promise.all(
    ['anna', 'bob'].map((name) =>
      createAccount(app.services, { email: `${name}@agency.test`, password, staff: true }),
    ),
  );
});

beforeEach(() => {
  leaving = createServices(app.services.config, createLogger('silent'));
});

afterEach(async () => {
  onRecipient = () => undefined;
  await leaving.close();
});

afterAll(() => app?.close());

test('a worker that stops sends no further e-mail to staff, and leaves it due', async () => {
  const now = new Date();
  const content = { kind: 'alert', alert: 'mail_held', since: now.toISOString() } as const;
  await orm().$transaction((tx) => writeStaffEmails(tx, { occasion: 'alert:1', content, now }));
  onRecipient = () => leaving.dispatch.stop();
  await leaving.staffEmails.run();
  expect(app.sink.messages).toHaveLength(1);
  expect(await orm().staffEmail.findMany({ orderBy: { state: 'asc' } })).toEqual([
    expect.objectContaining({ state: 'pending', attempts: 0 }),
    expect.objectContaining({ state: 'sent', attempts: 1 }),
  ]);
});

test('a worker that stops takes no further spam digest', async () => {
  const { id: teamId } = await orm().team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const [since, until] = [new Date('2026-11-16'), new Date('2026-11-23')];
  await orm().spamDigest.createMany({
    data: userIds.map((userId) => ({ teamId, userId, week: until, since, until })),
  });
  leaving.dispatch.stop();
  await leaving.spamDigests.run();
  expect(await orm().spamDigest.findMany()).toEqual(
    userIds.map(() => expect.objectContaining({ state: 'pending', attempts: 0 })),
  );
});
