import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import type { SinkBehaviour } from '../support/smtp.js';

const RECIPIENTS = `query ($id: ID!) { submission(id: $id) { notification {
  state recipients { address state lastAnswer at durationMs nextAttemptAt }
} } }`;

const [CLAIRE, BUREAU, GONE] = ['claire@acme.test', 'bureau@acme.test', 'gone@acme.test'];

const smtp: SinkBehaviour = {};
let app: TestApp;
let member: PanelClient;

beforeAll(async () => {
  app = await startTestApp({ smtp });
  const recipients = [CLAIRE, BUREAU, GONE];
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test', { forms: [{ slug: 'contact', recipients }] })] }),
    team('globex'),
  ]);
  member = await loggedIn(app.url, app.services, 'member@acme.test');
});

beforeEach(() => {
  delete smtp.rcpt;
});

afterAll(() => app?.close());

async function lead(): Promise<string> {
  const [id = ''] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
  return id;
}

async function shown(id: string) {
  const { submission } = await member.ask(RECIPIENTS, { id });
  return submission.notification;
}

const change = (submissionId: string, data: object) =>
  app.services.db.orm.notification.update({ where: { submissionId }, data });

/** What an attempt has left at a recipient. */
const tried = (state: string, lastAnswer: string | RegExp) => ({
  state,
  at: expect.any(String),
  durationMs: expect.any(Number),
  lastAnswer: typeof lastAnswer === 'string' ? lastAnswer : expect.stringMatching(lastAnswer),
});

test('before its first attempt an e-mail waits for every recipient of the settings', async () => {
  const { state, recipients } = await shown(await lead());
  expect(state).toBe('pending');
  expect(recipients).toEqual(
    [CLAIRE, BUREAU, GONE].map((address) => ({
      address,
      state: 'waiting',
      lastAnswer: null,
      at: null,
      durationMs: null,
      nextAttemptAt: expect.any(String),
    })),
  );
});

test('each recipient has its own state, answer and next attempt', async () => {
  const id = await lead();
  const replies = new Map([
    [BUREAU, '451 4.7.1 Greylisted'],
    [GONE, '550 5.1.1 No such user'],
  ]);
  smtp.rcpt = (address) => replies.get(address) ?? null;
  await app.services.notifications.send(id);
  const first = await shown(id);
  const refused = { address: GONE, ...tried('refused', '550 5.1.1 No such user'), nextAttemptAt: null };
  expect(first).toEqual({
    state: 'pending',
    recipients: [
      { address: CLAIRE, ...tried('accepted', '250 2.0.0 Kept'), nextAttemptAt: null },
      { address: BUREAU, ...tried('waiting', '451 4.7.1 Greylisted'), nextAttemptAt: expect.any(String) },
      refused,
    ],
  });
  expect(new Date(first.recipients[1].nextAttemptAt).getTime()).toBeGreaterThan(Date.now());

  replies.delete(BUREAU);
  await change(id, { nextAttemptAt: new Date(0) });
  await app.services.notifications.send(id);
  const { state, recipients } = await shown(id);
  expect(state).toBe('sent');
  expect(recipients).toEqual([
    first.recipients[0],
    { address: BUREAU, ...tried('accepted', '250 2.0.0 Kept'), nextAttemptAt: null },
    refused,
  ]);
});

test('an e-mail that was never confirmed is unknown for its recipients, first due again and then not', async () => {
  const id = await lead();
  const words = 'The mail server never confirmed the message, which may have arrived.';
  const at = new Date();
  await app.services.db.orm.notificationAttempt.create({
    data: {
      submissionId: id,
      number: 1,
      outcome: 'unknown',
      detail: words,
      recipients: [CLAIRE],
      startedAt: at,
      finishedAt: at,
    },
  });
  await change(id, { attempts: 1, unconfirmed: 1, deliveredTo: [BUREAU], refused: [GONE] });
  const claire = { address: CLAIRE, ...tried('unknown', words) };
  expect((await shown(id)).recipients).toEqual([
    { ...claire, nextAttemptAt: expect.any(String) },
    expect.objectContaining({ address: BUREAU, state: 'accepted', nextAttemptAt: null }),
    expect.objectContaining({ address: GONE, state: 'refused', nextAttemptAt: null }),
  ]);
  await change(id, { state: 'failed', refused: [CLAIRE, GONE] });
  expect((await shown(id)).recipients[0]).toEqual({ ...claire, nextAttemptAt: null });
});

test('an address that has left the settings is tried no more, and a new one waits', async () => {
  const id = await lead();
  smtp.rcpt = () => '451 4.7.1 Greylisted';
  await app.services.notifications.send(id);
  const placement = app.services.db.orm.placement;
  await placement.updateMany({ data: { recipients: ['new@acme.test', CLAIRE] } });
  const { recipients } = await shown(id);
  await placement.updateMany({ data: { recipients: [CLAIRE, BUREAU, GONE] } });
  expect(
    recipients.map(({ address, state }: { address: string; state: string }) => [address, state]),
  ).toEqual([
    ['new@acme.test', 'waiting'],
    [CLAIRE, 'waiting'],
    [BUREAU, 'refused'],
    [GONE, 'refused'],
  ]);
});

test('an e-mail that the quota has held back has no recipient', async () => {
  const id = await lead();
  await change(id, { state: 'skipped_quota' });
  expect((await shown(id)).recipients).toEqual([]);
});

test('recipients of another team are not there', async () => {
  const stranger = await loggedIn(app.url, app.services, 'owner@globex.test');
  expect(await stranger.refused(RECIPIENTS, { id: await lead() })).toBe('NOT_FOUND');
});
