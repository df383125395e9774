import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { isRecordWaiting } from '../support/locks.js';
import { describeWithRedis, startRedisServer, type TestRedis } from '../support/redis.js';
import { type Answer, createVisitor, type Visitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const BUDGET = 100;
const HOSTS = Array.from({ length: 12 }, (_, index) => `w${index}.acme.test`);
const VALID = { email: 'v@x.test' };

type Front = Readonly<{ app: TestApp; bearer: Record<string, string> }>;
type Headers = Record<string, string>;

/** A gateway behind a proxy, so that each submission can come from an address of its own. */
async function open(options: Parameters<typeof startTestApp>[0] = {}): Promise<Front> {
  const env = { CAPTCHA_DEFAULT: 'off', TRUST_PROXY: 'loopback', ...options.env };
  const app = await startTestApp({ ...options, env });
  if ((await app.services.db.orm.team.count()) === 0) {
    const websites = HOSTS.map((host) => website(host));
    await provision(app.services, [team('acme', { websites })], {
      submissions_per_minute: 5,
      submissions_per_hour: BUDGET,
    });
  }
  const token = await createToken(app.services, 'acme', 'owner@acme.test');
  return { app, bearer: { authorization: `Bearer ${token}` } };
}

const visitorOf = async ({ app }: Front, host: string): Promise<Visitor> =>
  createVisitor({
    url: app.url,
    websiteId: await websiteId(app.services, host),
    origin: `https://${host}`,
  });

let address = 0;
const freshAddress = (): Headers => {
  address += 1;
  return { 'x-forwarded-for': `10.0.${address >> 8}.${address & 255}` };
};

/** Submissions at once, each from an address of its own. */
const flood = (
  page: Visitor,
  {
    count,
    headers,
    body = () => VALID,
  }: { count: number; headers: Headers; body?: (index: number) => object },
): Promise<Answer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      page.submit({ headers: { ...headers, ...freshAddress() }, body: body(index) }),
    ),
  );

const tally = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const left = ({ headers }: Answer): number =>
  Number(/"api-submit-hourly";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** What the budget promises, wherever it is counted. */
function promises(front: () => Front) {
  let page: Visitor;
  let signed: Headers;
  let next = 0;

  beforeEach(async () => {
    page = await visitorOf(front(), HOSTS[next++]!);
    signed = await page.sign();
  });

  test('of 500 concurrent submissions exactly the budget is recorded, and the rest are a 429', async () => {
    const before = await front().app.services.db.orm.submission.count();
    const answers = await flood(page, { count: 500, headers: signed });
    expect(tally(answers)).toEqual({ 200: BUDGET, 429: 400 });
    expect(await front().app.services.db.orm.submission.count()).toBe(before + BUDGET);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(refused.headers.get('ratelimit-policy')).toContain('"api-submit-hourly";q=100;w=3600');
  });

  test('refused submissions, also concurrent ones, use nothing of the budget', async () => {
    const [refused, recorded] = await Promise.all([
      flood(page, { count: 150, headers: signed, body: () => ({}) }),
      flood(page, { count: BUDGET, headers: signed }),
      flood(page, { count: 50, headers: {} }),
    ]);
    expect(tally(recorded)).toEqual({ 200: BUDGET });
    expect(refused.filter(({ status }) => status === 200)).toEqual([]);
    expect(tally(await flood(page, { count: 1, headers: signed }))).toEqual({ 429: 1 });
  });

  test('tokens and visitors have a budget each', async () => {
    const { bearer } = front();
    expect(tally(await flood(page, { count: 120, headers: signed }))).toEqual({ 200: BUDGET, 429: 20 });
    expect(tally(await flood(page, { count: 120, headers: bearer }))).toEqual({ 200: BUDGET, 429: 20 });
  });

  test('requests with the same idempotency key use one unit', async () => {
    const headers = { ...signed, 'idempotency-key': 'repeated' };
    const answers = await flood(page, { count: 150, headers });
    expect(tally(answers)).toEqual({ 200: 150 });
    expect(new Set(answers.map(({ body }) => body.lead_id)).size).toBe(1);
    expect(tally(await flood(page, { count: 120, headers: signed }))).toEqual({ 200: BUDGET - 1, 429: 21 });
  });

  test('a submission that is refused while it is recorded gives its unit back', async () => {
    const { services } = front().app;
    const revoked = await createToken(services, 'acme', 'owner@acme.test');
    const bearer = { authorization: `Bearer ${revoked}` };
    const [id] = revoked.split('|');
    const [before] = await flood(page, { count: 1, headers: bearer });
    // The lock is held from before the token is read until it is revoked, so only the record can notice.
    const { flooding } = await services.db.orm.$transaction(async (tx) => {
      await tx.token.update({ where: { id: Number(id) }, data: { revokedAt: new Date() } });
      const flooding = flood(page, { count: 20, headers: bearer });
      await eventually(() => isRecordWaiting(services));
      return { flooding };
    });
    expect(tally(await flooding)).toEqual({ 401: 20 });
    const [after] = await flood(page, { count: 1, headers: front().bearer });
    expect(left(after!)).toBe(left(before!) - 1);
  });
}

describe('one process without Redis', () => {
  let front: Front;

  beforeAll(async () => {
    front = await open();
  });
  afterAll(() => front.app.close());

  promises(() => front);

  test('the RateLimit field of a refusal shows the whole budget, that of a 200 one unit less', async () => {
    const page = await visitorOf(front, HOSTS[10]!);
    const headers = await page.sign();
    const refused = await page.submit({ headers: { ...headers, ...freshAddress() }, body: {} });
    const recorded = await page.submit({ headers: { ...headers, ...freshAddress() } });
    expect([refused.status, left(refused)]).toEqual([422, BUDGET]);
    expect([recorded.status, left(recorded)]).toEqual([200, BUDGET - 1]);
  });

  test('refused submissions still count for the limit of their address', async () => {
    const page = await visitorOf(front, HOSTS[10]!);
    const headers = { ...(await page.sign()), ...freshAddress() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => page.submit({ headers, body: {} })));
    expect(tally(answers)).toEqual({ 422: 5, 429: 3 });
  });
});

describeWithRedis('one Redis', () => {
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

  promises(() => one);

  test('two gateways share the budget, and count each for itself while Redis is away', async () => {
    const floodBoth = (host: string) =>
      Promise.all(
        [one, two].map(async (front) => {
          const page = await visitorOf(front, host);
          return flood(page, { count: 120, headers: await page.sign() });
        }),
      );
    expect(tally((await floodBoth(HOSTS[10]!)).flat())).toEqual({ 200: BUDGET, 429: 140 });
    await redis.stop();
    for (const answers of await floodBoth(HOSTS[11]!)) {
      expect(tally(answers)).toEqual({ 200: BUDGET, 429: 20 });
    }
    redis = await startRedisServer(port);
  });
});
