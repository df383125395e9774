import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { createVisitor } from '../support/visitor.js';

let app: TestApp;
let member: PanelClient;
let teamId: number;
let site: string;
let shop: string;

type Visit = {
  at: string;
  hash: string;
  page: string;
  referrer?: string;
  source?: string;
  campaign?: string;
};

async function addVisits(id: string, visits: Visit[]) {
  await app.services.db.orm.visit.createMany({
    data: visits.map(({ at, hash, page, referrer, source, campaign }) => ({
      id: uuid(),
      websiteId: id,
      visitorHash: hash,
      pageUrl: `https://www.acme.test${page}`,
      referrer,
      utmSource: source,
      utmCampaign: campaign,
      createdAt: new Date(at),
    })),
  });
}

async function addSubmission(id: string, at: string, attribution: object | null) {
  const [lead] = await recordedLeads(app.services, id, 1);
  await app.services.db.orm.submission.update({
    where: { id: lead! },
    data: { createdAt: new Date(at), ...(attribution && { attribution }) },
  });
}

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('shop.acme.test')] }),
    team('other'),
  ]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app.services, 'www.acme.test');
  shop = await websiteId(app.services, 'shop.acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');

  const search = 'https://user:x@WWW.Search.test:8443/q?x=https://y.test';
  await addVisits(site, [
    { at: '2026-02-28T23:59:59.999Z', hash: 'early', page: '/' },
    { at: '2026-03-01T00:00:00Z', hash: 'a', page: '/?utm_source=news', source: 'news', campaign: 'spring' },
    { at: '2026-03-01T10:00:00Z', hash: 'a', page: '/about#team', referrer: 'https://www.acme.test/' },
    { at: '2026-03-01T11:00:00Z', hash: 'b', page: '/about', referrer: search },
    { at: '2026-03-03T23:59:59.999Z', hash: 'c', page: '/', referrer: search },
    { at: '2026-03-04T00:00:00Z', hash: 'late', page: '/' },
  ]);
  await addVisits(shop, [{ at: '2026-03-02T10:00:00Z', hash: 'd', page: '/cart', source: 'news' }]);
  await addVisits(await websiteId(app.services, 'www.other.test'), [
    { at: '2026-03-02T10:00:00Z', hash: 'e', page: '/secret', source: 'secret' },
  ]);
  await addSubmission(site, '2026-03-01T11:00:00Z', {
    referrer: 'https://www.search.test/x',
    utm_source: 'ads',
  });
  await addSubmission(site, '2026-03-01T12:00:00Z', {});
  await addSubmission(site, '2026-03-01T12:00:00Z', null);
  await addSubmission(site, '2026-03-04T12:00:00Z', { utm_source: 'ads' });
});
afterAll(() => app.close());

const QUERY = `query ($teamId: ID, $websiteId: ID, $from: String!, $to: String!, $by: AttributionBy!, $limit: Int!) {
  visitStatistics(teamId: $teamId, websiteId: $websiteId, from: $from, to: $to) {
    perDay { day pageViews visitors }
    topPages(limit: $limit) { pageUrl pageViews }
    attribution(by: $by, limit: $limit) { value visits submissions }
  }
}`;
const period = { from: '2026-03-01', to: '2026-03-03', by: 'UTM_SOURCE', limit: 10 };

const statistics = async (variables: object) =>
  (await member.ask(QUERY, { ...period, ...variables })).visitStatistics;

describe('visit statistics', () => {
  test('count page views, pages and sources of a team', async () => {
    expect(await statistics({ teamId })).toEqual({
      perDay: [
        { day: '2026-03-01', pageViews: 3, visitors: 2 },
        { day: '2026-03-02', pageViews: 1, visitors: 1 },
        { day: '2026-03-03', pageViews: 1, visitors: 1 },
      ],
      topPages: [
        { pageUrl: 'https://www.acme.test/', pageViews: 2 },
        { pageUrl: 'https://www.acme.test/about', pageViews: 2 },
        { pageUrl: 'https://www.acme.test/cart', pageViews: 1 },
      ],
      attribution: [
        { value: null, visits: 3, submissions: 2 },
        { value: 'news', visits: 2, submissions: 0 },
        { value: 'ads', visits: 0, submissions: 1 },
      ],
    });
  });

  test('of one website include days without visits', async () => {
    const { perDay, topPages } = await statistics({ websiteId: shop, limit: 1 });
    expect(perDay.map(({ pageViews }: { pageViews: number }) => pageViews)).toEqual([0, 1, 0]);
    expect(topPages).toEqual([{ pageUrl: 'https://www.acme.test/cart', pageViews: 1 }]);
  });

  test.each([
    [
      'REFERRER_HOST',
      [
        [null, 2, 2],
        ['www.search.test', 2, 1],
      ],
    ],
    [
      'UTM_CAMPAIGN',
      [
        [null, 3, 3],
        ['spring', 1, 0],
      ],
    ],
    ['UTM_MEDIUM', [[null, 4, 3]]],
  ])('by %s leave out the website itself as a source', async (by, expected) => {
    const { attribution } = await statistics({ websiteId: site, by });
    expect(attribution.map(Object.values)).toEqual(expected);
  });

  test('count a visit at once', async () => {
    const visitor = createVisitor({ url: app.url, websiteId: shop, origin: 'https://shop.acme.test' });
    const body = { page_url: 'https://shop.acme.test/?utm_source=live' };
    expect((await visitor.call('POST', 'visits', { body })).status).toBe(200);
    const today = new Date().toISOString().slice(0, 10);
    const { perDay, attribution } = await statistics({ websiteId: shop, from: today, to: today });
    expect(perDay).toEqual([{ day: today, pageViews: 1, visitors: 1 }]);
    expect(attribution).toEqual([{ value: 'live', visits: 1, submissions: 0 }]);
  });
});

describe('visit statistics refuse', () => {
  test.each<[string, object, string]>([
    ['neither team nor website', {}, 'teamId'],
    ['both', { teamId: 1, websiteId: 'x' }, 'teamId'],
    ['a day that is none', { teamId: 1, from: '2026-02-30' }, 'from'],
    ['an instant', { teamId: 1, to: '2026-03-01T00:00:00Z' }, 'to'],
    ['a period that ends before it begins', { teamId: 1, to: '2026-02-28' }, 'to'],
    ['more than a year', { teamId: 1, to: '2027-03-02' }, 'to'],
    ['more entries than a page has', { teamId: 1, limit: 101 }, 'limit'],
    ['no entries', { teamId: 1, limit: 0 }, 'limit'],
  ])('%s', async (_what, variables, path) => {
    const given = 'teamId' in variables ? { ...variables, teamId } : variables;
    const { errors } = await member.send(QUERY, { ...period, ...given });
    expect(errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { [path]: [expect.any(String)] },
    });
  });

  test('another team, and its website', async () => {
    const { id, teamId: other } = await app.services.db.orm.website.findFirstOrThrow({
      where: { host: 'www.other.test' },
    });
    expect(await member.refused(QUERY, { ...period, websiteId: id })).toBe('NOT_FOUND');
    expect(await member.refused(QUERY, { ...period, teamId: other })).toBe('NOT_FOUND');
  });
});
