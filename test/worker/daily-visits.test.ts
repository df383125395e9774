import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { DAY_MS } from '../../src/lib/durations.js';
import { countNextDay } from '../../src/visits/daily-visits.queries.js';
import { countVisits } from '../../src/visits/daily-visits.service.js';
import { purgeVisits } from '../../src/visits/retention.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';

const NOW = new Date('2026-06-15T12:00:00.000Z');

let app: TestApp;
let site: string;
let shop: string;
let teamId: number;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('shop.acme.test')] }),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
  shop = await websiteId(app.services, 'shop.acme.test');
  ({ teamId } = await app.services.db.orm.website.findUniqueOrThrow({ where: { id: site } }));
});
afterAll(() => app.close());

beforeEach(async () => {
  const { orm } = app.services.db;
  await orm.visit.deleteMany();
  await orm.dailyVisits.deleteMany();
  await orm.rollupMark.deleteMany();
});

const addVisits = (id: string, visits: readonly (readonly [at: string, visitor: string])[]) =>
  app.services.db.orm.visit.createMany({
    data: visits.map(([at, visitor]) => ({
      id: uuid(),
      websiteId: id,
      visitorHash: visitor,
      pageUrl: 'https://www.acme.test/',
      createdAt: new Date(at),
    })),
  });

/** The days that are counted, as `day: views by visitors`. */
async function counted(id: string): Promise<string[]> {
  const rows = await app.services.db.orm.dailyVisits.findMany({
    where: { websiteId: id },
    orderBy: { day: 'asc' },
  });
  return rows.map((row) => `${row.day.toISOString().slice(0, 10)}: ${row.pageViews} by ${row.visitors}`);
}

/** What the statistics of the team say of days with visits. */
async function statistics(websiteOf: string | null = null) {
  const period = { from: new Date('2025-06-16T00:00:00Z'), to: new Date('2026-06-16T00:00:00Z') };
  const days = await app.services.visitStatistics.perDay({ teamId, websiteId: websiteOf, ...period });
  return days
    .filter(({ pageViews }) => pageViews > 0)
    .map(({ day, pageViews, visitors }) => `${day}: ${pageViews} by ${visitors}`);
}

async function addSomeWeeks(): Promise<void> {
  await addVisits(site, [
    ['2026-03-01T00:00:00Z', 'a'],
    ['2026-03-01T23:59:59.999Z', 'a'],
    ['2026-03-01T12:00:00Z', 'b'],
    ['2026-06-13T23:59:59Z', 'c'],
    ['2026-06-14T00:00:00Z', 'd'],
    ['2026-06-15T11:00:00Z', 'e'],
  ]);
  await addVisits(shop, [['2026-03-01T10:00:00Z', 'f']]);
}

test('a run counts the visits and visitors of each website and day that ended a day ago', async () => {
  await addSomeWeeks();
  await countVisits(app.services.db, NOW);
  expect(await counted(site)).toEqual(['2026-03-01: 3 by 2', '2026-06-13: 1 by 1']);
  expect(await counted(shop)).toEqual(['2026-03-01: 1 by 1']);
});

test('statistics are the same before a run, between its days and after it', async () => {
  await addSomeWeeks();
  const { db } = app.services;
  const expected = ['2026-03-01: 4 by 3', '2026-06-13: 1 by 1', '2026-06-14: 1 by 1', '2026-06-15: 1 by 1'];
  expect(await statistics()).toEqual(expected);
  const until = new Date('2026-06-14T00:00:00Z');
  expect(await db.orm.$transaction((tx) => countNextDay(tx, { until, now: NOW }))).toBe(true);
  expect(await counted(site)).toEqual(['2026-03-01: 3 by 2']);
  expect(await statistics()).toEqual(expected);
  await countVisits(db, NOW);
  expect(await statistics()).toEqual(expected);
  expect(await statistics(shop)).toEqual(['2026-03-01: 1 by 1']);
});

