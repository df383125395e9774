import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { ApiError } from '../../../src/errors.js';
import type { Hit } from '../../../src/http/limits/limits.js';
import { createLimiter, type Limiter, requirePassing } from '../../../src/http/limits/rate-limit.js';
import { createRedis } from '../../../src/lib/redis.js';
import { describeWithOwnRedis, startRedisServer, type TestRedis } from '../../support/redis.js';
import { eventually } from '../../support/wait.js';

const silent = pino({ level: 'silent' });
const passing = async (limiter: Limiter, hits: readonly Hit[][]) =>
  (await Promise.all(hits.map((each) => limiter.consume(...each)))).filter((results) =>
    results.every(({ passes }) => passes),
  ).length;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
const times = <T>(count: number, value: T): T[] => new Array<T>(count).fill(value);

/** What a limiter promises, wherever it counts. */
function promises(open: () => readonly Limiter[]) {
  test('of 500 concurrent hits exactly the quota passes, over all processes', async () => {
    const limiters = open();
    const hit: Hit = { limit: 'token-api', key: 'races' };
    const counts = await Promise.all(
      limiters.map((limiter) => passing(limiter, times(500 / limiters.length, [hit]))),
    );
    expect(sum(counts)).toBe(120);
  });

  test('of concurrent hits of any weight those pass that fit into what is left, over all processes', async () => {
    const limiters = open();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 40 }), async (weights) => {
        const key = `weights ${run++}`;
        const results = await Promise.all(
          weights.map(async (weight, index) => {
            const hit: Hit = { limit: 'token-api', key, weight };
            const [result] = await limiters[index % limiters.length]!.consume(hit);
            return { weight, passes: result!.passes };
          }),
        );
        const passed = sum(results.filter(({ passes }) => passes).map(({ weight }) => weight));
        expect(passed).toBeLessThanOrEqual(120);
        for (const { passes, weight } of results) if (!passes) expect(passed + weight).toBeGreaterThan(120);
        expect((await limiters[0]!.peek({ limit: 'token-api', key })).remaining).toBe(
          Math.max(0, 120 - passed - 1),
        );
      }),
      { numRuns: 30 },
    );
  });

  test('a hit whose weight does not fit is not counted, and a lighter one passes', async () => {
    const [limiter] = open() as [Limiter];
    const hit = (weight: number): Hit => ({ limit: 'token-api', key: 'heavy', weight });
    expect(await limiter.consume(hit(121))).toMatchObject([{ passes: false, remaining: 120, resetS: 60 }]);
    expect(await limiter.consume(hit(100))).toMatchObject([{ passes: true, remaining: 20 }]);
    expect(await limiter.peek(hit(21))).toMatchObject({ passes: false, remaining: 20 });
    expect(await limiter.consume(hit(21))).toMatchObject([{ passes: false, remaining: 20 }]);
    expect(await limiter.consume(hit(20))).toMatchObject([{ passes: true, remaining: 0 }]);
    expect(await limiter.consume(hit(0))).toMatchObject([{ passes: true, remaining: 0 }]);
  });

  test('what was taken by weight is given back by weight', async () => {
    const [limiter] = open() as [Limiter];
    const budget = { limit: 'api-submit-hourly', key: 'by weight', quota: 10 } as const;
    await limiter.take({ ...budget, weight: 4 });
    const { giveBack } = await limiter.take({ ...budget, weight: 6 });
    await giveBack();
    expect((await limiter.take({ ...budget, weight: 6 })).result).toMatchObject({
      passes: true,
      remaining: 0,
    });
  });

  test('each key of each limit has a counter', async () => {
    const [limiter] = open() as [Limiter];
    expect(await passing(limiter, times(40, [{ limit: 'auth-failures', key: 'apart' }]))).toBe(30);
    expect(await passing(limiter, [[{ limit: 'auth-failures', key: 'other' }]])).toBe(1);
    expect(await passing(limiter, [[{ limit: 'visits', key: 'apart' }]])).toBe(1);
  });

  test('a hit that the first limit refuses does not count for the next', async () => {
    const [limiter] = open() as [Limiter];
    const flood: Hit[] = [
      { limit: 'api-submit', key: 'flooder site', quota: 5 },
      { limit: 'api-submit-hourly', key: 'site', quota: 7 },
    ];
    expect(await passing(limiter, times(100, flood))).toBe(5);
    const visitor: Hit[] = [{ limit: 'api-submit', key: 'visitor site', quota: 5 }, flood[1]!];
    expect(await passing(limiter, times(4, visitor))).toBe(2);
  });

  test('of 500 units taken concurrently exactly the budget passes, over all processes', async () => {
    const limiters = open();
    const budget: Hit = { limit: 'api-submit-hourly', key: 'units', quota: 70 };
    const taken = await Promise.all(
      Array.from({ length: 500 }, (_, index) => limiters[index % limiters.length]!.take(budget)),
    );
    expect(taken.filter(({ result }) => result.passes)).toHaveLength(70);
  });

  test('a unit that is given back can be taken once more', async () => {
    const [limiter] = open() as [Limiter];
    const budget: Hit = { limit: 'api-submit-hourly', key: 'given back', quota: 3 };
    const take = async (count: number) => Promise.all(times(count, budget).map((each) => limiter.take(each)));
    const [first] = await take(20);
    await first!.giveBack();
    expect((await take(20)).map(({ result }) => result.passes)).toEqual([true, ...times(19, false)]);
  });

  test('admitting counts the hit and only reads the budget', async () => {
    const [limiter] = open() as [Limiter];
    const budget: Hit = { limit: 'api-submit-hourly', key: 'admitted', quota: 1 };
    const hit = (key: string): Hit => ({ limit: 'api-submit', key: `${key} admitted`, quota: 2 });
    for (let time = 0; time < 2; time++) {
      expect(await limiter.admit(hit('a'), budget)).toMatchObject([
        { passes: true, remaining: 1 - time },
        { passes: true, remaining: 1, resetS: 3600 },
      ]);
    }
    expect(await limiter.admit(hit('a'), budget)).toMatchObject([{ passes: false }]);
    expect((await limiter.take(budget)).result).toMatchObject({ passes: true, remaining: 0 });
    expect(await limiter.admit(hit('b'), budget)).toMatchObject([
      { passes: true },
      { passes: false, remaining: 0 },
    ]);
  });

  test('a result has the remaining hits and the seconds to the reset', async () => {
    const [limiter] = open() as [Limiter];
    const hit: Hit = { limit: 'api-submit-hourly', key: 'standing', quota: 2 };
    expect(await limiter.peek(hit)).toMatchObject({ passes: true, remaining: 1 });
    expect(await limiter.consume(hit)).toEqual([{ hit, passes: true, remaining: 1, resetS: 3600 }]);
    expect(await limiter.consume(hit)).toMatchObject([{ passes: true, remaining: 0 }]);
    expect(await limiter.peek(hit)).toMatchObject({ passes: false, remaining: 0, resetS: 3600 });
    expect(await limiter.consume(hit)).toMatchObject([{ passes: false, remaining: 0 }]);
  });
}

