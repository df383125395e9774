import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { createMonthlyReports } from '../../src/submissions/monthly-report/monthly-reports.service.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { countAllDays, recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { countAllVisits } from '../support/visits.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let owner: PanelClient;
let now = new Date('2026-06-20T12:00:00Z');

beforeAll(async () => {
  app = await startTestApp({ worker: true, clock: () => now });
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test', { locale: 'de', time_zone: 'Europe/Paris' })] }),
    team('globex'),
  ]);
  const { db, teams } = app.services;
  await db.orm.session.deleteMany();
  const userId = await createAccount(app.services, { email: 'claire@acme.test' });
  await db.orm.user.update({ where: { id: userId }, data: { language: 'fr' } });
  await db.orm.$transaction((tx) => teams.setRole(tx, { teamId: 1, userId }, 'owner', TEST_ACTOR));
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');

  const site = await websiteId(app.services, 'www.acme.test');
  // The first instants of June and July in Paris are still in the months before in UTC.
  await recordedLeads(app.services, site, 3, new Date('2026-05-31T22:00:00Z'));
  await recordedLeads(app.services, site, 2, new Date('2026-06-30T21:59:59Z'));
  await recordedLeads(app.services, site, 4, new Date('2026-06-30T22:00:00Z'));
  await recordedLeads(app.services, site, 1, new Date('2026-05-10T12:00:00Z'));
  await db.orm.submission.updateMany({ data: { attribution: { utm_campaign: 'spring <b>sale</b>' } } });
  await db.orm.visit.createMany({
    data: Array.from({ length: 20 }, (_, n) => ({
      id: uuid(),
      websiteId: site,
      visitorHash: `visitor${n % 10}`,
      createdAt: new Date('2026-06-10T12:00:00Z'),
      pageUrl: 'https://www.acme.test/prices?utm_campaign=spring',
      ...(n % 2 === 0 && { utmCampaign: 'spring <b>sale</b>' }),
    })),
  });
});
afterAll(() => app?.close());

const SET = 'mutation ($id: ID!, $on: Boolean!) { setMonthlyReport(teamId: $id, enabled: $on) }';
const READ = 'query ($id: ID!) { team(id: $id) { monthlyReport reportTimeZone } }';

const reports = () =>
  app.services.db.orm.monthlyReport.findMany({
    include: { user: true },
    orderBy: [{ month: 'asc' }, { userId: 'asc' }],
  });

test('a team chooses whether its owners get the report, which is recorded once', async () => {
  expect((await owner.ask(READ, { id: 1 })).team).toEqual({
    monthlyReport: false,
    reportTimeZone: 'Europe/Paris',
  });
  await owner.ask(SET, { id: 1, on: true });
  await owner.ask(SET, { id: 1, on: true });
  expect((await owner.ask(READ, { id: 1 })).team.monthlyReport).toBe(true);
  const events = await app.services.db.orm.auditEvent.findMany({
    where: { teamId: 1, action: 'team.updated' },
  });
  expect(events.map(({ detail }) => detail)).toEqual([{ changed: { monthlyReport: true } }]);
});

test('the figures of a team end with the latest day that it is on any of its websites', async () => {
  const { website } = app.services.db.orm;
  const { id } = await website.create({
    data: {
      teamId: 1,
      ...{
        name: 'Far',
        host: 'far.acme.test',
        url: 'https://far.acme.test',
        locale: 'en',
        email: 'a@b.test',
      },
      timeZone: 'Pacific/Auckland',
      signatureKeyCipher: Buffer.alloc(1),
    },
  });
  const zone = async () => (await owner.ask(READ, { id: 1 })).team.reportTimeZone;
  const before = now;
  for (const [time, expected] of [
    ['2026-07-01T09:00:00Z', 'Europe/Paris'],
    ['2026-07-01T15:00:00Z', 'Pacific/Auckland'],
    ['2026-07-01T23:00:00Z', 'Europe/Paris'],
  ] as const) {
    now = new Date(time);
    expect(await zone()).toBe(expected);
  }
  await website.delete({ where: { id } });
  now = before;
});