test('a count that is broken off leaves nothing, and is repeated', async () => {
  await addSomeWeeks();
  const { db } = app.services;
  const until = new Date('2026-06-14T00:00:00Z');
  const broken = db.orm.$transaction(async (tx) => {
    await countNextDay(tx, { until, now: NOW });
    throw new Error('killed');
  });
  await expect(broken).rejects.toThrow('killed');
  expect(await counted(site)).toEqual([]);
  await countVisits(db, NOW);
  expect(await counted(site)).toEqual(['2026-03-01: 3 by 2', '2026-06-13: 1 by 1']);
});

test('a mark that a clock days ahead has left behind is set back, with the day it broke off', async () => {
  const { db } = app.services;
  const addOfToday = (visitor: string) => addVisits(site, [['2026-06-15T10:00:00Z', visitor]]);
  await addOfToday('a');
  await countVisits(db, new Date(NOW.getTime() + 10 * DAY_MS));
  expect(await counted(site)).toEqual(['2026-06-15: 1 by 1']);
  await addOfToday('b');
  await addVisits(site, [['2026-06-16T10:00:00Z', 'c']]);
  await countVisits(db, new Date(NOW.getTime() + 2 * DAY_MS));
  expect(await counted(site)).toEqual(['2026-06-15: 2 by 2']);
  await countVisits(db, new Date(NOW.getTime() + 3 * DAY_MS));
  expect(await counted(site)).toEqual(['2026-06-15: 2 by 2', '2026-06-16: 1 by 1']);
});

test('a mark that a clock days ahead has left behind before the first visit hides none', async () => {
  const { db } = app.services;
  await countVisits(db, new Date(NOW.getTime() + 10 * DAY_MS));
  await addVisits(site, [['2026-06-15T10:00:00Z', 'a']]);
  await countVisits(db, new Date(NOW.getTime() + 4 * DAY_MS));
  expect(await counted(site)).toEqual(['2026-06-15: 1 by 1']);
});

test('workers that count at once count each day once', async () => {
  await addSomeWeeks();
  const { db } = app.services;
  await Promise.all(Array.from({ length: 4 }, () => countVisits(db, NOW)));
  expect(await counted(site)).toEqual(['2026-03-01: 3 by 2', '2026-06-13: 1 by 1']);
});

test('visits that retention deletes still count, also those that no worker had counted', async () => {
  await addVisits(site, [
    ['2025-05-10T10:00:00Z', 'a'],
    ['2025-05-10T11:00:00Z', 'b'],
    ['2026-06-01T10:00:00Z', 'c'],
  ]);
  const { db } = app.services;
  expect(await purgeVisits(db, NOW)).toBe(2);
  expect(await db.orm.visit.count()).toBe(1);
  expect(await counted(site)).toEqual(['2025-05-10: 2 by 2', '2026-06-01: 1 by 1']);
  const period = { from: new Date('2025-05-10T00:00:00Z'), to: new Date('2025-05-11T00:00:00Z') };
  expect(await app.services.visitStatistics.perDay({ teamId, websiteId: site, ...period })).toEqual([
    { day: '2025-05-10', pageViews: 2, visitors: 2 },
  ]);
});

test('visits that no worker has counted stay in the figures of the team when their website is deleted', async () => {
  const { managedWebsites } = app.services;
  await provision(app.services, [
    team('acme', { websites: ['www', 'shop', 'gone'].map((name) => website(`${name}.acme.test`)) }),
  ]);
  const gone = await websiteId(app.services, 'gone.acme.test');
  await addSomeWeeks();
  await addVisits(gone, [
    ['2026-03-01T10:00:00Z', 'g'],
    ['2026-06-14T10:00:00Z', 'g'],
    ['2026-06-14T23:00:00Z', 'g'],
    ['2026-06-15T00:00:00Z', 'g'],
    ['2026-06-15T01:00:00Z', 'h'],
  ]);
  await countVisits(app.services.db, NOW);
  const all = await statistics();
  expect(all.slice(-2)).toEqual(['2026-06-14: 3 by 2', '2026-06-15: 3 by 3']);
  expect(await managedWebsites.remove(gone, TEST_ACTOR)).toBe('deleted');
  expect(await statistics()).toEqual(all);
  await countVisits(app.services.db, new Date(NOW.getTime() + 3 * DAY_MS));
  expect(await statistics()).toEqual(all);
});
