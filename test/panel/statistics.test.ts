import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { countAllDays, recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-06-15T12:00:00.000Z');

let app: TestApp;
let member: PanelClient;
let busy: string;
let other: string;

beforeAll(async () => {
  app = await startTestApp({ clock: () => NOW });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('busy.acme.test', { time_zone: 'Pacific/Auckland' }),
        website('other.acme.test'),
        website('off.acme.test', { disabled: true }),
      ],
    }),
    team('globex'),
  ]);
  await app.services.db.orm.session.deleteMany();
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  busy = await websiteId(app.services, 'busy.acme.test');
  other = await websiteId(app.services, 'other.acme.test');
});
afterAll(() => app.close());

const ago = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS);

test('statistics count submissions by day of the website, by form, by language and by state of their e-mails', async () => {
  const { db } = app.services;
  // Half past eleven in the evening in Auckland, and an hour later the next day; UTC has one day for both.
  const evening = await recordedLeads(app.services, busy, 2, new Date('2026-06-10T11:30:00Z'));
  await recordedLeads(app.services, busy, 1, new Date('2026-06-10T12:30:00Z'));
  await recordedLeads(app.services, other, 1, new Date('2026-06-10T12:30:00Z'));
  await recordedLeads(app.services, other, 1, new Date('2026-01-01T12:00:00Z'));
  await recordedLeads(app.services, await websiteId(app.services, 'www.globex.test'), 1, ago(1));
  await db.orm.notification.update({ where: { submissionId: evening[0] }, data: { state: 'sent' } });
  await db.orm.submission.update({ where: { id: evening[0] }, data: { locale: 'de' } });
  const { formId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: busy } });
  await countAllDays(app.services);
  const asked = await member.ask(
    `query ($one: StatisticsFilter) {
      all: submissionsPerDay { day count } one: submissionsPerDay(filter: $one) { day count }
      submissionsPerForm { websiteId formId count form { name } } notificationOutcomes { state count }
      submissionsPerLanguage { locale count }
    }`,
    { one: { websiteIds: [busy], formIds: [formId], to: '2026-06-10T12:00:00Z' } },
  );
  expect(asked).toEqual({
    all: [
      { day: '2026-06-10', count: 3 },
      { day: '2026-06-11', count: 1 },
    ],
    one: [{ day: '2026-06-10', count: 2 }],
    submissionsPerForm: [
      { websiteId: busy, formId: String(formId), count: 3, form: { name: 'Contact' } },
      { websiteId: other, formId: String(formId), count: 1, form: { name: 'Contact' } },
    ],
    submissionsPerLanguage: [
      { locale: 'fr', count: 3 },
      { locale: 'de', count: 1 },
    ],
    notificationOutcomes: [
      { state: 'pending', count: 3 },
      { state: 'sent', count: 1 },
    ],
  });
});

test('statistics sum the verdicts of captcha steps over several writes', async () => {
  const { verdictCounts, db } = app.services;
  const of = (websiteOf: string, verdict: 'unavailable' | 'refused' | 'fallback') =>
    verdictCounts.add({ websiteId: websiteOf, stepKey: 'turnstile:main', verdict });
  for (let n = 0; n < 30; n++) of(busy, 'unavailable');
  of(busy, 'refused');
  await verdictCounts.settled();
  for (let n = 0; n < 12; n++) of(busy, 'unavailable');
  of(other, 'fallback');
  of('0198c2a4-7c1a-7000-8000-000000000001', 'unavailable');
  await verdictCounts.settled();
  expect(await db.orm.captchaCount.count()).toBe(3);
  const { captchaVerdicts } = await member.ask('{ captchaVerdicts { websiteId linkKey verdict count } }');
  expect(captchaVerdicts).toEqual([
    { websiteId: busy, linkKey: 'turnstile:main', verdict: 'unavailable', count: 42 },
    ...[
      { websiteId: busy, linkKey: 'turnstile:main', verdict: 'refused', count: 1 },
      { websiteId: other, linkKey: 'turnstile:main', verdict: 'fallback', count: 1 },
    ].sort((a, b) => (a.websiteId < b.websiteId ? -1 : 1)),
  ]);
});

