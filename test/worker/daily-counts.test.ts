import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { NIL } from 'uuid';
import { firstLeadAge } from '../../src/attention/today.queries.js';
import type { Transaction } from '../../src/db/client.js';
import { dailySpam } from '../../src/rollups/daily-counts.backfill.js';
import { markDays } from '../../src/rollups/daily-counts.queries.js';
import { createDailyCounts } from '../../src/rollups/daily-counts.service.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { countAllDays, recordedLeads } from '../support/leads.js';
import { isWaitingForLock } from '../support/locks.js';
import { eventually } from '../support/wait.js';

const NOW = new Date('2026-06-15T12:00:00.000Z');
const MINUTE_MS = 60_000;

let app: TestApp;
let paris: string;
let now: Date;

beforeAll(async () => {
  app = await startTestApp({ clock: () => now });
  now = NOW;
  await provision(app.services, [
    team('acme', { websites: [website('paris.acme.test', { time_zone: 'Europe/Paris' })] }),
  ]);
  paris = await websiteId(app.services, 'paris.acme.test');
});
afterAll(() => app.close());

beforeEach(async () => {
  const { orm } = app.services.db;
  now = NOW;
  await orm.submission.deleteMany();
  await orm.dailyCount.deleteMany();
  await orm.rollupMark.deleteMany();
  await orm.formerCount.deleteMany();
});

const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);

/** The leads of each day that came, as `day: stored+deleted`. */
async function counted(): Promise<string[]> {
  const rows = await app.services.db.orm.dailyCount.findMany({ orderBy: { day: 'asc' } });
  return rows.map(({ day, stored, deleted }) => `${day.toISOString().slice(0, 10)}: ${stored}+${deleted}`);
}

const run = () => app.services.dailyCounts.run();

test('a run counts new leads by the day of their website, and again only what has changed', async () => {
  // Half past eleven in the evening in Paris, and half past midnight: the same day in UTC.
  await recordedLeads(app.services, paris, 2, new Date('2026-06-14T21:30:00Z'));
  await recordedLeads(app.services, paris, 1, new Date('2026-06-14T22:30:00Z'));
  await run();
  expect(await counted()).toEqual(['2026-06-14: 2+0', '2026-06-15: 1+0']);
  now = new Date(NOW.getTime() + 5 * MINUTE_MS);
  await recordedLeads(app.services, paris, 1, ago(1));
  await run();
  await run();
  expect(await counted()).toEqual(['2026-06-14: 2+0', '2026-06-15: 2+0']);
});

test('an hour that the clocks repeat after midnight belongs to the day that it begins', async () => {
  const { orm } = app.services.db;
  const { statistics } = app.services;
  await orm.website.update({ where: { id: paris }, data: { timeZone: 'Atlantic/Azores' } });
  // Half past midnight comes in summer time, and again in winter time.
  for (const hour of ['24T23:30', '25T00:30', '25T01:30', '26T00:59']) {
    const at = new Date(`2026-10-${hour}:00Z`);
    now = new Date(at.getTime() + MINUTE_MS);
    await recordedLeads(app.services, paris, 1, at);
    await run();
  }
  expect(await counted()).toEqual(['2026-10-24: 1+0', '2026-10-25: 3+0']);
  const scope = { teamIds: null, websiteIds: null, formIds: null };
  const period = { from: new Date('2026-10-20T00:00:00Z'), to: new Date('2026-11-20T00:00:00Z') };
  for (const today of ['26', '27', '31']) {
    now = new Date(`2026-10-${today}T12:00:00Z`);
    expect(await statistics.perDay(scope, period)).toEqual([
      { day: '2026-10-24', count: 1 },
      { day: '2026-10-25', count: 3 },
    ]);
    const days = { firstDay: '2026-10-25', lastDay: '2026-10-25' };
    expect(await statistics.perDay(scope, days)).toEqual([{ day: '2026-10-25', count: 3 }]);
    const [recent] = await statistics.recent([{ websiteId: paris, days: 12 }]);
    expect(recent!.filter((count) => count > 0)).toEqual([1, 3]);
  }
  await orm.website.update({ where: { id: paris }, data: { timeZone: 'Europe/Paris' } });
});

test('a lead that is committed a minute after its moment is counted', async () => {
  await run();
  await recordedLeads(app.services, paris, 1, ago(1));
  await run();
  expect(await counted()).toEqual(['2026-06-15: 1+0']);
});

