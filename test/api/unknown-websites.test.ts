import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v4 as uuid } from 'uuid';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { describeWithRedis, openTestRedis, type TestRedis } from '../support/redis.js';
import { type Answer, createVisitor } from '../support/visitor.js';

const ORIGIN = 'https://www.acme.test';
const ENDPOINTS = [
  ['GET', 'forms/config?f=contact~fr'],
  ['GET', 'signature'],
  ['GET', 'captcha'],
  ['GET', 'captcha/altcha/challenge'],
  ['POST', 'visits'],
  ['POST', 'forms/contact/submit'],
] as const;

let next = 0;
/** It has no hit yet. */
const freshAddress = (): string => `198.51.100.${++next}`;

type Asked = Readonly<{ from: string; id?: string; path?: string; method?: string }>;

const askOf =
  ({ url }: TestApp) =>
  ({ from, id = uuid(), path = 'signature', method = 'GET' }: Asked): Promise<Answer> =>
    createVisitor({ url, websiteId: id, origin: ORIGIN }).call(method, path, {
      headers: { 'x-forwarded-for': from },
      ...(method === 'POST' && { body: { page_url: ORIGIN } }),
    });

const tally = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

function promises(open: () => TestApp) {
  test('an address may request 60 unknown websites a minute, over all endpoints', async () => {
    const ask = askOf(open());
    const from = freshAddress();
    const answers = await times(90, (index) => {
      const [method, path] = ENDPOINTS[index % ENDPOINTS.length]!;
      return ask({ from, method, path });
    });
    expect(tally(answers)).toEqual({ 404: 60, 429: 30 });
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.headers.get('ratelimit-policy')).toBe('"unknown-website";q=60;w=60');
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  test('an address over the limit of unknown websites is still served known ones', async () => {
    const app = open();
    const ask = askOf(app);
    const from = freshAddress();
    await times(70, () => ask({ from }));
    expect(await ask({ from })).toMatchObject({ status: 429 });
    const id = await websiteId(app.services, 'www.acme.test');
    expect(await ask({ from, id })).toMatchObject({ status: 200 });
  });
}

describe('one process without Redis', () => {
  let app: TestApp;
  let unproxied: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ env: { TRUST_PROXY: 'loopback' } });
    await provision(app.services, [team('acme')]);
    unproxied = await startTestApp({ env: { DATABASE_URL: app.database.url } });
  });
  afterAll(async () => {
    await unproxied.close();
    await app.close();
  });

  promises(() => app);

  test('a website that was unknown is found as soon as it has been created', async () => {
    const ask = askOf(app);
    const from = freshAddress();
    for (let round = 0; round < 5; round++) {
      const id = uuid();
      const host = `new-${round}.acme.test`;
      expect(tally(await times(5, () => ask({ from, id })))).toEqual({ 404: 5 });
      await provision(app.services, [team('acme', { websites: [website(host, { id })] })]);
      const origin = `https://${host}`;
      const page = createVisitor({ url: app.url, websiteId: id, origin });
      expect(await page.call('GET', 'signature')).toMatchObject({ status: 200 });
    }
  });

  test('ids that are no UUID are unknown websites too', async () => {
    const ask = askOf(app);
    const from = freshAddress();
    const answers = await times(61, (index) => ask({ from, id: `not-a-uuid-${index}` }));
    expect(tally(answers)).toEqual({ 404: 60, 429: 1 });
  });

  test('IPv6 addresses of one /64 share the limit, the next /64 has its own', async () => {
    const ask = askOf(app);
    const answers = await times(61, (index) => ask({ from: `2001:db8:7:1::${(index + 1).toString(16)}` }));
    expect(tally(answers)).toEqual({ 404: 60, 429: 1 });
    expect(await ask({ from: '2001:db8:7:2::1' })).toMatchObject({ status: 404 });
  });

  test('a made-up X-Forwarded-For gives no limit of its own without TRUST_PROXY', async () => {
    const ask = askOf(unproxied);
    const answers = await times(61, (index) => ask({ from: `203.0.113.${index}` }));
    expect(tally(answers)).toEqual({ 404: 60, 429: 1 });
  });
});

describeWithRedis('with Redis', () => {
  let redis: TestRedis;
  let app: TestApp;

  beforeAll(async () => {
    redis = await openTestRedis();
    app = await startTestApp({ redisUrl: redis.url, env: { TRUST_PROXY: 'loopback' } });
    await provision(app.services, [team('acme')]);
  });
  afterAll(async () => {
    await app.close();
    await redis.stop();
  });

  promises(() => app);
});