test('no report is sent before the month has ended everywhere, and none of a month before the choice', async () => {
  const { monthlyReports } = app.services;
  await monthlyReports.enqueueDue();
  now = new Date('2026-07-02T04:59:00Z');
  await monthlyReports.enqueueDue();
  expect(await reports()).toEqual([]);
});

test('each owner gets one report of the month, in the language of the account or of the website', async () => {
  now = new Date('2026-07-02T05:00:00Z');
  await countAllDays(app.services);
  const { monthlyReports } = app.services;
  await countAllVisits(app.services);
  await Promise.all([1, 2, 3].map(() => monthlyReports.enqueueDue()));
  const sent = await eventually(async () => {
    const rows = await reports();
    return rows.length > 0 && rows.every(({ state }) => state === 'sent') && rows;
  });
  expect(sent.map(({ user, attempts }) => [user.email, attempts])).toEqual([
    ['owner@acme.test', 1],
    ['claire@acme.test', 1],
  ]);
  const mailTo = (address: string) => {
    const found = app.sink.messages.filter(({ recipients }) => recipients.includes(address));
    expect(found.length).toBe(1);
    return found[0]!.mail;
  };
  expect(mailTo('owner@acme.test').subject).toBe('Bericht für Juni 2026 — acme');
  const french = mailTo('claire@acme.test');
  expect(french.subject).toBe('Rapport mensuel : juin 2026 — acme');
  expect(french.text).toContain('les sites de l’organisation acme ont apporté en juin 2026');
  expect(french.text).toContain('Demandes\u00a0: 5 (mois précédent\u00a0: 1)');
  expect(french.text).toContain('Visiteurs\u00a0: 10 (mois précédent\u00a0: 0)');
  expect(french.text).toContain('spring <b>sale</b>\u00a0: pages vues\u00a0: 10, demandes\u00a0: 5');
  expect(french.text).toContain('https://www.acme.test/prices\u00a0: 20');
  expect(french.text).toContain('http://formgate.test/panel/statistics?team=1&from=2026-06-01&to=2026-06-30');
  expect(french.html).toContain('spring &lt;b&gt;sale&lt;/b&gt;');
  expect(french.html).toMatch(/<html lang="fr">/);
});

test('who becomes an owner later gets no report of the month before, and who no longer is one gets none', async () => {
  const { db, teams, monthlyReports } = app.services;
  const userId = await createAccount(app.services, { email: 'new@acme.test' });
  const as = (role: 'owner' | 'member') =>
    db.orm.$transaction((tx) => teams.setRole(tx, { teamId: 1, userId }, role, TEST_ACTOR));
  await as('owner');
  await monthlyReports.enqueueDue();
  expect((await reports()).length).toBe(2);
  await as('member');
  const key = { teamId: 1, month: '2026-07', userId };
  await db.orm.monthlyReport.create({ data: { ...key, month: new Date('2026-07-01') } });
  await monthlyReports.send(key, () => {});
  expect((await reports()).at(-1)?.state).toBe('no_recipient');
});

test('an owner whose account is disabled gets no report', async () => {
  const { db, monthlyReports } = app.services;
  const { id: userId } = await db.orm.user.findUniqueOrThrow({ where: { email: 'claire@acme.test' } });
  await db.orm.user.update({ where: { id: userId }, data: { disabledAt: new Date() } });
  now = new Date('2026-08-02T05:00:00Z');
  await monthlyReports.enqueueDue();
  const ofJuly = async () =>
    (await reports()).filter(({ userId: id, month }) => id === userId && month.getUTCMonth() === 6);
  expect(await ofJuly()).toEqual([]);
  const key = { teamId: 1, month: '2026-07', userId };
  await db.orm.monthlyReport.create({ data: { ...key, month: new Date('2026-07-01') } });
  await monthlyReports.send(key, () => {});
  expect((await ofJuly()).map(({ state }) => state)).toEqual(['no_recipient']);
  await db.orm.user.update({ where: { id: userId }, data: { disabledAt: null } });
});