test('the first run of an hour counts the leads of a gateway whose clock is slow by an hour', async () => {
  await run();
  await recordedLeads(app.services, paris, 1, ago(60));
  await run();
  expect(await counted()).toEqual([]);
  now = new Date(NOW.getTime() + 60 * MINUTE_MS);
  await run();
  expect(await counted()).toEqual(['2026-06-15: 1+0']);
});

test('the first run of an hour counts by hours of the week, each website and all, the leads of eight weeks alone', async () => {
  const { db, handling } = app.services;
  /** Hours that have leads, as `hour: leads`. */
  const shown = (hours: readonly number[]) =>
    hours.flatMap((leads, hour) => (leads > 0 ? [`${hour}: ${leads}`] : []));
  const known = async () => {
    now = new Date(now.getTime() + 60 * MINUTE_MS);
    await run();
    const habit = await db.orm.leadHabit.findFirst();
    const all = await db.orm.leadHour.findMany({ orderBy: { hour: 'asc' } });
    return { own: shown(habit?.hours ?? []), all: shown(all.map(({ leads }) => leads)) };
  };
  await recordedLeads(app.services, paris, 2, new Date('2026-06-14T23:59:59Z'));
  const [spam, gone] = await recordedLeads(app.services, paris, 3, new Date('2026-06-15T00:00:00Z'));
  // A mailing: what is beyond the usual of its hour says nothing of when leads come.
  await recordedLeads(app.services, paris, 9, new Date('2026-06-08T00:00:00Z'));
  await recordedLeads(app.services, paris, 1, new Date('2026-04-01T00:00:00Z'));
  expect(await known()).toEqual({ own: ['0: 3', '167: 2'], all: ['0: 12', '167: 2'] });
  await handling.setState([spam!], 'spam', TEST_ACTOR);
  await db.orm.submission.delete({ where: { id: gone! } });
  expect(await known()).toEqual({ own: ['0: 3', '167: 2'], all: ['0: 10', '167: 2'] });
  await recordedLeads(app.services, paris, 4, new Date('2026-06-01T00:00:00Z'));
  await recordedLeads(app.services, paris, 5, new Date('2026-05-25T00:00:00Z'));
  // Of 1, 4, 5 and 9 leads in four of eight weeks the median is 1, with a fifth week of 4 it is 4.
  expect((await known()).own).toEqual(['0: 6', '167: 2']);
  await recordedLeads(app.services, paris, 4, new Date('2026-05-18T00:00:00Z'));
  expect((await known()).own).toEqual(['0: 20', '167: 2']);
  now = new Date('2026-09-01T00:00:00Z');
  expect(await known()).toEqual({ own: [], all: [] });
});

test('deleted leads still count, before and after the day is counted anew, and however often', async () => {
  const [first] = await recordedLeads(app.services, paris, 3, ago(10));
  await run();
  await app.services.db.orm.submission.delete({ where: { id: first! } });
  await run();
  expect(await counted()).toEqual(['2026-06-15: 2+1']);
  // Before any worker has counted it.
  const [fresh] = await recordedLeads(app.services, paris, 1, ago(5));
  await app.services.db.orm.submission.delete({ where: { id: fresh! } });
  await countAllDays(app.services);
  expect(await counted()).toEqual(['2026-06-15: 2+2']);
  await app.services.db.orm.submission.deleteMany();
  await countAllDays(app.services);
  expect(await counted()).toEqual(['2026-06-15: 0+4']);
});

test('spam counts apart as well, also once it is deleted, and no longer when it turns out to be none', async () => {
  const { handling, db } = app.services;
  const [spam, deleted] = await recordedLeads(app.services, paris, 3, ago(10));
  await run();
  await handling.setState([spam!, deleted!], 'spam', TEST_ACTOR);
  await run();
  const row = () => db.orm.dailyCount.findFirstOrThrow();
  expect(await row()).toMatchObject({ stored: 3, spam: 2, deleted: 0, deletedSpam: 0 });
  await db.orm.submission.delete({ where: { id: deleted! } });
  expect(await row()).toMatchObject({ deleted: 1, deletedSpam: 1 });
  await run();
  expect(await row()).toMatchObject({ stored: 2, spam: 1, deleted: 1, deletedSpam: 1 });
  await handling.setState([spam!], 'new', TEST_ACTOR);
  await run();
  expect(await row()).toMatchObject({ stored: 2, spam: 0, deleted: 1, deletedSpam: 1 });
});

