import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const NOW = new Date('2026-04-15T12:00:00Z');

let app: TestApp;
let member: PanelClient;
let teamId: number;
let site: string;
let far: string;

const addVisits = (id: string, at: string, page: string, count: number, rest: object = {}) =>
  app.services.db.orm.visit.createMany({
    data: Array.from({ length: count }, () => ({
      id: uuid(),
      websiteId: id,
      visitorHash: uuid(),
      createdAt: new Date(at),
      pageUrl: `https://www.acme.test${page}`,
      ...rest,
    })),
  });

async function addLeads(id: string, at: string, count: number, rest: object = {}) {
  const ids = await recordedLeads(app.services, id, count);
  await app.services.db.orm.submission.updateMany({
    where: { id: { in: ids } },
    data: { createdAt: new Date(at), ...rest },
  });
}

beforeAll(async () => {
  app = await startTestApp({ clock: () => NOW });
  const sites = [
    website('www.acme.test', { time_zone: 'UTC' }),
    website('far.acme.test', { time_zone: 'Pacific/Auckland' }),
  ];
  await provision(app.services, [team('acme', { websites: sites }), team('globex')]);
  await app.services.db.orm.session.deleteMany();
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app.services, 'www.acme.test');
  far = await websiteId(app.services, 'far.acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');

  await addVisits(site, '2026-03-31T23:59:59Z', '/prices', 5);
  await addVisits(site, '2026-04-01T00:00:00Z', '/prices?utm_campaign=spring', 2, { utmCampaign: 'spring' });
  await addVisits(site, '2026-04-03T23:59:59Z', '/prices#top', 1);
  await addVisits(far, '2026-04-02T12:00:00Z', '/about', 4, { utmCampaign: 'spring' });
  await addVisits(far, '2026-04-04T00:00:00Z', '/late', 9);
  await addVisits(await websiteId(app.services, 'www.globex.test'), '2026-04-02T12:00:00Z', '/secret', 50);
  const spring = { attribution: { utm_campaign: 'spring' } };
  await addLeads(site, '2026-04-02T10:00:00Z', 2, { locale: 'de', ...spring });
  await addLeads(site, '2026-03-30T10:00:00Z', 3, { locale: 'de' });
  // Still the 31st in UTC, and the first of April in Auckland.
  await addLeads(far, '2026-03-31T12:00:00Z', 1, { locale: 'fr' });
  // Still the third in UTC, and the fourth in Auckland.
  await addLeads(far, '2026-04-03T13:00:00Z', 1, { locale: 'it' });
});
afterAll(() => app.close());

const QUERY = `query ($teamId: ID, $websiteId: ID, $from: String!, $to: String!, $by: BreakdownBy!, $limit: Int, $before: String) {
  visitStatistics(teamId: $teamId, websiteId: $websiteId, from: $from, to: $to) {
    breakdown(by: $by, limit: $limit, before: $before) {
      unit steps total
      items { value pageViews pageViewsBefore submissions submissionsBefore pageViewsPerStep submissionsPerStep }
    }
  }
}`;

const PERIOD = { from: '2026-04-01', to: '2026-04-03', before: '2026-03-29', limit: 20 };

const breakdown = async (variables: object) => {
  const given = 'websiteId' in variables ? variables : { teamId, ...variables };
  return (await member.ask(QUERY, { ...PERIOD, ...given })).visitStatistics.breakdown;
};

