import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { purgeVisits } from '../../src/visits/retention.js';
import { hashVisitor, todaysSalt } from '../../src/visits/visitor-hash.js';
import { deletePastSalts } from '../../src/visits/visits.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { isWaitingForLock } from '../support/locks.js';
import { createVisitor, type Visitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const VISIT = {
  page_url: 'https://www.acme.test/garden?utm_source=news&utm_medium=mail&utm_campaign=spring&utm_term=&x=1',
  page_title: 'Garden',
  referrer: 'https://search.test/?q=garden',
  page_locale: 'fr-FR',
};

let app: TestApp;
let site: string;
let visitor: Visitor;
let neighbour: Visitor;

beforeAll(async () => {
  app = await startTestApp({ env: { CAPTCHA_DEFAULT: 'off', TRUST_PROXY: 'loopback' } });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('www.acme.test'),
        website('shop.acme.test'),
        website('busy.acme.test'),
        website('quiet.acme.test'),
        website('gone.acme.test'),
        website('off.acme.test', { disabled: true }),
      ],
    }),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
  visitor = await at('www.acme.test');
  neighbour = await at('shop.acme.test');
});

afterAll(() => app.close());

const at = async (host: string) =>
  createVisitor({
    url: app.url,
    websiteId: await websiteId(app.services, host),
    origin: `https://${host}`,
  });

beforeEach(async () => {
  await app.services.db.orm.visit.deleteMany();
});

let address = 0;
/** Each test is a visitor of its own, and meets no other's limit. */
beforeEach(() => {
  address++;
});

const from = (userAgent = 'Browser/1') => ({
  'x-forwarded-for': `198.51.100.${address}`,
  'user-agent': userAgent,
});

async function visit(body: unknown = VISIT, headers = {}, page = visitor) {
  return page.call('POST', 'visits', { body, headers: { ...from(), ...headers } });
}

async function submit(visitorHash: unknown, page = visitor) {
  const headers = { ...(await page.sign()), ...from() };
  const { status, body } = await page.submit({
    headers,
    body: { email: 'v@x.test', visitor_hash: visitorHash },
  });
  expect(status).toBe(200);
  return app.services.db.orm.submission.findUniqueOrThrow({ where: { id: String(body.lead_id) } });
}

/** Makes what happened so far have happened a day earlier, as the database's clock goes. */
async function waitOneDay(): Promise<void> {
  await app.services.db.orm.$executeRaw`UPDATE daily_salts SET day = day - 1`;
  await app.services.db.orm.$executeRaw`UPDATE visits SET created_at = created_at - interval '1 day'`;
}

/** Page views of so long ago. */
async function ageVisits(interval: string, count: number): Promise<void> {
  await app.services.db.orm.$executeRaw`
    INSERT INTO visits (id, website_id, visitor_hash, page_url, created_at)
    SELECT gen_random_uuid(), ${site}::uuid, 'h', 'https://www.acme.test/', now() - ${interval}::interval
      FROM generate_series(1, ${count}::int)`;
}

describe('POST visits', () => {
  test('records the page view and answers the visitor’s hash', async () => {
    const { status, headers, body } = await visit();
    expect(status).toBe(200);
    expect(body).toEqual({ visitor_hash: expect.stringMatching(/^[\w-]{43}$/) });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
    expect(await app.services.db.orm.visit.findMany()).toEqual([
      {
        id: expect.any(String),
        websiteId: site,
        visitorHash: body.visitor_hash,
        pageUrl: 'https://www.acme.test/garden?utm_source=news&utm_medium=mail&utm_campaign=spring&utm_term=',
        pageTitle: 'Garden',
        pageLocale: 'fr-FR',
        referrer: 'https://search.test/',
        utmSource: 'news',
        utmMedium: 'mail',
        utmCampaign: 'spring',
        utmTerm: null,
        utmContent: null,
        createdAt: expect.any(Date),
      },
    ]);
  });

  test('gives a visitor one hash for each day, website, browser and address', async () => {
    const hashOf = async (headers = {}, page = visitor) =>
      (await visit({ page_url: 'https://www.acme.test' }, headers, page)).body.visitor_hash;
    const hash = await hashOf();
    expect(await hashOf()).toBe(hash);
    const others = [
      await hashOf(from('Browser/2')),
      await hashOf({ 'x-forwarded-for': '203.0.113.9' }),
      await hashOf({ 'x-forwarded-for': '2001:db8::1' }),
      await hashOf({ 'x-forwarded-for': '2001:db8::2' }),
      await hashOf({}, neighbour),
    ];
    expect(new Set([hash, ...others]).size).toBe(6);
  });

  test('attributes a submission to the first visit of its hash on the website', async () => {
    const { visitor_hash: hash } = (await visit()).body;
    await visit({ page_url: 'https://www.acme.test/contact?utm_source=later', referrer: 'https://b.test' });
    expect(await submit(hash)).toMatchObject({
      attribution: {
        referrer: 'https://search.test/',
        utm_source: 'news',
        utm_medium: 'mail',
        utm_campaign: 'spring',
      },
      undeclared: {},
    });
    expect((await submit(hash, neighbour)).attribution).toBeNull();
  });

  test('attributes a direct visit without entries', async () => {
    const { visitor_hash: hash } = (await visit({ page_url: 'https://www.acme.test' })).body;
    expect((await submit(hash)).attribution).toEqual({});
  });
});