test('spam that was counted as a lead and is then deleted is no last lead, until a lead of its day is deleted too', async () => {
  const { handling, db } = app.services;
  const [lead] = await recordedLeads(app.services, paris, 1, ago(60));
  const [spam] = await recordedLeads(app.services, paris, 1, ago(5));
  await run();
  expect(await db.orm.leadHabit.findFirstOrThrow()).toMatchObject({ lastAt: ago(5) });
  await handling.setState([spam!], 'spam', TEST_ACTOR);
  await db.orm.submission.delete({ where: { id: spam! } });
  await run();
  expect(await db.orm.dailyCount.findFirstOrThrow()).toMatchObject({ deletedSpam: 1, lastAt: ago(60) });
  expect(await db.orm.leadHabit.findFirstOrThrow()).toMatchObject({ lastAt: ago(60) });
  await db.orm.submission.delete({ where: { id: lead! } });
  await run();
  expect(await db.orm.leadHabit.findFirstOrThrow()).toMatchObject({ lastAt: ago(60) });
});

test('the backfill has spam counted apart that a version before counted among the leads', async () => {
  const { db } = app.services;
  const [spam] = await recordedLeads(app.services, paris, 2, ago(10));
  await recordedLeads(app.services, paris, 1, ago(5 * 24 * 60));
  await db.orm.submission.update({ where: { id: spam! }, data: { state: 'spam' } });
  await db.orm.$transaction((tx) => markDays(tx, NIL, 10));
  await run();
  await db.orm.dailyCount.updateMany({ data: { spam: 0 } });
  await db.orm.$transaction((tx) => dailySpam.rewrite(tx, null, 10));
  expect(await db.orm.dailyCount.count({ where: { isStale: true } })).toBe(1);
  await run();
  expect(await db.orm.dailyCount.findMany({ orderBy: { day: 'desc' } })).toMatchObject([
    { stored: 2, spam: 1 },
    { stored: 1, spam: 0 },
  ]);
});

test('the backfill has days counted anew whose spam was deleted before a version before counted them', async () => {
  const { db } = app.services;
  await recordedLeads(app.services, paris, 1, ago(5 * 24 * 60));
  await db.orm.notification.updateMany({ data: { state: 'sent' } });
  await db.orm.$transaction((tx) => markDays(tx, NIL, 10));
  await run();
  await db.orm.dailyCount.updateMany({ data: { spam: 7, deleted: 7, deletedSpam: 7 } });
  await db.orm.$transaction((tx) => dailySpam.rewrite(tx, null, 10));
  await run();
  expect(await db.orm.dailyCount.findMany()).toMatchObject([
    { stored: 1, spam: 0, deleted: 7, deletedSpam: 7 },
  ]);
});

test('what was deleted before spam counted apart is spam for habits, unless retention may have deleted it', async () => {
  const { db } = app.services;
  // The backfill reads the clock of PostgreSQL.
  now = new Date();
  await db.orm.team.updateMany({ data: { retentionMonths: 3 } });
  for (const days of [10, 40, 120]) {
    const [id] = await recordedLeads(app.services, paris, 3, ago(days * 24 * 60));
    await db.orm.submission.delete({ where: { id: id! } });
  }
  await run();
  await db.orm.dailyCount.updateMany({ data: { deletedSpam: null } });
  const today = await recordedLeads(app.services, paris, 1, ago(1));
  await db.orm.submission.deleteMany({ where: { id: { in: today } } });
  await db.orm.$transaction((tx) => dailySpam.rewrite(tx, null, 10));
  await run();
  expect(await db.orm.dailyCount.findMany({ orderBy: { day: 'desc' } })).toMatchObject([
    { stored: 0, deleted: 1, deletedSpam: 0 },
    { stored: 2, deleted: 1, deletedSpam: 1 },
    { stored: 2, deleted: 1, deletedSpam: 1 },
    { stored: 2, deleted: 1, deletedSpam: 0 },
  ]);
  expect(await db.orm.leadHabit.findFirstOrThrow()).toMatchObject({ leads: 8 });
  const scope = { teamIds: null, websiteIds: null, formIds: null };
  const [firstDay = '', lastDay = ''] = [150 * 24 * 60, -24 * 60].map((m) =>
    ago(m).toISOString().slice(0, 10),
  );
  const perDay = await app.services.statistics.perDay(scope, { firstDay, lastDay });
  expect(perDay.map(({ count }) => count)).toEqual([3, 2, 2, 1]);
  await db.orm.team.updateMany({ data: { retentionMonths: 36 } });
});