test('a refusal lists every policy that was checked, as structured fields', () => {
  const result = { remaining: 3, resetS: 42 };
  const refuse = () =>
    requirePassing([
      { ...result, hit: { limit: 'api-submit', key: '', quota: 5 }, passes: true },
      { hit: { limit: 'api-submit-hourly', key: '', quota: 9 }, passes: false, remaining: 0, resetS: 7 },
    ]);
  let error: ApiError | undefined;
  try {
    refuse();
  } catch (thrown) {
    error = thrown as ApiError;
  }
  expect(error).toMatchObject({ status: 429, body: { message: 'Too many requests.' } });
  expect(error?.headers).toEqual({
    'Retry-After': '7',
    'RateLimit-Policy': '"api-submit";q=5;w=60, "api-submit-hourly";q=9;w=3600',
    RateLimit: '"api-submit";r=3;t=42, "api-submit-hourly";r=0;t=7',
  });
});

const inMemory = createLimiter({ redis: null, log: silent });
afterEach(() => {
  jest.useRealTimers();
});
promises(() => [inMemory]);

test('the hit after the end of a window begins a new one', async () => {
  jest.useFakeTimers({ now: Date.now(), doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const limiter = createLimiter({ redis: null, log: silent });
  const hit: Hit = { limit: 'auth-failures', key: 'later' };
  expect(await passing(limiter, times(31, [hit]))).toBe(30);
  jest.advanceTimersByTime(59_000);
  expect(await passing(limiter, [[hit]])).toBe(0);
  jest.advanceTimersByTime(1_001);
  expect(await passing(limiter, times(31, [hit]))).toBe(30);
});

test('a unit of an ended window is not given back to the next', async () => {
  jest.useFakeTimers({ now: Date.now(), doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  const limiter = createLimiter({ redis: null, log: silent });
  const budget: Hit = { limit: 'api-submit-hourly', key: 'over', quota: 1 };
  await limiter.take({ ...budget, quota: 2 });
  jest.advanceTimersByTime(10_000);
  const { giveBack } = await limiter.take({ ...budget, quota: 2 });
  jest.advanceTimersByTime(3_590_001);
  expect((await limiter.take(budget)).result.passes).toBe(true);
  await giveBack();
  expect((await limiter.take(budget)).result.passes).toBe(false);
});

describeWithOwnRedis('over Redis', () => {
  let server: TestRedis;
  let connections: Redis[];
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) });

  beforeAll(async () => {
    server = await startRedisServer();
    connections = [1, 2].map(() => createRedis(server.url, silent, 'commands'));
    await eventually(() => connections.every(({ status }) => status === 'ready'));
  });

  afterAll(async () => {
    for (const connection of connections) connection.disconnect();
    await server.stop();
  });

  promises(() => connections.map((redis) => createLimiter({ redis, log })));

  test('Redis and a process that counts alone give the same results', async () => {
    const shared = createLimiter({ redis: connections[0]!, log });
    const hits = fc.array(
      fc.record({ key: fc.constantFrom('a', 'b'), quota: fc.nat(12), weight: fc.nat(8) }),
      { minLength: 1, maxLength: 3 },
    );
    const call = fc.record({ method: fc.constantFrom('consume', 'peek', 'admit', 'take', 'return'), hits });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 20 }), async (calls) => {
        run += 1;
        const alone = createLimiter({ redis: null, log });
        const answers = [];
        for (const limiter of [alone, shared]) {
          const results = [];
          for (const { method, hits } of calls) {
            const all = hits.map(
              (hit): Hit => ({ ...hit, limit: 'api-submit', key: `same ${run} ${hit.key}` }),
            );
            const [first] = all as [Hit];
            if (method === 'consume') results.push(await limiter.consume(...all));
            else if (method === 'peek') results.push(await limiter.peek(first));
            else if (method === 'admit') results.push(await limiter.admit(first, all.at(-1)!));
            else {
              const { result, giveBack } = await limiter.take(first);
              if (method === 'return' && result.passes) await giveBack();
              results.push(result);
            }
          }
          answers.push(results.flat().map(({ passes, remaining }) => ({ passes, remaining })));
        }
        expect(answers[1]).toEqual(answers[0]);
      }),
    );
  });

  test('with Redis away the process counts for itself at once, with one warning', async () => {
    const own = await startRedisServer();
    const redis = createRedis(own.url, silent, 'commands');
    const limiter = createLimiter({ redis, log });
    await eventually(() => redis.status === 'ready');
    const hit: Hit = { limit: 'auth-failures', key: 'away' };
    expect(await passing(limiter, times(10, [hit]))).toBe(10);

    await own.stop();
    warnings.length = 0;
    const startedAt = performance.now();
    expect(await passing(limiter, times(100, [hit]))).toBe(30);
    expect(await passing(limiter, times(100, [hit]))).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(warnings).toHaveLength(1);
    redis.disconnect();
  });

  test('a unit is given back to its own window and counter', async () => {
    const [redis] = connections as [Redis];
    const limiter = createLimiter({ redis, log });
    const budget: Hit = { limit: 'api-submit-hourly', key: 'renewed', quota: 1 };
    const stored = 'limit:api-submit-hourly:renewed';
    await limiter.take({ ...budget, quota: 2 });
    await redis.pexpire(stored, 1_800_000);
    const { giveBack } = await limiter.take({ ...budget, quota: 2 });
    await redis.del(stored);
    await giveBack();
    expect(await redis.exists(stored)).toBe(0);
    await limiter.take(budget);
    await giveBack();
    expect(await redis.get(stored)).toBe('1');
  });

  test('a Redis that hangs delays requests in flight, and none after them', async () => {
    const own = await startRedisServer();
    const redis = createRedis(own.url, silent, 'commands');
    const limiter = createLimiter({ redis, log });
    await eventually(() => redis.status === 'ready');
    await redis.client('PAUSE', 30_000, 'ALL');
    const hit: Hit = { limit: 'auth-failures', key: 'hangs' };
    expect(await passing(limiter, times(10, [hit]))).toBe(10);
    const startedAt = performance.now();
    expect(await passing(limiter, times(100, [hit]))).toBe(20);
    expect(performance.now() - startedAt).toBeLessThan(500);
    redis.disconnect();
    await own.stop();
  });
});