describe('POST visits with faults', () => {
  test.each<[string, unknown, object]>([
    ['a body without a page', {}, { page_url: [expect.any(String)] }],
    [
      'a page that is not on the web',
      { page_url: 'javascript:alert(1)' },
      { page_url: [expect.any(String)] },
    ],
    ['a page that is no text', { page_url: ['https://a.test'] }, { page_url: [expect.any(String)] }],
    ['a list', '[]', { body: [expect.any(String)] }],
  ])('refuses %s', async (_case, body, errors) => {
    expect(await visit(body)).toMatchObject({ status: 422, body: { message: expect.any(String), errors } });
    expect(await app.services.db.orm.visit.count()).toBe(0);
  });

  test('cuts or drops values that are too long, and records the visit', async () => {
    const { status } = await visit({
      page_url: `https://www.acme.test/${'é'.repeat(1000)}?utm_source=a`,
      page_title: '😀'.repeat(1001),
      page_locale: 'x'.repeat(36),
      referrer: `https://search.test/${'x'.repeat(5000)}`,
    });
    expect(status).toBe(200);
    const [kept] = await app.services.db.orm.visit.findMany();
    expect(kept).toMatchObject({ pageTitle: '😀'.repeat(1000), pageLocale: null, utmSource: 'a' });
    expect(kept?.referrer).toHaveLength(2048);
    expect(kept?.pageUrl.length).toBeGreaterThan(2040);
    expect(decodeURI(String(kept?.pageUrl).replace(/%C3$/, ''))).toMatch(/^https:\/\/www\.acme\.test\/é+$/);
  });

  test.each([
    ['https://www.acme.test/a?email=ann%40x.test&utm_id=7#token', 'https://www.acme.test/a?utm_id=7'],
    ['https://ann:secret@www.acme.test/a?q=utm_source', 'https://www.acme.test/a'],
    [
      'https://www.acme.test/a?utm_source=a%20b&UTM_TERM=c',
      'https://www.acme.test/a?utm_source=a%20b&UTM_TERM=c',
    ],
    ['https://www.acme.test', 'https://www.acme.test/'],
  ])('keeps of %s no more than the page and its campaign', async (sent, kept) => {
    await visit({ page_url: sent, referrer: sent });
    const [row] = await app.services.db.orm.visit.findMany();
    expect(row).toMatchObject({ pageUrl: kept, referrer: kept.replace(/\?.*/, '') });
  });

  test('refuses another origin, a disabled and an unknown website, and a large body', async () => {
    const disabledSite = await websiteId(app.services, 'off.acme.test');
    const disabled = createVisitor({
      url: app.url,
      websiteId: disabledSite,
      origin: 'https://off.acme.test',
    });
    const unknown = createVisitor({ url: app.url, websiteId: 'x', origin: 'https://www.acme.test' });
    expect(await visit(VISIT, { origin: 'https://evil.test' })).toMatchObject({
      status: 403,
      body: { error: 'origin_not_allowed' },
    });
    expect(await visit(VISIT, {}, disabled)).toMatchObject({ status: 403 });
    expect(await visit(VISIT, {}, unknown)).toMatchObject({ status: 404 });
    expect(await visit('x'.repeat(300_000))).toMatchObject({ status: 413 });
    expect(await app.services.db.orm.visit.count()).toBe(0);
  });

  test('refuses the 61st visit of a minute of an address', async () => {
    const statuses = await Promise.all(Array.from({ length: 61 }, async () => (await visit()).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  test('refuses the 301st visit of a minute on a website, over all addresses', async () => {
    const page = await at('busy.acme.test');
    const answers = await Promise.all(
      Array.from({ length: 320 }, (_, index) =>
        visit(VISIT, { 'x-forwarded-for': `10.1.${index >> 8}.${index & 255}` }, page),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.headers.get('ratelimit-policy')).toBe('"visits";q=60;w=60, "visits-website";q=300;w=60');
    expect(await app.services.db.orm.visit.count()).toBe(300);
    expect(await visit(VISIT, {}, neighbour)).toMatchObject({ status: 200 });
  });

  test('counts for the website only what would be recorded', async () => {
    const page = await at('quiet.acme.test');
    const refused = await Promise.all(
      Array.from({ length: 310 }, (_, index) => {
        const headers = { 'x-forwarded-for': `10.2.${index >> 8}.${index & 255}` };
        return index % 2
          ? visit(VISIT, { ...headers, origin: 'https://evil.test' }, page)
          : visit('{"page_url":7}', headers, page);
      }),
    );
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([403, 422]));
    expect(refused[0]!.headers.get('ratelimit-policy')).toBe('"visits";q=60;w=60');
    const seen = await visit(VISIT, {}, page);
    expect(seen.status).toBe(200);
    expect(seen.headers.get('ratelimit')).toContain('"visits-website";r=299;');
  });
});

describe('the purge', () => {
  test('deletes visits after 13 months, in batches, also when two workers purge at once', async () => {
    await ageVisits('14 months', 95);
    await ageVisits('13 months -1 day', 5);
    const { db } = app.services;
    const counts = await Promise.all([1, 2].map(() => purgeVisits(db, new Date(), 10)));
    const rest = await purgeVisits(db, new Date(), 10);
    expect(counts[0]! + counts[1]! + rest).toBe(95);
    expect(await db.orm.visit.count()).toBe(5);
  });
});

describe('the visitor hash', () => {
  test('is ignored when it is malformed or unknown', async () => {
    for (const hash of ['x', 'x'.repeat(43), 'x'.repeat(5000), 5, null, { a: 1 }, ['x'], "' OR 1=1 --"]) {
      expect(await submit(hash)).toMatchObject({ attribution: null, undeclared: {} });
    }
  });

  test('is all that a visit keeps of address and browser; what PostgreSQL cannot store is replaced', async () => {
    const title = 'a\0b\ud800';
    const url = `https://www.acme.test/?utm_source=%00${'x'.repeat(300)}&utm_content=%ED%A0%80`;
    const { status } = await visit({ page_url: url, page_title: title, referrer: 'about:blank' });
    expect(status).toBe(200);
    const [row] = await app.services.db.orm.visit.findMany();
    expect(row).toMatchObject({ pageTitle: 'a\uFFFDb\uFFFD', referrer: null });
    expect(row?.utmSource).toHaveLength(255);
    expect(JSON.stringify(row)).not.toMatch(/198\.51\.100|Browser\/1/);
  });

  test('changes the next day, and the first visit deletes the former salt', async () => {
    const { visitor_hash: yesterday } = (await visit()).body;
    const salt = await todaysSalt(app.services.db);
    await waitOneDay();
    const { visitor_hash: today } = (await visit()).body;
    expect(today).not.toBe(yesterday);
    const kept = await app.services.db.orm.dailySalt.findMany();
    expect(kept).toHaveLength(1);
    expect(Buffer.from(kept[0]!.salt).equals(Buffer.from(salt))).toBe(false);
    const identity = { websiteId: site, address: `198.51.100.${address}`, userAgent: 'Browser/1' };
    expect(hashVisitor(salt, identity)).toBe(yesterday);
    expect(hashVisitor(kept[0]!.salt, identity)).toBe(today);
  });

  test('keeps its attribution over midnight', async () => {
    const { visitor_hash: hash } = (await visit()).body;
    await waitOneDay();
    await deletePastSalts(app.services.db);
    expect((await submit(hash)).attribution).toMatchObject({ utm_source: 'news' });
  });

  test('is the same for a hundred concurrent first visits of a day', async () => {
    await app.services.db.orm.dailySalt.deleteMany();
    const salts = await Promise.all(Array.from({ length: 100 }, () => todaysSalt(app.services.db)));
    expect(new Set(salts.map((salt) => Buffer.from(salt).toString('hex'))).size).toBe(1);
    expect(await app.services.db.orm.dailySalt.count()).toBe(1);
  });

  test('has salts that a worker deletes after their day, with expired visits', async () => {
    const { db } = app.services;
    await todaysSalt(db);
    await visit();
    await ageVisits('14 months', 3);
    await db.orm.$executeRaw`
      INSERT INTO daily_salts (day, salt) VALUES ('2020-01-01', '\\x00'), ('2020-01-02', '\\x01')`;
    const worker = await startTestApp({ worker: true, env: { DATABASE_URL: app.database.url } });
    try {
      await eventually(
        async () => (await db.orm.dailySalt.count()) === 1 && (await db.orm.visit.count()) === 1,
      );
      expect(await todaysSalt(db)).toHaveLength(32);
    } finally {
      await worker.close();
    }
  });
});

test('a visit of a website that is deleted before it is recorded is a 404', async () => {
  const { db } = app.services;
  const gone = await at('gone.acme.test');
  const view = () => gone.call('POST', 'visits', { body: VISIT });
  expect((await view()).status).toBe(200);
  const { viewing } = await db.orm.$transaction(async (tx) => {
    await tx.website.deleteMany({ where: { host: 'gone.acme.test' } });
    const viewing = view();
    await eventually(() => isWaitingForLock(app.database, '%visits%'));
    return { viewing };
  });
  expect(await viewing).toMatchObject({ status: 404, body: { message: 'Website not found.' } });
});
