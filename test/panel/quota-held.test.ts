import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { quotaMonth } from '../../src/plans/quota.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const HELD =
  'query ($teamId: ID!) { quotaHeld(teamId: $teamId) { month held isExact sendable used limit room } }';
const SEND = 'mutation ($teamId: ID!) { sendHeld(teamId: $teamId) { handedOver held sendable room } }';

const QUOTA = 5;

let app: TestApp;
let owner: PanelClient;
let member: PanelClient;
let teamId: number;
let site: string;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  await provision(app.services, [team('acme', { plan: 'small' }), team('globex', { plan: 'small' })], {
    code: 'small',
    name: 'Small',
    notifications_per_month: QUOTA,
  });
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app.services, 'www.acme.test');
});

beforeEach(async () => {
  const { db } = app.services;
  await db.orm.submission.deleteMany();
  await db.orm.quotaUsage.deleteMany();
  await setLimit(QUOTA);
});

afterAll(() => app?.close());

const setLimit = (notificationsPerMonth: number | null) =>
  app.services.db.orm.plan.update({ where: { code: 'small' }, data: { notificationsPerMonth } });

const held = async (client: PanelClient) => (await client.ask(HELD, { teamId })).quotaHeld;

/** Records submissions of a website, and waits until no e-mail about them is pending. */
async function submitted(of: string, count: number, at?: Date): Promise<string[]> {
  const ids = await recordedLeads(app.services, of, count, at);
  await Promise.all(ids.map((id) => app.services.notifications.send(id)));
  await settled();
  return ids;
}

const inState = (state: 'sent' | 'skipped_quota' | 'pending') =>
  app.services.db.orm.notification.count({ where: { state } });

const settled = () => eventually(async () => (await inState('pending')) === 0);

/** Records submissions of a month long past, of which the quota held back each e-mail. */
async function heldBefore(at: string, count: number, used: number): Promise<string[]> {
  const { db } = app.services;
  const ids = await recordedLeads(app.services, site, count, new Date(at));
  await db.orm.notification.updateMany({
    where: { submissionId: { in: ids } },
    data: { state: 'skipped_quota' },
  });
  await db.orm.quotaUsage.create({ data: { teamId, month: quotaMonth(new Date(at)), used } });
  return ids;
}

test('what the quota has held back is counted, of the team alone and of every month', async () => {
  await submitted(site, QUOTA + 3);
  await submitted(await websiteId(app.services, 'www.globex.test'), QUOTA + 1);
  await heldBefore('2026-01-15T12:00:00Z', 2, QUOTA);
  await heldBefore('2026-02-15T12:00:00Z', 3, QUOTA - 1);
  expect(await held(member)).toEqual({
    month: new Date().toISOString().slice(0, 7),
    held: 8,
    isExact: true,
    used: QUOTA,
    limit: QUOTA,
    room: 0,
    // A unit is one of the submission's own month.
    sendable: 1,
  });
});

test('what was held in months before is sent as far as these have room, the oldest first', async () => {
  const january = await heldBefore('2026-01-15T12:00:00Z', 2, QUOTA);
  const [oldest] = await heldBefore('2026-02-15T12:00:00Z', 3, QUOTA - 1);
  await submitted(site, QUOTA - 1);
  expect((await owner.ask(SEND, { teamId })).sendHeld).toMatchObject({ handedOver: 1, held: 4, sendable: 0 });
  await settled();
  const stateOf = async (id: string) =>
    (await app.services.db.orm.notification.findUniqueOrThrow({ where: { submissionId: id } })).state;
  expect(await stateOf(oldest!)).toBe('sent');
  // The room of the present month is not theirs.
  expect(await held(member)).toMatchObject({ held: 4, sendable: 0, used: QUOTA - 1, room: 1 });
  await setLimit(QUOTA + 1);
  expect((await owner.ask(SEND, { teamId })).sendHeld).toMatchObject({ handedOver: 2, held: 2 });
  await settled();
  expect(await Promise.all(january.map(stateOf))).toEqual(['sent', 'skipped_quota']);
});