test('a team that has chosen otherwise, or is suspended, gets no report', async () => {
  const { db, monthlyReports } = app.services;
  const globex = await db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
  await monthlyReports.set(globex.id, true, TEST_ACTOR);
  await monthlyReports.set(1, false, TEST_ACTOR);
  await db.orm.team.update({ where: { id: globex.id }, data: { active: false } });
  await db.orm.monthlyReport.deleteMany({ where: { month: new Date('2026-07-01') } });
  await db.orm.dailyTask.deleteMany({ where: { name: 'monthly-reports' } });
  now = new Date('2026-08-03T00:00:00Z');
  await monthlyReports.enqueueDue();
  expect((await reports()).map(({ month }) => month.toISOString().slice(0, 7))).toEqual([
    '2026-06',
    '2026-06',
  ]);
  const owner = await db.orm.user.findUniqueOrThrow({ where: { email: 'owner@globex.test' } });
  const key = { teamId: globex.id, month: '2026-07', userId: owner.id };
  await db.orm.monthlyReport.create({ data: { ...key, month: new Date('2026-07-01') } });
  await monthlyReports.send(key, () => {});
  expect((await reports()).at(-1)?.state).toBe('no_recipient');
});

/** Sends the report of May to an owner, whose figures wait until the function that is given to `during` has ended. */
async function sendSlowly(during: (send: () => Promise<void>) => Promise<void>) {
  const { db, panelDb, config, visitStatistics } = app.services;
  const { id: userId } = await db.orm.user.findUniqueOrThrow({ where: { email: 'owner@acme.test' } });
  const key = { teamId: 1, month: '2026-05', userId };
  const row = { teamId: 1, month: new Date('2026-05-01'), userId };
  const sentBefore = app.sink.messages.length;
  await db.orm.monthlyReport.create({ data: row });
  let end = () => {};
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  let reading = 0;
  const monthlyReports = createMonthlyReports({
    ...app.services,
    db: panelDb,
    publicUrl: config.publicUrl,
    visitStatistics: {
      ...visitStatistics,
      async topPages(...asked) {
        reading += 1;
        await over;
        return visitStatistics.topPages(...asked);
      },
    },
  });
  const sends: Promise<void>[] = [];
  await during(async () => {
    sends.push(monthlyReports.send(key, () => {}));
    await eventually(() => reading === sends.length);
  }).finally(end);
  await Promise.all(sends);
  const sent = app.sink.messages.slice(sentBefore).filter(({ mail }) => mail.subject?.includes('Mai 2026'));
  const { state, attempts } = await db.orm.monthlyReport.findUniqueOrThrow({
    where: { teamId_month_userId: row },
  });
  await db.orm.monthlyReport.delete({ where: { teamId_month_userId: row } });
  return { sent: sent.length, state, attempts };
}

test('a report whose figures take longer than an attempt may wait to begin is sent', async () => {
  const elapsed = performance.now.bind(performance);
  const outcome = await sendSlowly(async (send) => {
    await send();
    jest.spyOn(performance, 'now').mockImplementation(() => elapsed() + 61_000);
  }).finally(() => jest.restoreAllMocks());
  expect(outcome).toEqual({ sent: 1, state: 'sent', attempts: 1 });
});

test('a report that was claimed anew while its figures were read is sent once', async () => {
  const outcome = await sendSlowly(async (send) => {
    await send();
    await app.services.db.orm.monthlyReport.updateMany({
      where: { month: new Date('2026-05-01') },
      data: { nextAttemptAt: new Date(0) },
    });
    await send();
  });
  expect(outcome).toEqual({ sent: 1, state: 'sent', attempts: 2 });
});