test('a silence that a habit with spam has found ends when the spam is counted apart', async () => {
  const { db, handling } = app.services;
  const [spam] = await recordedLeads(app.services, paris, 2, ago(5 * 24 * 60));
  await recordedLeads(app.services, paris, 1, ago(4 * 24 * 60));
  await countAllDays(app.services);
  await db.orm.leadHabit.updateMany({ data: { silentAt: ago(1) } });
  await countAllDays(app.services);
  expect(await db.orm.leadHabit.findFirstOrThrow()).toMatchObject({ leads: 3, silentAt: ago(1) });
  await handling.setState([spam!], 'spam', TEST_ACTOR);
  await run();
  expect(await db.orm.leadHabit.findFirstOrThrow()).toMatchObject({ leads: 2, silentAt: null });
});

test('statistics count a deleted lead once, also before its day is counted anew', async () => {
  const { db, statistics, attention, usage } = app.services;
  const { teamId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: paris } });
  const leads = await recordedLeads(app.services, paris, 3, ago(3 * 24 * 60));
  const [inMay] = await recordedLeads(app.services, paris, 3, new Date('2026-05-10T12:00:00Z'));
  await countAllDays(app.services);
  const counts = async () => {
    const scope = { teamIds: null, websiteIds: null, formIds: null };
    const [day] = await statistics.perDay(scope, { firstDay: '2026-06-10', lastDay: '2026-06-15' });
    const [form] = await statistics.perForm(scope, { firstDay: '2026-06-10', lastDay: '2026-06-15' });
    const [recent] = await statistics.recent([{ websiteId: paris, days: 7 }]);
    const { leadsPerDay } = await attention.today({ teamIds: null });
    const [, may] = (await usage.months([teamId]))[0]!;
    return [day?.count, form?.count, recent?.at(-4), leadsPerDay.at(-4), may?.submissions];
  };
  expect(await counts()).toEqual([3, 3, 3, 3, 3]);
  await db.orm.submission.deleteMany({ where: { id: { in: [leads[0]!, inMay!] } } });
  expect(await counts()).toEqual([3, 3, 3, 3, 3]);
  await run();
  expect(await counts()).toEqual([3, 3, 3, 3, 3]);
});

test('every figure of leads leaves spam out, that of each day alike, also what was deleted', async () => {
  const { db, statistics, attention, usage, breakdowns, visitStatistics, handling } = app.services;
  const { teamId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: paris } });
  // Each day had three leads, of which one was deleted, and four pieces of spam, of which two were.
  const days = ['2026-04-20', '2026-05-10', '2026-06-10', '2026-06-14', '2026-06-15'];
  const gone: string[] = [];
  for (const day of days) {
    const ids = await recordedLeads(app.services, paris, 7, new Date(`${day}T11:00:00Z`));
    await handling.setState(ids.slice(3), 'spam', TEST_ACTOR);
    gone.push(...ids.slice(2, 5));
  }
  // A day of nothing but spam.
  const only = await recordedLeads(app.services, paris, 2, new Date('2026-04-12T11:00:00Z'));
  await handling.setState(only, 'spam', TEST_ACTOR);
  await countAllDays(app.services);
  await db.orm.submission.deleteMany({ where: { id: { in: gone } } });
  const check = async () => {
    const scope = { teamIds: [teamId], websiteIds: null, formIds: null };
    const period = { firstDay: '2026-04-01', lastDay: '2026-06-15' };
    expect(await statistics.perDay(scope, period)).toEqual(days.map((day) => ({ day, count: 3 })));
    const since = { from: new Date('2026-04-01T00:00:00Z'), to: now };
    expect(await statistics.perDay(scope, since)).toEqual(days.map((day) => ({ day, count: 3 })));
    expect(await statistics.perForm(scope, period)).toMatchObject([{ count: 15 }]);
    expect(await statistics.perForm(scope, { firstDay: '2026-04-12', lastDay: '2026-04-12' })).toEqual([]);
    const wanted = { by: 'website', before: '2026-04-01', limit: 20 } as const;
    const inMay = { firstDay: '2026-05-01', lastDay: '2026-06-15' };
    expect((await statistics.breakdown(scope, inMay, wanted)).items).toMatchObject([
      { submissions: 12, submissionsBefore: 3 },
    ]);
    expect(await statistics.perLanguage(scope, period)).toEqual([{ locale: 'fr', count: 10 }]);
    const [recent] = await statistics.recent([{ websiteId: paris, days: 6 }]);
    expect(recent).toEqual([3, 0, 0, 0, 3, 3]);
    const today = await attention.today({ teamIds: [teamId] });
    expect(today.leadsPerDay).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 3, 3]);
    expect(today.leads).toBe(3);
    const months = (await usage.months([teamId]))[0]!.map((month) => month.submissions);
    expect(months.slice(0, 3)).toEqual([6, 3, 3]);
    const visits = { teamId, websiteId: null, from: new Date('2026-04-01'), to: new Date('2026-06-16') };
    const { items } = await breakdowns.of(visits, { by: 'language', before: null, limit: 5 });
    expect(items).toMatchObject([{ value: 'fr', submissions: 10 }]);
    expect(await visitStatistics.attribution(visits, 'utm_source', 5)).toMatchObject([{ submissions: 10 }]);
    // The weeks since the first lead, which only spam preceded: 20 April.
    expect(await firstLeadAge(db, { teamIds: [teamId] }, 90, now)).toBe(56);
  };
  await check();
  await countAllDays(app.services);
  await check();
  expect(await db.orm.leadHabit.findFirstOrThrow()).toMatchObject({ leads: 15 });
});

