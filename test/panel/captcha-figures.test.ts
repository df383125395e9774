import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { createAccount, loggedIn, type PanelClient, type PanelData } from '../support/panel.js';

const NOW = new Date('2026-06-15T12:00:00.000Z');
const TURNSTILE = { key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile };

let app: TestApp;
let providers: CaptchaProviders;
let staff: PanelClient;
let member: PanelClient;
let [first, second, foreign] = ['', '', ''];

beforeAll(async () => {
  providers = await startCaptchaProviders();
  app = await startTestApp({ clock: () => NOW, env: providers.env });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('one.acme.test', { captcha: [TURNSTILE, { key: 'altcha' }] }),
        website('two.acme.test', { captcha: [{ ...TURNSTILE, secret: 'wrong' }] }),
      ],
    }),
    team('globex', { websites: [website('www.globex.test', { captcha: [TURNSTILE] })] }),
  ]);
  await app.services.db.orm.session.deleteMany();
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  first = await websiteId(app.services, 'one.acme.test');
  second = await websiteId(app.services, 'two.acme.test');
  foreign = await websiteId(app.services, 'www.globex.test');
});
afterAll(async () => {
  await app.close();
  await providers.stop();
});

const figures = async (client: PanelClient, fields: string, over: object = {}) =>
  (
    await client.ask(
      `query ($websiteId: ID, $type: CaptchaType, $from: String!, $to: String!) {
        captchaFigures(websiteId: $websiteId, type: $type, from: $from, to: $to) { ${fields} }
      }`,
      { from: '2026-06-01', to: '2026-06-15', ...over },
    )
  ).captchaFigures;

/** Sends a lead of a visitor with what its captcha needs. */
async function submit(site: string, host: string, headers: Record<string, string>) {
  const origin = `https://${host}`;
  const signed = await fetch(`${app.url}/api/websites/${site}/signature`, { headers: { origin } });
  const { signature, timestamp } = (await signed.json()) as { signature: string; timestamp: number };
  const answer = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: {
      origin,
      'content-type': 'application/json',
      ...headers,
      'x-website-signature': signature,
      'x-website-timestamp': String(timestamp),
    },
    body: '{"email":"v@x.test"}',
  });
  return ((await answer.json()) as { error?: string }).error;
}

test('captcha figures say why each visitor was refused', async () => {
  const host = 'one.acme.test';
  expect(await submit(first, host, {})).toBe('captcha_required');
  expect(await submit(first, host, { 'x-captcha-token': 'a'.repeat(5000) })).toBe('captcha_failed');
  expect(await submit(first, host, { 'x-captcha-token': 'a', 'x-captcha-provider': 'hcaptcha:none' })).toBe(
    'captcha_provider_not_allowed',
  );
  expect(await submit(first, host, { 'x-captcha-token': 'a', 'x-captcha-provider': 'altcha' })).toBe(
    'captcha_failed',
  );
  expect(await submit(first, host, { 'x-captcha-token': 'never-issued' })).toBe('captcha_failed');
  const elsewhere = providers.issue('turnstile', { hostname: 'evil.test', action: 'submit' });
  expect(await submit(first, host, { 'x-captcha-token': elsewhere })).toBe('captcha_failed');
  await app.services.verdictCounts.settled();
  const { refusals } = await figures(member, 'refusals { type reason count }', { websiteId: first });
  const reasons = [
    ...[['altcha', 'proof_invalid']],
    ...['no_token', 'rejected', 'step_not_allowed', 'token_too_long', 'wrong_hostname'].map((reason) => [
      'turnstile',
      reason,
    ]),
  ];
  expect(refusals).toEqual(reasons.map(([type, reason]) => ({ type, reason, count: 1 })));
});