describe('the reports of a month', () => {
  const reportsOf = async (month: string) =>
    (await reports())
      .filter((report) => report.month.toISOString().startsWith(month))
      .map(({ user }) => user.email)
      .sort();

  const setActive = (slug: string, active: boolean) =>
    app.services.db.orm.team.update({ where: { slug }, data: { active } });

  /** Runs in October, when the reports of September are recorded, and returns at the 20th. */
  async function recordSeptember(): Promise<void> {
    const { orm } = app.services.db;
    await provision(app.services, [team('initech'), team('umbrella')]);
    await orm.team.updateMany({
      where: { slug: { in: ['initech', 'umbrella'] } },
      data: { active: true, monthlyReportSince: new Date('2026-09-10') },
    });
    await setActive('umbrella', false);
    await orm.monthlyReport.deleteMany();
    now = new Date('2026-10-02T05:00:00Z');
    await app.services.monthlyReports.enqueueDue();
    now = new Date('2026-10-20T12:00:00Z');
    expect(await reportsOf('2026-09')).toEqual(['owner@initech.test']);
  }

  beforeAll(() => app.services.db.orm.team.updateMany({ data: { monthlyReportSince: null } }));
  beforeEach(() => app.services.db.orm.dailyTask.deleteMany({ where: { name: 'monthly-reports' } }));

  test('go neither to the owner who takes over later nor to a team that is activated later', async () => {
    await recordSeptember();
    const { db, teams, monthlyReports } = app.services;
    const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'initech' } });
    const userId = await createAccount(app.services, { email: 'later@initech.test' });
    await db.orm.$transaction((tx) => teams.setRole(tx, { teamId, userId }, 'owner', TEST_ACTOR));
    await monthlyReports.enqueueDue();
    await db.orm.user.delete({ where: { email: 'owner@initech.test' } });
    await setActive('umbrella', true);
    await monthlyReports.enqueueDue();
    expect(await reportsOf('2026-09')).toEqual([]);
    now = new Date('2026-11-02T05:00:00Z');
    await monthlyReports.enqueueDue();
    expect(await reportsOf('2026-10')).toEqual(['later@initech.test', 'owner@umbrella.test']);
  });

  test('are recorded late by a worker that did not run when they were due', async () => {
    await recordSeptember();
    now = new Date('2026-12-09T12:00:00Z');
    await setActive('umbrella', true);
    await app.services.monthlyReports.enqueueDue();
    expect(await reportsOf('2026-11')).toEqual(expect.arrayContaining(['owner@umbrella.test']));
    expect(await reportsOf('2026-10')).toEqual([]);
  });

  test('that a former version has recorded are left as they are by an upgrade', async () => {
    await recordSeptember();
    await app.services.db.orm.dailyTask.deleteMany({ where: { name: 'monthly-reports' } });
    await setActive('umbrella', true);
    await app.services.monthlyReports.enqueueDue();
    expect(await reportsOf('2026-09')).toEqual(['owner@initech.test']);
  });

  test('are due still when their transaction has failed', async () => {
    const { db, monthlyReports } = app.services;
    await setActive('umbrella', true);
    await db.orm.monthlyReport.deleteMany();
    now = new Date('2026-10-02T05:00:00Z');
    await db.orm.dailyTask.create({ data: { name: 'monthly-reports', dueAt: now } });
    await db.orm.$executeRaw`ALTER TABLE monthly_reports RENAME month TO lost`;
    try {
      await expect(monthlyReports.enqueueDue()).rejects.toThrow();
    } finally {
      await db.orm.$executeRaw`ALTER TABLE monthly_reports RENAME lost TO month`;
    }
    await monthlyReports.enqueueDue();
    expect(await reportsOf('2026-09')).toEqual(expect.arrayContaining(['owner@umbrella.test']));
  });
});