describe('a breakdown', () => {
  test('by page has page views alone, for each day and beside the days before', async () => {
    expect(await breakdown({ by: 'PAGE' })).toEqual({
      unit: 'DAY',
      steps: ['2026-04-01', '2026-04-02', '2026-04-03'],
      total: 2,
      items: [
        {
          value: 'https://www.acme.test/about',
          pageViews: 4,
          pageViewsBefore: 0,
          pageViewsPerStep: [0, 4, 0],
          submissions: null,
          submissionsBefore: null,
          submissionsPerStep: null,
        },
        {
          value: 'https://www.acme.test/prices',
          pageViews: 3,
          pageViewsBefore: 5,
          pageViewsPerStep: [2, 0, 1],
          submissions: null,
          submissionsBefore: null,
          submissionsPerStep: null,
        },
      ],
    });
  });

  test('by campaign has page views by days of UTC and submissions by those of their website', async () => {
    const { items } = await breakdown({ by: 'UTM_CAMPAIGN' });
    expect(items).toEqual([
      {
        value: 'spring',
        pageViews: 6,
        pageViewsBefore: 0,
        pageViewsPerStep: [2, 4, 0],
        submissions: 2,
        submissionsBefore: 0,
        submissionsPerStep: [0, 2, 0],
      },
      {
        value: null,
        pageViews: 1,
        pageViewsBefore: 5,
        pageViewsPerStep: [0, 0, 1],
        submissions: 1,
        submissionsBefore: 3,
        submissionsPerStep: [1, 0, 0],
      },
    ]);
  });

  test('by language has submissions alone', async () => {
    const { items } = await breakdown({ by: 'LANGUAGE' });
    expect(items).toMatchObject([
      { value: 'de', submissions: 2, submissionsBefore: 3, submissionsPerStep: [0, 2, 0], pageViews: null },
      { value: 'fr', submissions: 1, submissionsBefore: 0, submissionsPerStep: [1, 0, 0] },
    ]);
  });

  test('tells how many items there are when it lists fewer', async () => {
    const { items, total } = await breakdown({ by: 'PAGE', limit: 1 });
    expect([items.length, total]).toEqual([1, 2]);
    expect(await breakdown({ by: 'PAGE', from: '2026-04-10', to: '2026-04-11', before: null })).toMatchObject(
      { total: 0, items: [] },
    );
  });

  test('is of one website', async () => {
    const { items } = await breakdown({ by: 'PAGE', websiteId: far });
    expect(items).toMatchObject([{ value: 'https://www.acme.test/about', pageViews: 4 }]);
  });

  test('tells weeks from Monday and calendar months where the period is long', async () => {
    const weeks = await breakdown({ by: 'PAGE', from: '2026-03-04', before: null });
    expect(weeks).toMatchObject({
      unit: 'DAY',
      steps: { length: 31 },
      items: [{ value: 'https://www.acme.test/prices', pageViews: 8, pageViewsBefore: null }, {}],
    });
    const longer = await breakdown({ by: 'PAGE', from: '2026-03-03', before: null });
    expect(longer.unit).toBe('WEEK');
    expect(longer.steps).toEqual(['2026-03-03', '2026-03-09', '2026-03-16', '2026-03-23', '2026-03-30']);
    expect(longer.items[0].pageViewsPerStep).toEqual([0, 0, 0, 0, 8]);
    const months = await breakdown({ by: 'PAGE', from: '2025-04-15', before: '2024-04-15' });
    expect(months).toMatchObject({ unit: 'MONTH', steps: { 0: '2025-04-15', 1: '2025-05-01', length: 13 } });
    expect(months.items[0]).toMatchObject({
      pageViewsPerStep: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 3],
      // Visits of two years ago are no longer kept.
      pageViewsBefore: null,
    });
  });

  test.each<[string, object, string]>([
    ['days before that are none', { before: '2026-02-30' }, 'before'],
    ['days before that begin with the period', { before: '2026-04-01' }, 'before'],
    ['more than a year before', { before: '2025-03-30' }, 'before'],
    ['more items than it lists', { limit: 1_001 }, 'limit'],
  ])('refuses %s', async (_what, variables, path) => {
    const { errors } = await member.send(QUERY, { ...PERIOD, teamId, by: 'PAGE', ...variables });
    expect(errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { [path]: [expect.any(String)] },
    });
  });

  test('of as many items as it lists at most is not too costly', async () => {
    await app.services.db.orm.visit.createMany({
      data: Array.from({ length: 1_200 }, (_, n) => ({
        id: uuid(),
        websiteId: site,
        visitorHash: uuid(),
        createdAt: new Date('2025-12-15T12:00:00Z'),
        pageUrl: 'https://www.acme.test/',
        utmCampaign: `campaign ${n}`,
      })),
    });
    const december = { from: '2025-12-01', to: '2025-12-31', before: '2025-11-01' };
    const { items, total, steps } = await breakdown({ by: 'UTM_CAMPAIGN', limit: 1_000, ...december });
    expect([items.length, total, steps.length]).toEqual([1_000, 1_200, 31]);
  });
});