test('what comes while no worker runs for days is in every figure, and once the counts go on', async () => {
  const { db, statistics, usage, attention } = app.services;
  const { teamId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: paris } });
  now = new Date('2026-05-29T12:00:00Z');
  await recordedLeads(app.services, paris, 1, ago(5));
  await run();
  const leads = [];
  for (const day of ['05-29T20', '05-30T12', '05-31T12', '06-01T12', '06-02T12', '06-03T06']) {
    leads.push(...(await recordedLeads(app.services, paris, 2, new Date(`2026-${day}:00:00Z`))));
  }
  now = new Date('2026-06-03T08:00:00Z');
  await db.orm.submission.deleteMany({ where: { id: { in: [leads[2]!, leads[8]!] } } });
  const check = async () => {
    const scope = { teamIds: [teamId], websiteIds: null, formIds: null };
    const perDay = await statistics.perDay(scope, { firstDay: '2026-05-01', lastDay: '2026-06-03' });
    expect(perDay.map(({ day, count }) => `${day}: ${count}`)).toEqual([
      '2026-05-29: 3',
      '2026-05-30: 2',
      '2026-05-31: 2',
      '2026-06-01: 2',
      '2026-06-02: 2',
      '2026-06-03: 2',
    ]);
    const [recent] = await statistics.recent([{ websiteId: paris, days: 6 }]);
    expect(recent).toEqual([3, 2, 2, 2, 2, 2]);
    const months = (await usage.months([teamId]))[0]!.map((month) => month.submissions);
    expect(months.slice(0, 2)).toEqual([5, 7]);
    const today = await attention.today({ teamIds: [teamId] });
    expect(today.leadsPerDay.slice(-6)).toEqual([3, 2, 2, 2, 2, 2]);
    expect(today.leads).toBe(2);
    expect(await firstLeadAge(db, { teamIds: [teamId] }, 56, now)).toBe(5);
  };
  await check();
  await run();
  await check();
});

