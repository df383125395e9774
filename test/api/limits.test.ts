import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { describeWithRedis, startRedisServer, type TestRedis } from '../support/redis.js';
import { type Answer, createVisitor, type Visitor } from '../support/visitor.js';

const PLAN = { submissions_per_minute: 5, submissions_per_hour: 30 };
const WEBSITES = Array.from({ length: 8 }, (_, index) => `w${index}.acme.test`);

/** Every test takes websites without a hit yet. */
let next = 0;

type Front = Readonly<{ app: TestApp; bearer: Record<string, string> }>;

async function open(options: Parameters<typeof startTestApp>[0] = {}): Promise<Front> {
  const app = await startTestApp(options);
  if ((await app.services.db.orm.team.count()) === 0) {
    const websites = WEBSITES.map((host) => website(host));
    await provision(app.services, [team('acme', { websites })], PLAN);
  }
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  return { app, bearer: { authorization: `Bearer ${token}` } };
}

async function visitorOf({ app }: Front, host: string): Promise<Visitor> {
  return createVisitor({
    url: app.url,
    websiteId: await websiteId(app.services, host),
    origin: `https://${host}`,
  });
}

const freshHost = (): string => WEBSITES[next++ % WEBSITES.length]!;

const passed = (answers: readonly Answer[]) => answers.filter(({ status }) => status === 200).length;

/** Submissions at once from each of the addresses that the proxies tell. */
const flood = (
  { bearer }: Front,
  visitor: Visitor,
  { count, from }: { count: number; from?: (index: number) => string },
) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      visitor.submit({ headers: { ...bearer, ...(from && { 'x-forwarded-for': from(index) }) } }),
    ),
  );

describe('one process', () => {
  let front: Front;
  let proxied: Front;

  beforeAll(async () => {
    front = await open();
    proxied = await open({ env: { TRUST_PROXY: 'loopback' } });
  });

  afterAll(async () => {
    await front.app.close();
    await proxied.app.close();
  });

  beforeEach(() => {
    expect(next).toBeLessThan(WEBSITES.length);
  });

  test('of 500 concurrent submissions exactly the plan’s number passes', async () => {
    const before = await front.app.services.db.orm.submission.count();
    const answers = await flood(front, await visitorOf(front, freshHost()), { count: 500 });
    expect(passed(answers)).toBe(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(495);
    expect(await front.app.services.db.orm.submission.count()).toBe(before + 5);
  });

  test('the answer has the RateLimit fields, and a 429 Retry-After', async () => {
    const visitor = await visitorOf(front, freshHost());
    const first = await visitor.submit({ headers: front.bearer });
    expect(first.headers.get('ratelimit-policy')).toBe(
      '"api-submit";q=5;w=60, "api-submit-hourly";q=30;w=3600',
    );
    expect(first.headers.get('ratelimit')).toMatch(
      /^"api-submit";r=4;t=\d+, "api-submit-hourly";r=29;t=\d+$/,
    );
    await flood(front, visitor, { count: 4 });
    const refused = await visitor.submit({ headers: front.bearer });
    expect(refused).toMatchObject({ status: 429, body: { message: 'Too many requests.' } });
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  test('a made-up X-Forwarded-For changes nothing without TRUST_PROXY', async () => {
    const visitor = await visitorOf(front, freshHost());
    const answers = await flood(front, visitor, { count: 20, from: (index) => `203.0.113.${index}` });
    expect(passed(answers)).toBe(5);
  });

  test('with TRUST_PROXY each client address has a quota, and only the proxy’s own entry counts', async () => {
    const visitor = await visitorOf(proxied, freshHost());
    const honest = await flood(proxied, visitor, { count: 12, from: (index) => `203.0.113.${index % 2}` });
    expect(passed(honest)).toBe(10);
    const spoofed = await flood(proxied, visitor, {
      count: 20,
      from: (index) => `198.51.100.${index}, 203.0.113.77`,
    });
    expect(passed(spoofed)).toBe(5);
  });

  test('IPv6 addresses of one /64 share a limit, the next /64 has its own', async () => {
    const visitor = await visitorOf(proxied, freshHost());
    const from = (index: number) => `2001:db8:1:1::${(index + 1).toString(16)}`;
    expect(passed(await flood(proxied, visitor, { count: 20, from }))).toBe(5);
    const neighbour = () => '2001:db8:1:2::1';
    expect(passed(await flood(proxied, visitor, { count: 6, from: neighbour }))).toBe(5);
  });

  test('the hourly limit holds for a website over all addresses, and for no other website', async () => {
    const visitor = await visitorOf(proxied, freshHost());
    const from = (index: number) => `192.0.2.${index}`;
    const answers = await flood(proxied, visitor, { count: 40, from });
    expect(passed(answers)).toBe(30);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3000);
    const other = await visitorOf(proxied, freshHost());
    expect(passed(await flood(proxied, other, { count: 1, from }))).toBe(1);
  });

  test('an address over its own limit uses nothing of the website’s hourly limit', async () => {
    const visitor = await visitorOf(proxied, freshHost());
    await flood(proxied, visitor, { count: 100, from: () => '192.0.2.200' });
    const others = await flood(proxied, visitor, { count: 25, from: (index) => `192.0.2.${index}` });
    expect(passed(others)).toBe(25);
  });
});

describe('the signature endpoint', () => {
  test('refuses the 61st request of a minute', async () => {
    const front = await open();
    try {
      const visitor = await visitorOf(front, WEBSITES[0]!);
      const answers = await Promise.all(Array.from({ length: 70 }, () => visitor.call('GET', 'signature')));
      expect(passed(answers)).toBe(60);
    } finally {
      await front.app.close();
    }
  });
});

describeWithRedis('two gateways and one Redis', () => {
  let redis: TestRedis;
  let port: number;
  let one: Front;
  let two: Front;

  beforeAll(async () => {
    port = await freePort();
    redis = await startRedisServer(port);
    one = await open({ redisUrl: redis.url });
    two = await open({ redisUrl: redis.url, env: { DATABASE_URL: one.app.database.url } });
  });

  afterAll(async () => {
    await one.app.close();
    await two.app.close();
    await redis.stop();
  });

  test('of 500 concurrent submissions to two gateways exactly the plan’s number passes', async () => {
    const halves = await Promise.all(
      [one, two].map(async (front) => flood(front, await visitorOf(front, 'w0.acme.test'), { count: 250 })),
    );
    expect(passed(halves.flat())).toBe(5);
  });

  test('with Redis away each gateway counts for itself, without a 500 and without waiving the limit', async () => {
    await redis.stop();
    const halves = await Promise.all(
      [one, two].map(async (front) => flood(front, await visitorOf(front, 'w1.acme.test'), { count: 50 })),
    );
    for (const answers of halves) {
      expect(passed(answers)).toBe(5);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    }
    redis = await startRedisServer(port);
  });
});