test('what is asked for again beyond the quota of its month stays held, and the answer names the month', async () => {
  const january = await heldBefore('2026-01-15T12:00:00Z', 2, QUOTA);
  const february = await heldBefore('2026-02-15T12:00:00Z', 3, QUOTA - 1);
  const again = `mutation ($selection: SubmissionSelection!) {
    sendSelectedAgain(selection: $selection, includeSent: true) { outcomes { outcome ids months } }
  }`;
  const selection = { filter: { notificationStates: ['skipped_quota'] } };
  const { outcomes } = (await owner.ask(again, { selection })).sendSelectedAgain;
  expect(outcomes).toHaveLength(2);
  expect(outcomes).toContainEqual({ outcome: 'handed_over', ids: [february[0]], months: [] });
  expect(outcomes).toContainEqual({
    outcome: 'quota_used_up',
    ids: expect.arrayContaining([...january, ...february.slice(1)]),
    months: ['2026-01', '2026-02'],
  });
  expect(await inState('skipped_quota')).toBe(4);
  await settled();
});

test('what was held is sent once there is room, the oldest first and never beyond the quota', async () => {
  const at = new Date(quotaMonth(new Date()).getTime() + 60_000);
  const first = await submitted(site, QUOTA + 4, at);
  expect(await owner.ask(SEND, { teamId })).toEqual({
    sendHeld: { handedOver: 0, held: 4, sendable: 0, room: 0 },
  });
  const oldest = await app.services.db.orm.notification.findMany({
    where: { state: 'skipped_quota', submissionId: { in: first } },
    orderBy: { submissionId: 'asc' },
  });
  await setLimit(QUOTA + 2);
  expect(await owner.ask(SEND, { teamId })).toMatchObject({ sendHeld: { handedOver: 2 } });
  await settled();
  const sent = await app.services.db.orm.notification.count({
    where: {
      state: 'sent',
      submissionId: { in: oldest.slice(0, 2).map(({ submissionId }) => submissionId) },
    },
  });
  expect(sent).toBe(2);
  await setLimit(QUOTA + 3);
  expect(await held(member)).toMatchObject({ held: 2, room: 1 });
  const answers = await Promise.all([1, 2, 3].map(() => owner.ask(SEND, { teamId })));
  await settled();
  // Calls at the same time may hand over one more than there is room for, which is then held again.
  expect(Math.max(...answers.map(({ sendHeld }) => sendHeld.handedOver))).toBeGreaterThan(0);
  expect(await inState('sent')).toBe(QUOTA + 3);
  expect(await held(member)).toMatchObject({ held: 1, used: QUOTA + 3, room: 0 });
});

test('spam and what is archived is neither counted nor sent, as the start page and the inbox have it', async () => {
  const { db } = app.services;
  const [spam = '', archived = ''] = await heldBefore('2026-02-10T12:00:00Z', 3, 0);
  await db.orm.submission.update({ where: { id: spam }, data: { state: 'spam' } });
  await db.orm.submission.update({ where: { id: archived }, data: { state: 'archived' } });
  expect(await held(member)).toMatchObject({ held: 1, sendable: 1 });
  expect((await owner.ask(SEND, { teamId })).sendHeld).toMatchObject({ handedOver: 1, held: 0 });
  await settled();
  expect(await inState('skipped_quota')).toBe(2);
});

test('without a limit all that was held is sent', async () => {
  await submitted(site, QUOTA + 2);
  await setLimit(null);
  expect(await held(member)).toMatchObject({ held: 2, limit: null, room: null });
  expect((await owner.ask(SEND, { teamId })).sendHeld).toMatchObject({ handedOver: 2, held: 0, room: null });
  await settled();
  expect(await inState('sent')).toBe(QUOTA + 2);
});

test('e-mails on their way are counted as room that is taken', async () => {
  const [id] = await recordedLeads(app.services, site, 1);
  await app.services.db.orm.notification.update({
    where: { submissionId: id },
    data: { nextAttemptAt: new Date(Date.now() + 3_600_000) },
  });
  expect(await held(member)).toMatchObject({ held: 0, used: 0, room: QUOTA - 1 });
});

test('held e-mails are sent by managers only, and another team has none to see', async () => {
  expect(await member.refused(SEND, { teamId })).toBe('FORBIDDEN');
  const stranger = await loggedIn(app.url, app.services, 'owner@globex.test');
  expect(await stranger.refused(SEND, { teamId })).toBe('NOT_FOUND');
  expect(await stranger.refused(HELD, { teamId })).toBe('NOT_FOUND');
});

test('spam takes no place of what the quota of its month has left', async () => {
  const { db, handling } = app.services;
  const [spam = '', lead = ''] = await heldBefore('2026-01-10T12:00:00Z', 2, QUOTA - 1);
  await db.orm.submission.update({ where: { id: spam }, data: { state: 'spam' } });
  const results = await handling.sendAgain([spam, lead], TEST_ACTOR);
  expect(results.map(({ outcome }) => outcome)).toEqual(['nothing_to_send', 'handed_over']);
});