test('what came through a website or form that is deleted stays in the figures of its team', async () => {
  const { db, statistics, usage, visitStatistics, managedForms } = app.services;
  const hosts = ['a.former.test', 'b.former.test'];
  await provision(app.services, [team('former', { websites: hosts.map((host) => website(host)) })]);
  const [gone, left] = [await websiteId(app.services, hosts[0]!), await websiteId(app.services, hosts[1]!)];
  const { form } = await db.orm.placement.findFirstOrThrow({
    where: { websiteId: gone },
    include: { form: true },
  });
  const { teamId } = form;
  const [spam] = await recordedLeads(app.services, gone, 3, new Date('2026-05-10T12:00:00Z'));
  await app.services.handling.setState([spam!], 'spam', TEST_ACTOR);
  await recordedLeads(app.services, left, 2, new Date('2026-05-10T12:00:00Z'));
  await recordedLeads(app.services, left, 1, new Date('2026-05-31T12:00:00Z'));
  const day = new Date('2026-05-10');
  await db.orm.dailyVisits.create({ data: { websiteId: gone, day, pageViews: 20, visitors: 10 } });
  await countAllDays(app.services);
  const period = { firstDay: '2026-05-01', lastDay: '2026-05-31' };
  const perDay = (websiteIds: string[] | null) =>
    statistics.perDay({ teamIds: [teamId], websiteIds, formIds: null }, period);
  const check = async () => {
    expect(await perDay(null)).toEqual([
      { day: '2026-05-10', count: 4 },
      { day: '2026-05-31', count: 1 },
    ]);
    expect((await usage.months([teamId]))[0]![1]).toMatchObject({ month: '2026-05', submissions: 5 });
    const visits = { teamId, websiteId: null, from: day, to: new Date('2026-05-11') };
    expect(await visitStatistics.perDay(visits)).toEqual([
      { day: '2026-05-10', pageViews: 20, visitors: 10 },
    ]);
  };
  await check();
  await db.orm.submission.deleteMany({ where: { teamId } });
  await check();
  await db.orm.website.delete({ where: { id: gone } });
  await check();
  expect(await perDay([left])).toMatchObject([{ count: 2 }, { count: 1 }]);
  expect(await managedForms.remove(form, TEST_ACTOR)).toBe('deleted');
  await check();
  expect(await perDay([left])).toEqual([]);
  await db.orm.team.delete({ where: { id: teamId } });
  expect(await db.orm.formerCount.count()).toBe(0);
});

test.each(['website', 'form'] as const)(
  'the last lead that is deleted while its %s is counts in the figures of the team',
  async (kind) => {
    const { orm } = app.services.db;
    const host = `${kind}.waiting.test`;
    await provision(app.services, [team(`waiting-${kind}`, { websites: [website(host)] })]);
    const site = await websiteId(app.services, host);
    const { formId } = await orm.placement.findFirstOrThrow({ where: { websiteId: site } });
    const [first, last] = await recordedLeads(app.services, site, 2, ago(10));
    await orm.submission.delete({ where: { id: first! } });
    const remove = async () =>
      kind === 'form'
        ? orm.form.deleteMany({ where: { id: formId } })
        : orm.website.deleteMany({ where: { id: site } });
    const { removing } = await orm.$transaction(async (tx) => {
      await tx.submission.delete({ where: { id: last! } });
      const removing = remove();
      await eventually(() => isWaitingForLock(app.database));
      return { removing };
    });
    expect(await removing).toEqual({ count: 1 });
    expect(await orm.formerCount.findMany()).toMatchObject([{ leads: 2 }]);
  },
);

test.each(['website', 'form'] as const)(
  'a lead of a website and a form that are deleted at once counts once, the %s first',
  async (kind) => {
    const { orm } = app.services.db;
    const host = `${kind}.both.test`;
    await provision(app.services, [team(`both-${kind}`, { websites: [website(host)] })]);
    const site = await websiteId(app.services, host);
    const { formId } = await orm.placement.findFirstOrThrow({ where: { websiteId: site } });
    const [lead] = await recordedLeads(app.services, site, 1, ago(10));
    await orm.submission.delete({ where: { id: lead! } });
    const removals = [
      (tx: Transaction) => tx.website.deleteMany({ where: { id: site } }),
      (tx: Transaction) => tx.form.deleteMany({ where: { id: formId } }),
    ] as const;
    const [first, second] = kind === 'website' ? removals : ([removals[1], removals[0]] as const);
    const { removing } = await orm.$transaction(async (tx) => {
      await first(tx);
      const removing = orm.$transaction(second);
      await eventually(() => isWaitingForLock(app.database));
      return { removing };
    });
    expect(await removing).toEqual({ count: 1 });
    expect(await orm.formerCount.findMany()).toMatchObject([{ leads: 1 }]);
  },
);

test('a deletion that is taken back counts nothing', async () => {
  const [id] = await recordedLeads(app.services, paris, 1, ago(10));
  await run();
  const { orm } = app.services.db;
  const broken = orm.$transaction(async (tx) => {
    await tx.submission.delete({ where: { id: id! } });
    throw new Error('broken off');
  });
  await expect(broken).rejects.toThrow('broken off');
  await run();
  expect(await counted()).toEqual(['2026-06-15: 1+0']);
});

test('deletions and counts at the same time end with the right sum', async () => {
  const ids = await recordedLeads(app.services, paris, 40, ago(10));
  const { orm } = app.services.db;
  await Promise.all([
    ...ids.slice(0, 20).map((id) => orm.submission.deleteMany({ where: { id } })),
    ...Array.from({ length: 10 }, () => run()),
  ]);
  await run();
  expect(await counted()).toEqual(['2026-06-15: 20+20']);
});