test('statistics count the proof of work of a submission', async () => {
  const origin = 'https://busy.acme.test';
  const signed = await fetch(`${app.url}/api/websites/${busy}/signature`, { headers: { origin } });
  const { signature, timestamp } = (await signed.json()) as { signature: string; timestamp: number };
  const answer = await fetch(`${app.url}/api/websites/${busy}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      origin,
      'content-type': 'application/json',
      'x-captcha-token': 'nonsense',
      'x-website-signature': signature,
      'x-website-timestamp': String(timestamp),
    },
    body: '{"email":"v@x.test"}',
  });
  expect(await answer.json()).toEqual({ error: 'captcha_failed' });
  await app.services.verdictCounts.settled();
  const { captchaVerdicts } = await member.ask('{ captchaVerdicts { linkKey verdict count } }');
  expect(captchaVerdicts).toContainEqual({ linkKey: 'altcha', verdict: 'refused', count: 1 });
});

test('statistics list websites that are silent by their own habit, until their next submission', async () => {
  const { db } = app.services;
  await db.orm.submission.deleteMany();
  await db.orm.dailyCount.deleteMany();
  await db.orm.leadHabit.deleteMany();
  const off = await websiteId(app.services, 'off.acme.test');
  // Every twelve hours until four days ago; every five days until four days ago; disabled.
  for (let n = 0; n < 40; n++) {
    await recordedLeads(app.services, busy, 1, ago(96 + n * 12));
    await recordedLeads(app.services, off, 1, ago(96 + n * 12));
    if (n < 6) await recordedLeads(app.services, other, 1, ago(96 + n * 120));
  }
  await countAllDays(app.services);
  const ASK = '{ silentWebsites { websiteId name lastSubmissionAt usualPauseS silentForS } }';
  expect((await member.ask(ASK)).silentWebsites).toEqual([
    {
      websiteId: busy,
      name: 'busy.acme.test',
      lastSubmissionAt: ago(96).toISOString(),
      usualPauseS: 12 * 3600,
      silentForS: 96 * 3600,
    },
  ]);
  await recordedLeads(app.services, busy, 1, ago(0.01));
  await app.services.dailyCounts.run();
  expect((await member.ask(ASK)).silentWebsites).toEqual([]);
});

test('statistics refuse a period of more than a year', async () => {
  const query = 'query ($filter: StatisticsFilter) { submissionsPerDay(filter: $filter) { day } }';
  const filter = { from: '2025-01-01T00:00:00Z', to: '2026-06-01T00:00:00Z' };
  expect(await member.refused(query, { filter })).toBe('BAD_USER_INPUT');
});

test('the days of a filter are those of each website, and count what was deleted', async () => {
  const { db } = app.services;
  await provision(app.services, [
    team('zones', {
      websites: ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((zone, at) =>
        website(`www${at}.zones.test`, { time_zone: zone }),
      ),
    }),
  ]);
  // The last and the first instants of 9 to 10 May, 14 hours ahead of UTC and eleven behind.
  const [east, west] = [
    await websiteId(app.services, 'www0.zones.test'),
    await websiteId(app.services, 'www1.zones.test'),
  ];
  for (const at of [
    '2026-05-08T09:59:59Z',
    '2026-05-08T10:00:00Z',
    '2026-05-10T09:59:59Z',
    '2026-05-10T10:00:00Z',
  ])
    await recordedLeads(app.services, east, 1, new Date(at));
  for (const at of [
    '2026-05-09T10:59:59Z',
    '2026-05-09T11:00:00Z',
    '2026-05-11T10:59:59Z',
    '2026-05-11T11:00:00Z',
  ])
    await recordedLeads(app.services, west, 1, new Date(at));
  await countAllDays(app.services);
  const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'zones' } });
  const query = `query ($filter: StatisticsFilter) {
    submissionsPerDay(filter: $filter) { day count } submissionsPerLanguage(filter: $filter) { count }
    submissionsPerForm(filter: $filter) { websiteId count } notificationOutcomes(filter: $filter) { count }
    captchaVerdicts(filter: $filter) { count } }`;
  const days = { firstDay: '2026-05-09', lastDay: '2026-05-10' };
  const client = await loggedIn(app.url, app.services, 'owner@zones.test');
  const read = (filter: object) => client.ask(query, { filter: { teamId, ...filter } });
  expect(await read(days)).toEqual({
    submissionsPerDay: [
      { day: '2026-05-09', count: 2 },
      { day: '2026-05-10', count: 2 },
    ],
    submissionsPerForm: expect.arrayContaining([east, west].map((id) => ({ websiteId: id, count: 2 }))),
    submissionsPerLanguage: [{ count: 4 }],
    notificationOutcomes: [{ count: 4 }],
    captchaVerdicts: [],
  });
  await db.orm.submission.deleteMany({ where: { websiteId: west } });
  await countAllDays(app.services);
  expect((await read(days)).submissionsPerDay).toEqual([
    { day: '2026-05-09', count: 2 },
    { day: '2026-05-10', count: 2 },
  ]);
  for (const refused of [
    { firstDay: '2026-05-09' },
    { lastDay: '2026-05-09' },
    { ...days, from: '2026-05-01T00:00:00Z' },
    { firstDay: '2026-05-10', lastDay: '2026-05-09' },
    { firstDay: '2025-05-09', lastDay: '2026-05-10' },
    { firstDay: '2026-02-30', lastDay: '2026-05-10' },
    { firstDay: '1999-05-09', lastDay: '1999-05-10' },
  ])
    expect(await client.refused(query, { filter: refused })).toBe('BAD_USER_INPUT');
});