describe('captcha figures', () => {
  const TOTALS = 'accepted refused unavailable fallback passThrough';
  const none = { accepted: 0, refused: 0, unavailable: 0, fallback: 0, passThrough: 0 };

  beforeAll(async () => {
    const { db } = app.services;
    await db.orm.captchaCount.deleteMany();
    const count = (site: string, day: string, stepKey: string, verdict: string, times: number) => ({
      websiteId: site,
      day: new Date(day),
      stepKey,
      verdict: verdict as 'accepted',
      count: times,
    });
    await db.orm.captchaCount.createMany({
      data: [
        count(first, '2026-06-14', 'turnstile:main', 'accepted', 7),
        count(second, '2026-06-14', 'turnstile:b', 'accepted', 5),
        count(second, '2026-06-14', 'turnstile:b', 'unavailable', 3),
        count(second, '2026-06-15', 'turnstile:b', 'pass_through', 3),
        count(first, '2026-06-15', 'altcha', 'refused', 2),
        count(first, '2026-05-31', 'altcha', 'refused', 9),
        count(foreign, '2026-06-15', 'turnstile:main', 'refused', 4),
      ],
    });
  });

  test('add up by day and by provider, of the websites that the viewer sees', async () => {
    const FIELDS = `perDay { day ${TOTALS} } perProvider { type ${TOTALS} }`;
    expect(await figures(member, FIELDS)).toEqual({
      perDay: [
        { ...none, day: '2026-06-14', accepted: 12, unavailable: 3 },
        { ...none, day: '2026-06-15', refused: 2, passThrough: 3 },
      ],
      perProvider: [
        { ...none, type: 'turnstile', accepted: 12, unavailable: 3, passThrough: 3 },
        { ...none, type: 'altcha', refused: 2 },
      ],
    });
    const all = await figures(staff, FIELDS, { from: '2026-06-15' });
    expect(all.perDay).toEqual([{ ...none, day: '2026-06-15', refused: 6, passThrough: 3 }]);
  });

  test('list first the website on which providers failed most', async () => {
    const fields = `perWebsite { website { name } ${TOTALS} }`;
    const { perWebsite } = await figures(member, fields);
    expect(perWebsite.map(({ unavailable, refused }: typeof none) => [unavailable, refused])).toEqual([
      [3, 0],
      [0, 2],
    ]);
    const { perWebsite: ofTurnstile } = await figures(member, 'perWebsite { websiteId accepted refused }', {
      type: 'turnstile',
    });
    expect(ofTurnstile).toEqual([
      { websiteId: second, accepted: 5, refused: 0 },
      { websiteId: first, accepted: 7, refused: 0 },
    ]);
  });

  test('refuse a period of more than a year, and the website of another team', async () => {
    const QUERY =
      'query ($id: ID, $from: String!) { captchaFigures(websiteId: $id, from: $from, to: "2026-06-15") { perDay { day } } }';
    expect(await member.refused(QUERY, { from: '2025-06-01' })).toBe('BAD_USER_INPUT');
    expect(await member.refused(QUERY, { from: '2026-02-30' })).toBe('BAD_USER_INPUT');
    expect(await member.refused(QUERY, { id: foreign, from: '2026-06-01' })).toBe('NOT_FOUND');
  });
});

describe('captcha troubles', () => {
  const minute = (ago: number) => new Date(NOW.getTime() - ago * 60_000);
  const incident = (site: string, stepKey: string, reason: string, ago: number, count = 1) => ({
    websiteId: site,
    stepKey,
    reason,
    minute: minute(ago),
    count,
    requestId: 'r',
    firstSeenAt: minute(ago),
    lastSeenAt: minute(ago),
  });
  const troubles = async (client: PanelClient) =>
    (await client.ask('{ captchaTroubles { type reason since lastAt websites count } }')).captchaTroubles;

  test('begin after a quiet quarter of an hour, go on across websites, and end with another', async () => {
    const { db } = app.services;
    await db.orm.incident.deleteMany();
    await db.orm.incident.createMany({
      data: [
        incident(first, 'turnstile:main', 'timeout', 60),
        incident(first, 'turnstile:main', 'timeout', 31, 4),
        incident(second, 'turnstile:b', 'timeout', 17, 2),
        incident(first, 'turnstile:main', 'timeout', 3),
        incident(first, 'turnstile:main', 'pass_through', 2),
        incident(first, 'hcaptcha:b', 'timeout', 16),
        incident(foreign, 'turnstile:main', 'secret_refused', 5),
      ],
    });
    const ofTurnstile = {
      type: 'turnstile',
      reason: 'timeout',
      websites: 2,
      count: 7,
      since: minute(31).toISOString(),
      lastAt: minute(3).toISOString(),
    };
    expect(await troubles(member)).toEqual([ofTurnstile]);
    expect(await troubles(staff)).toEqual([
      ofTurnstile,
      {
        type: 'turnstile',
        reason: 'secret_refused',
        websites: 1,
        count: 1,
        since: minute(5).toISOString(),
        lastAt: minute(5).toISOString(),
      },
    ]);
  });
});

