import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { quotaMonth } from '../../src/plans/quota.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { eventually } from '../support/wait.js';

const QUOTA = 10;
const LAST_SECOND = new Date('2026-10-31T23:59:59.999Z');
const FIRST_SECOND = new Date('2026-11-01T00:00:00.000Z');

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ worker: true });
  const plan = { code: 'small', name: 'Small', notifications_per_month: QUOTA };
  const teams = [
    team('acme', { plan: 'small', websites: [website('www.acme.test', { locale: 'en' })] }),
    team('ownerless', { plan: 'small', members: [{ email: 'admin@ownerless.test', role: 'admin' }] }),
    team('disabled', { plan: 'small' }),
    team('growing', { plan: 'small', websites: [website('www.growing.test', { locale: 'en' })] }),
    team('steady', { plan: 'small', websites: [website('www.steady.test')] }),
  ];
  await provision(app.services, teams, plan);
});

afterAll(() => app?.close());

async function exhaust(host: string, at: Date, count: number) {
  const leads = await recordedLeads(app.services, await websiteId(app.services, host), count, at);
  // From three sides at once, each of them several times.
  const { notifications } = app.services;
  await Promise.all([...leads, ...leads, ...leads].map((lead) => notifications.send(lead)));
  return eventually(async () => {
    const rows = await app.services.db.orm.notification.findMany({ where: { submissionId: { in: leads } } });
    return rows.every(({ state }) => state !== 'pending') && rows;
  });
}

test('over the end of a month each month has exactly its own quota', async () => {
  const ends = await Promise.all([
    exhaust('www.acme.test', LAST_SECOND, QUOTA * 4),
    exhaust('www.acme.test', FIRST_SECOND, QUOTA * 4),
  ]);
  for (const rows of ends) {
    expect(rows.filter(({ state }) => state === 'sent')).toHaveLength(QUOTA);
    expect(rows.filter(({ state }) => state === 'skipped_quota')).toHaveLength(QUOTA * 3);
  }
  const usages = await app.services.db.orm.quotaUsage.findMany({ orderBy: { month: 'asc' } });
  expect(usages.map(({ month, used }) => [month, used])).toEqual([
    [quotaMonth(LAST_SECOND), QUOTA],
    [quotaMonth(FIRST_SECOND), QUOTA],
  ]);
});

test('owners get one notice at four fifths and one at the limit, in the language of their website', async () => {
  const notices = await eventually(async () => {
    const rows = await app.services.db.orm.quotaNotice.findMany({
      orderBy: [{ month: 'asc' }, { percent: 'asc' }],
    });
    return rows.length === 4 && rows.every(({ state }) => state === 'sent') && rows;
  });
  expect(notices.map(({ percent }) => percent)).toEqual([80, 100, 80, 100]);
  const mails = app.sink.messages.filter(({ recipients }) => recipients.includes('owner@acme.test'));
  expect(mails.map(({ mail }) => mail.subject).sort()).toEqual([
    '80% of the notifications for November 2026 used — acme',
    '80% of the notifications for October 2026 used — acme',
    'No notifications left for November 2026 — acme',
    'No notifications left for October 2026 — acme',
  ]);
  expect(mails.every(({ mail }) => /October 2026|November 2026/.test(mail.text ?? ''))).toBe(true);
});

test('after a raise of the quota skipped notifications can be sent again, up to the new quota', async () => {
  const { db, notifications } = app.services;
  await db.orm.plan.update({ where: { code: 'small' }, data: { notificationsPerMonth: QUOTA + 1 } });
  const skipped = await db.orm.notification.findMany({
    where: { state: 'skipped_quota', submission: { createdAt: LAST_SECOND } },
    take: 2,
  });
  const ids = skipped.map(({ submissionId }) => submissionId);
  const { reopened, beyondQuota } = await notifications.sendAgain(ids, TEST_ACTOR);
  const month = LAST_SECOND.toISOString().slice(0, 7);
  expect(beyondQuota).toEqual([{ submissionId: ids.find((id) => !reopened.has(id)), month }]);
  const states = await eventually(async () => {
    const rows = await db.orm.notification.findMany({
      where: { submissionId: { in: ids } },
    });
    return rows.every(({ state }) => state !== 'pending') && rows.map(({ state }) => state).sort();
  });
  expect(states).toEqual(['sent', 'skipped_quota']);
  await db.orm.plan.update({ where: { code: 'small' }, data: { notificationsPerMonth: QUOTA } });
});

test('owners get the notices of a larger quota as well, whether the team has another plan or its plan is raised', async () => {
  const { db, plans, teams } = app.services;
  const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'growing' } });
  const messages = () =>
    app.sink.messages.filter(({ recipients }) => recipients.includes('owner@growing.test'));
  const now = new Date();
  await exhaust('www.growing.test', now, QUOTA);
  await eventually(() => messages().length === 2);
  const large = { code: 'large', name: 'Large', notificationsPerMonth: QUOTA * 2 };
  const { id: planId } = await plans.create(large, TEST_ACTOR);
  await teams.update(teamId, { planId }, TEST_ACTOR);
  await exhaust('www.growing.test', now, QUOTA);
  await eventually(() => messages().length === 4, { withinMs: 20_000 });
  await plans.update(planId, { notificationsPerMonth: QUOTA * 3 }, TEST_ACTOR);
  await exhaust('www.growing.test', now, QUOTA);
  await eventually(() => messages().length === 6, { withinMs: 20_000 });
  // A mail program shows a message once for each Message-ID.
  expect(new Set(messages().map(({ mail }) => mail.messageId)).size).toBe(6);
});

test.each(['ownerless', 'disabled'])('the notice of the team %s has no recipient', async (slug) => {
  const { orm } = app.services.db;
  await orm.user.updateMany({ where: { email: 'owner@disabled.test' }, data: { disabledAt: new Date() } });
  await exhaust(`www.${slug}.test`, FIRST_SECOND, QUOTA);
  await eventually(async () => {
    const rows = await orm.quotaNotice.findMany({ where: { team: { slug } } });
    return rows.length === 2 && rows.every(({ state }) => state === 'no_recipient');
  });
});

test('e-mails go on while a change of the plan that deletes a notice is not committed', async () => {
  const { db } = app.services;
  const now = new Date();
  const { teamId } = await db.orm.website.findFirstOrThrow({ where: { host: 'www.steady.test' } });
  await exhaust('www.steady.test', now, QUOTA * 0.8);
  expect(await db.orm.quotaNotice.count({ where: { teamId, month: quotaMonth(now), percent: 80 } })).toBe(1);
  const release = new Error('The change is taken back.');
  const changing = db.orm.$transaction(
    async (tx) => {
      await tx.quotaNotice.deleteMany({ where: { teamId, percent: 80 } });
      const [row] = await exhaust('www.steady.test', now, 1);
      expect(row).toMatchObject({ state: 'sent' });
      // Fails when the transaction has ended meanwhile.
      expect(await tx.quotaNotice.count({ where: { teamId, percent: 80 } })).toBe(0);
      throw release;
    },
    { timeout: 15_000 },
  );
  await expect(changing).rejects.toBe(release);
});