test('days with too many leads for one transaction are counted in several', async () => {
  const { orm } = app.services.db;
  for (let day = 1; day <= 5; day += 1)
    await recordedLeads(app.services, paris, 1, new Date(`2026-06-0${day}T12:00:00Z`));
  await orm.$transaction((tx) => markDays(tx, NIL, 100));
  // As of a statement that takes longer than its timeout.
  await orm.$executeRaw`
    CREATE FUNCTION cancel_large_counts() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT count(*) FROM counted) > 1 THEN RAISE query_canceled; END IF;
      RETURN NULL;
    END $$`;
  await orm.$executeRaw`
    CREATE TRIGGER cancel_large_counts AFTER UPDATE ON daily_counts REFERENCING NEW TABLE AS counted
      FOR EACH STATEMENT EXECUTE FUNCTION cancel_large_counts()`;
  try {
    await run();
  } finally {
    await orm.$executeRaw`DROP TRIGGER cancel_large_counts ON daily_counts`;
  }
  expect(await counted()).toEqual([1, 2, 3, 4, 5].map((day) => `2026-06-0${day}: 1+0`));
});

test('a run that is killed between its count and its mark is repeated without a trace', async () => {
  await recordedLeads(app.services, paris, 3, ago(1));
  const { db } = app.services;
  const killed = createDailyCounts({
    clock: () => now,
    db: {
      ...db,
      orm: new Proxy(db.orm, {
        get(orm, name) {
          if (name === 'rollupMark') return { ...orm.rollupMark, findUnique: async () => null, upsert: kill };
          return Reflect.get(orm, name);
        },
      }),
    },
  });
  await expect(killed.run()).rejects.toThrow('killed');
  await run();
  expect(await counted()).toEqual(['2026-06-15: 3+0']);
});

const kill = () => Promise.reject(new Error('killed'));

test.each(['Europe/Paris', 'Pacific/Auckland', 'America/New_York'])(
  'the usage of the present month (UTC) has its leads that are there, counted or not, in %s',
  async (timeZone) => {
    const { orm } = app.services.db;
    const { teamId } = await orm.website.update({ where: { id: paris }, data: { timeZone } });
    const usage = async () => (await app.services.usage.months([teamId]))[0]!.map((one) => one.submissions);
    for (const at of ['2026-05-31T23:59:59.999Z', '2026-06-01T00:00:00Z', '2026-06-01T23:00:00Z'])
      await recordedLeads(app.services, paris, 1, new Date(at));
    const counted = await recordedLeads(app.services, paris, 3, new Date('2026-06-10T23:30:00Z'));
    await countAllDays(app.services);
    await recordedLeads(app.services, paris, 2, ago(24 * 60));
    const [today, test] = await recordedLeads(app.services, paris, 2, ago(1));
    await orm.submission.update({ where: { id: test! }, data: { testRecipient: 'probes@agency.test' } });
    expect((await usage())[0]).toBe(8);
    await orm.submission.deleteMany({ where: { id: { in: [counted[0]!, today!] } } });
    expect((await usage())[0]).toBe(6);
    await run();
    expect((await usage())[0]).toBe(6);
    now = new Date('2026-06-01T00:00:00Z');
    expect((await usage())[0]).toBe(6);
    await orm.website.update({ where: { id: paris }, data: { timeZone: 'Europe/Paris' } });
  },
);

test('another time zone of the website moves its leads to their new days', async () => {
  await recordedLeads(app.services, paris, 2, new Date('2026-06-14T22:30:00Z'));
  await run();
  expect(await counted()).toEqual(['2026-06-15: 2+0']);
  const { orm } = app.services.db;
  await orm.website.update({ where: { id: paris }, data: { timeZone: 'America/New_York' } });
  await run();
  expect((await counted()).filter((day) => !day.endsWith('0+0'))).toEqual(['2026-06-14: 2+0']);
  await orm.website.update({ where: { id: paris }, data: { timeZone: 'Europe/Paris' } });
});

