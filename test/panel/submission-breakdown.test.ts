import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { addWebsites, contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { addSubmissions, countAllDays } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const NOW = new Date('2026-06-15T12:00:00Z');
const QUERY = `query ($filter: StatisticsFilter, $by: SubmissionBreakdownBy!, $limit: Int, $before: String) {
  submissionBreakdown(filter: $filter, by: $by, limit: $limit, before: $before) {
    total items { id name submissions submissionsBefore }
  }
}`;

let app: TestApp;
let owner: PanelClient;
let many: string[];
let form: string;

beforeAll(async () => {
  app = await startTestApp({ clock: () => NOW });
  await provision(app.services, [
    team('acme', { websites: [], forms: [contactForm({ name: 'Quote' })] }),
    team('globex'),
    team('zones', {
      websites: ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((zone, at) =>
        website(`www${at}.zones.test`, { name: zone, time_zone: zone }),
      ),
    }),
  ]);
  await app.services.db.orm.session.deleteMany();
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  const { id } = await app.services.db.orm.form.findFirstOrThrow({ where: { team: { slug: 'acme' } } });
  form = String(id);
  many = await addWebsites(app.services, 'acme', 1_001);
  // The last one has the most submissions, and had the fewest of those that had any.
  const last = many.at(-1)!;
  await addSubmissions(app.services, many, 1, new Date('2026-06-10T12:00:00Z'));
  await addSubmissions(app.services, last, 1, new Date('2026-06-12T12:00:00Z'));
  await addSubmissions(app.services, many.slice(1, -1), 2, new Date('2026-06-07T12:00:00Z'));
  await addSubmissions(app.services, last, 1, new Date('2026-06-08T12:00:00Z'));
  // The days before begin after it.
  await addSubmissions(app.services, last, 1, new Date('2026-06-05T12:00:00Z'));
  await addSubmissions(app.services, await websiteId(app.services, 'www.globex.test'), 9, NOW);
  await countAllDays(app.services);
});
afterAll(() => app.close());

const DAYS = { firstDay: '2026-06-09', lastDay: '2026-06-15' };

const breakdown = async (variables: object, client = owner) =>
  (await client.ask(QUERY, { filter: DAYS, before: '2026-06-06', limit: 20, ...variables }))
    .submissionBreakdown;

describe('submissions broken down', () => {
  test('by website are ranked among all of 1,001, each with its own count of the days before', async () => {
    const { total, items } = await breakdown({ by: 'WEBSITE' });
    expect([total, items.length]).toEqual([1_001, 20]);
    const [last, first, second] = [many.at(-1), many[0], many[1]];
    expect(items.slice(0, 3)).toEqual([
      { id: last, name: last, submissions: 2, submissionsBefore: 1 },
      { id: first, name: first, submissions: 1, submissionsBefore: 0 },
      { id: second, name: second, submissions: 1, submissionsBefore: 2 },
    ]);
  });

  test('by form count every website, as those by day do', async () => {
    expect(await breakdown({ by: 'FORM' })).toEqual({
      total: 1,
      items: [{ id: form, name: 'Quote', submissions: 1_002, submissionsBefore: 1_999 }],
    });
    const { submissionsPerDay } = await owner.ask(
      'query ($filter: StatisticsFilter) { submissionsPerDay(filter: $filter) { count } }',
      { filter: DAYS },
    );
    expect(submissionsPerDay).toEqual([{ count: 1_001 }, { count: 1 }]);
  });

  test('list as many as they may at most', async () => {
    const { total, items } = await breakdown({ by: 'WEBSITE', limit: 1_000 });
    expect([total, items.length]).toEqual([1_001, 1_000]);
  });

  test('are of a period by instants without the days before, or of none', async () => {
    const filter = { from: '2026-06-12T00:00:00Z', to: '2026-06-13T00:00:00Z' };
    const last = { id: many.at(-1), name: many.at(-1), submissions: 1, submissionsBefore: null };
    expect(await breakdown({ by: 'WEBSITE', filter, before: null })).toEqual({ total: 1, items: [last] });
    const { items } = await breakdown({ by: 'FORM', filter: null, before: null });
    expect(items).toMatchObject([{ submissions: 3_002, submissionsBefore: null }]);
    const empty = { firstDay: '2026-01-01', lastDay: '2026-01-31' };
    expect(await breakdown({ by: 'FORM', filter: empty, before: null })).toEqual({ total: 0, items: [] });
  });

  test('are narrowed to websites and forms', async () => {
    const websiteIds = many.slice(-2);
    const { items } = await breakdown({ by: 'FORM', filter: { ...DAYS, websiteIds, formIds: [form] } });
    expect(items).toMatchObject([{ submissions: 3, submissionsBefore: 3 }]);
    expect(await breakdown({ by: 'WEBSITE', filter: { ...DAYS, formIds: [] } })).toEqual({
      total: 0,
      items: [],
    });
  });

  test('count the days of each website in its own time zone, whether workers have counted them or not', async () => {
    // The last instant of the day before, and the first of the day, 14 hours ahead of UTC and eleven behind.
    for (const [at, times] of [
      ['2026-06-09T09:59:59Z', '2026-06-09T10:00:00Z'],
      ['2026-06-10T10:59:59Z', '2026-06-10T11:00:00Z'],
    ].entries()) {
      const site = await websiteId(app.services, `www${at}.zones.test`);
      for (const time of times) await addSubmissions(app.services, site, 1, new Date(time));
    }
    const client = await loggedIn(app.url, app.services, 'owner@zones.test');
    const filter = { firstDay: '2026-06-10', lastDay: '2026-06-10' };
    const read = () => breakdown({ by: 'WEBSITE', filter, before: '2026-06-09' }, client);
    const expected = {
      total: 2,
      items: expect.arrayContaining(
        ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((name) =>
          expect.objectContaining({ name, submissions: 1, submissionsBefore: 1 }),
        ),
      ),
    };
    const { orm } = app.services.db;
    const { countedUntil } = await orm.rollupMark.findFirstOrThrow();
    await orm.rollupMark.updateMany({ data: { countedUntil: new Date('2026-06-01T00:00:00Z') } });
    expect(await read()).toEqual(expected);
    await orm.rollupMark.updateMany({ data: { countedUntil } });
    await countAllDays(app.services);
    expect(await read()).toEqual(expected);
  });

  test('count deleted submissions, and no deleted websites', async () => {
    const { orm } = app.services.db;
    const [gone, last] = [many[1]!, many.at(-1)!];
    await orm.submission.deleteMany({ where: { websiteId: { in: [gone, last] } } });
    await orm.website.delete({ where: { id: gone } });
    const { total, items } = await breakdown({ by: 'WEBSITE' });
    expect([total, items[0]]).toEqual([
      1_000,
      { id: last, name: last, submissions: 2, submissionsBefore: 1 },
    ]);
  });

  test.each<[string, object, string]>([
    ['days before that are none', { before: '2026-02-30' }, 'before'],
    ['days before that begin with the period', { before: '2026-06-09' }, 'before'],
    ['more than a year before', { before: '2025-06-07' }, 'before'],
    ['days before a period by instants', { filter: { to: '2026-06-13T00:00:00Z' } }, 'before'],
    ['more items than they list', { limit: 1_001 }, 'limit'],
  ])('refuse %s', async (_what, variables, path) => {
    const given = { filter: DAYS, before: '2026-06-06', by: 'FORM', limit: 20, ...variables };
    const { errors } = await owner.send(QUERY, given);
    expect(errors?.[0]?.extensions).toEqual({
      code: 'BAD_USER_INPUT',
      errors: { [path]: [expect.any(String)] },
    });
  });
});