describe('captcha providers', () => {
  test('have the websites that ask them, their last answer and their last incident', async () => {
    const { db } = app.services;
    const at = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
    await db.orm.incident.deleteMany();
    await db.orm.incident.createMany({
      data: [
        ['timeout', 3],
        ['server_error', 2],
        ['pass_through', 1],
        ['network_error', 31],
      ].map(([reason, days]) => ({
        websiteId: first,
        stepKey: 'turnstile:main',
        reason: String(reason),
        requestId: 'r',
        minute: at(Number(days)),
        firstSeenAt: at(Number(days)),
        lastSeenAt: at(Number(days)),
      })),
    });
    await db.orm.captchaCount.createMany({
      data: (['accepted', 'unavailable'] as const).map((verdict, index) => ({
        websiteId: first,
        stepKey: 'turnstile:main',
        verdict,
        count: 1,
        day: new Date(
          at(2 - index)
            .toISOString()
            .slice(0, 10),
        ),
      })),
      skipDuplicates: true,
    });
    const QUERY =
      'query ($id: ID) { captchaProviders(websiteId: $id) { type websites lastAnsweredOn lastIncidentAt lastReason } }';
    const { captchaProviders } = await member.ask(QUERY);
    expect(captchaProviders).toContainEqual({
      type: 'turnstile',
      websites: 2,
      lastReason: 'server_error',
      lastIncidentAt: at(2).toISOString(),
      lastAnsweredOn: expect.stringMatching(/^20\d\d-\d\d-\d\d$/),
    });
    expect((await member.ask(QUERY, { id: second })).captchaProviders).toContainEqual(
      expect.objectContaining({ type: 'turnstile', websites: 1, lastIncidentAt: null, lastReason: null }),
    );
    expect(await member.refused(QUERY, { id: foreign })).toBe('NOT_FOUND');
  });
});

describe('checking all credentials', () => {
  const CHECK = `mutation ($teamId: ID, $after: String) {
    checkCaptchaCredentials(teamId: $teamId, after: $after) {
      checked { websiteId linkKey outcome website { id } } total next
    }
  }`;

  test('tells the verdict on every step that has some', async () => {
    const { checkCaptchaCredentials: page } = await staff.ask(CHECK);
    expect(page).toEqual({
      total: 3,
      next: null,
      checked: [
        [first, 'ACCEPTED'],
        [second, 'REFUSED'],
        [foreign, 'ACCEPTED'],
      ].map(([id, outcome]) => ({ websiteId: id, linkKey: 'turnstile:main', outcome, website: { id } })),
    });
  });

  test('goes on page by page until each step was checked once', async () => {
    const { db } = app.services;
    const { secretCipher } = await db.orm.captchaStep.findFirstOrThrow({ where: { websiteId: first } });
    await db.orm.captchaStep.createMany({
      data: Array.from({ length: 45 }, (_, n) => ({
        websiteId: first,
        type: 'turnstile' as const,
        identifier: `more${n}`,
        position: 10 + n,
        siteKey: 'site-ts',
        secretCipher,
      })),
    });
    const seen: string[] = [];
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const { checkCaptchaCredentials: page }: PanelData = await staff.ask(CHECK, { after });
      for (const { websiteId: site, linkKey } of page.checked) seen.push(`${site} ${linkKey}`);
      after = page.next;
    }
    expect(seen.length).toBe(48);
    expect(new Set(seen).size).toBe(48);
  });

  test('is for staff alone, and refuses a cursor that is none', async () => {
    expect(await member.refused(CHECK)).toBe('FORBIDDEN');
    expect(await staff.refused(CHECK, { after: 'x' })).toBe('BAD_USER_INPUT');
  });
});