test('a day has its e-mails by outcome, also when they end later', async () => {
  const ids = await recordedLeads(app.services, paris, 3, ago(10));
  const { orm } = app.services.db;
  const emails = async () => {
    const { emailsSent, emailsPending, emailsUnsent } = await orm.dailyCount.findFirstOrThrow();
    return { emailsSent, emailsPending, emailsUnsent };
  };
  await run();
  expect(await emails()).toEqual({ emailsSent: 0, emailsPending: 3, emailsUnsent: 0 });
  now = new Date(NOW.getTime() + 30 * MINUTE_MS);
  await orm.notification.update({ where: { submissionId: ids[0]! }, data: { state: 'sent' } });
  await orm.notification.update({ where: { submissionId: ids[1]! }, data: { state: 'failed' } });
  await run();
  expect(await emails()).toEqual({ emailsSent: 1, emailsPending: 1, emailsUnsent: 1 });
});

test('a withheld e-mail is neither sent nor unsent, and one that bounced for every recipient is unsent', async () => {
  const ids = await recordedLeads(app.services, paris, 7, ago(10));
  const { orm } = app.services.db;
  const states = [
    'sent',
    'withheld',
    'bounced',
    'failed',
    'no_recipient',
    'skipped_quota',
    'pending',
  ] as const;
  for (const [index, state] of states.entries()) {
    await orm.notification.update({ where: { submissionId: ids[index]! }, data: { state } });
  }
  await run();
  expect(await orm.dailyCount.findFirstOrThrow()).toMatchObject({
    emailsSent: 1,
    emailsPending: 1,
    emailsUnsent: 4,
  });
});

test('an e-mail that is sent again is pending in its day at the next run, and then sent', async () => {
  const [id] = await recordedLeads(app.services, paris, 1, ago(10));
  const { orm } = app.services.db;
  const where = { submissionId: id! };
  const emails = () => orm.dailyCount.findFirstOrThrow();
  await orm.notification.update({ where, data: { state: 'failed' } });
  await run();
  now = new Date(NOW.getTime() + 30 * MINUTE_MS);
  await run();
  expect(await emails()).toMatchObject({ emailsSent: 0, emailsPending: 0, emailsUnsent: 1 });
  await app.services.handling.sendAgain([id!], TEST_ACTOR);
  await run();
  expect(await emails()).toMatchObject({ emailsSent: 0, emailsPending: 1, emailsUnsent: 0 });
  await orm.notification.update({ where, data: { state: 'sent' } });
  await run();
  expect(await emails()).toMatchObject({ emailsSent: 1, emailsPending: 0, emailsUnsent: 0 });
});

test('an e-mail that is sent again is no longer unsent, also once another lead of its day was deleted', async () => {
  const [kept, deleted] = await recordedLeads(app.services, paris, 2, ago(10));
  const { orm } = app.services.db;
  const emails = async () => {
    const { emailsSent, emailsPending, emailsUnsent } = await orm.dailyCount.findFirstOrThrow();
    return [emailsSent, emailsPending, emailsUnsent];
  };
  await orm.notification.update({ where: { submissionId: kept! }, data: { state: 'failed' } });
  await orm.notification.update({ where: { submissionId: deleted! }, data: { state: 'sent' } });
  await run();
  expect(await emails()).toEqual([1, 0, 1]);
  await orm.submission.delete({ where: { id: deleted! } });
  await run();
  expect(await emails()).toEqual([1, 0, 1]);
  await app.services.handling.sendAgain([kept!], TEST_ACTOR);
  await run();
  expect(await emails()).toEqual([1, 1, 0]);
  await orm.notification.update({ where: { submissionId: kept! }, data: { state: 'sent' } });
  now = new Date(NOW.getTime() + 30 * MINUTE_MS);
  await run();
  // How many were sent of those that were deleted is no longer known exactly.
  expect((await emails()).slice(1)).toEqual([0, 0]);
});

test('test leads are in no count, neither while they are there nor when they are deleted', async () => {
  const [id] = await recordedLeads(app.services, paris, 1, ago(1));
  const { orm } = app.services.db;
  await orm.submission.update({ where: { id: id! }, data: { testRecipient: 'probes@agency.test' } });
  await run();
  await orm.submission.deleteMany();
  await run();
  expect(await counted()).toEqual([]);
});

test('the backfill has the leads counted that were there before', async () => {
  await recordedLeads(app.services, paris, 2, new Date('2025-01-10T10:00:00Z'));
  await recordedLeads(app.services, paris, 1, new Date('2025-02-10T10:00:00Z'));
  await run();
  expect(await counted()).toEqual([]);
  await app.services.db.orm.$transaction((tx) => markDays(tx, NIL, 100));
  await run();
  expect(await counted()).toEqual(['2025-01-10: 2+0', '2025-02-10: 1+0']);
});
