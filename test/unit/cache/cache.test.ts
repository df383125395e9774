import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createCache } from '../../../src/cache/cache.js';
import type { ChangedTeams } from '../../../src/cache/change-feed.js';

type Thing = { key: string; teamId: number; weight: number };

/** A change feed that confirms everything, and announces what the test tells it to. */
function createFeed() {
  const subscribers: ((changed: ChangedTeams) => void)[] = [];
  return {
    onChange: (invalidate: (changed: ChangedTeams) => void) => void subscribers.push(invalidate),
    confirm: jest.fn(async (): Promise<void> => undefined),
    checkNow: jest.fn(async (): Promise<void> => undefined),
    announce(...teamIds: number[]) {
      for (const invalidate of subscribers) invalidate(new Set(teamIds));
    },
    announceAll() {
      for (const invalidate of subscribers) invalidate('all');
    },
  };
}

/** A cache whose loads end when the test says so. */
function controlled(maxWeight = 10) {
  const feed = createFeed();
  const loads: { key: string; end(thing: Thing | null): void; fail(error: Error): void }[] = [];
  const cache = createCache<string, Thing>({
    changeFeed: feed,
    load: (key) => new Promise((end, fail) => loads.push({ key, end, fail })),
    weightOf: ({ weight }) => weight,
    maxWeight,
  });
  /** Begins a read and lets it come as far as its load. */
  async function begin(key: string): Promise<{ result: Promise<Thing | null> }> {
    const result = cache.get(key);
    await new Promise(setImmediate);
    return { result };
  }
  async function fill(key: string, { teamId = 1, weight = 1 } = {}): Promise<Thing> {
    const thing = { key, teamId, weight };
    const { result } = await begin(key);
    loads.at(-1)?.end(thing);
    await result;
    return thing;
  }
  return { feed, cache, loads, begin, fill };
}

test('concurrent reads of a key share one load, and later reads get the cached value', async () => {
  const { cache, loads, begin } = controlled();
  const both = [await begin('a'), await begin('a')];
  const thing = { key: 'a', teamId: 1, weight: 1 };
  loads[0]!.end(thing);
  expect(await Promise.all(both.map(({ result }) => result))).toEqual([thing, thing]);
  expect(await cache.get('a')).toBe(thing);
  expect(loads).toHaveLength(1);
});

test.each(['', 'a', 'https://x.test/0189'.slice(15), 'Ж', '\ud83d\ude00', '\ud83d'])(
  'the value of the key %j is found again',
  async (key) => {
    const { cache, loads, fill } = controlled();
    const thing = await fill(key);
    expect(await cache.get(key)).toBe(thing);
    expect(loads).toHaveLength(1);
  },
);

test('a failed load is not cached, nor an absent key without a limit for absent keys', async () => {
  const { loads, begin } = controlled();
  const missing = await begin('a');
  loads[0]!.end(null);
  expect(await missing.result).toBeNull();
  const failing = await begin('a');
  const failure = expect(failing.result).rejects.toThrow('away');
  loads[1]!.fail(new Error('away'));
  await failure;
  await begin('a');
  expect(loads).toHaveLength(3);
});

test('a change invalidates the entries of its team and no others', async () => {
  const { feed, cache, loads, begin, fill } = controlled();
  await fill('a', { teamId: 1 });
  const other = await fill('b', { teamId: 2 });
  await fill('c', { teamId: 1 });
  feed.announce(1);
  expect([cache.peek('a'), cache.peek('b'), cache.peek('c')]).toEqual([null, other, null]);
  expect(await cache.get('b')).toBe(other);
  await begin('a');
  expect(loads).toHaveLength(4);
});

test('a change of all teams invalidates every entry', async () => {
  const { feed, cache, fill } = controlled();
  for (const teamId of [1, 2, 3]) await fill(`of ${teamId}`, { teamId });
  feed.announceAll();
  expect([1, 2, 3].map((teamId) => cache.peek(`of ${teamId}`))).toEqual([null, null, null]);
});

test('a load in flight during any invalidation is neither cached nor shared with later reads', async () => {
  const { feed, cache, loads, begin } = controlled();
  const before = await begin('a');
  feed.announce(99);
  const after = await begin('a');
  expect(loads).toHaveLength(2);
  const [old, fresh] = [1, 2].map((teamId) => ({ key: 'a', teamId, weight: 1 }));
  loads[1]!.end(fresh!);
  loads[0]!.end(old!);
  expect([await before.result, await after.result]).toEqual([old, fresh]);
  expect(await cache.get('a')).toBe(fresh);
});

test('beyond the weight limit the least recently used entries are evicted first', async () => {
  const { cache, fill } = controlled(3);
  for (const key of ['a', 'b', 'c']) await fill(key);
  await cache.get('a');
  await fill('d');
  expect(['a', 'b', 'c', 'd'].map((key) => cache.peek(key)?.key ?? null)).toEqual(['a', null, 'c', 'd']);
  await fill('heavy', { weight: 2 });
  expect(['a', 'c', 'd', 'heavy'].map((key) => cache.peek(key)?.key ?? null)).toEqual([
    null,
    null,
    'd',
    'heavy',
  ]);
});

test('a value that outweighs the whole cache is returned, not cached, and evicts nothing', async () => {
  const { cache, loads, begin, fill } = controlled(3);
  const light = await fill('light');
  await fill('heavy', { weight: 4 });
  expect([cache.peek('light'), cache.peek('heavy')]).toEqual([light, null]);
  await begin('heavy');
  expect(loads).toHaveLength(3);
});

test('a cached value is returned once the feed has confirmed it, and not when the feed fails to', async () => {
  const { feed, cache, fill } = controlled();
  const thing = await fill('a');
  let confirm!: () => void;
  feed.confirm.mockReturnValueOnce(
    new Promise((resolve) => {
      confirm = resolve;
    }),
  );
  const done = jest.fn();
  const read = cache.get('a').finally(done);
  await new Promise(setImmediate);
  expect(done).not.toHaveBeenCalled();
  confirm();
  expect(await read).toBe(thing);
  feed.confirm.mockRejectedValueOnce(new Error('away'));
  await expect(cache.get('a')).rejects.toThrow('away');
});

test('peek returns a cached value without the feed, and does not count as a use', async () => {
  const { feed, cache, fill } = controlled(2);
  expect(cache.peek('a')).toBeNull();
  const thing = await fill('a');
  await fill('b');
  feed.confirm.mockClear();
  expect(cache.peek('a')).toBe(thing);
  expect(feed.confirm).not.toHaveBeenCalled();
  await fill('c');
  expect(cache.peek('a')).toBeNull();
});

describe('absent keys', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** A cache that keeps up to two absent keys. */
  function withAbsence() {
    const feed = createFeed();
    const load = jest.fn(
      async (key: string): Promise<Thing | null> => (key === 'there' ? { key, teamId: 1, weight: 1 } : null),
    );
    const options = { weightOf: () => 1, maxWeight: 10, maxAbsentKeys: 2 };
    return { feed, load, cache: createCache({ changeFeed: feed, load, ...options }) };
  }

  test('an absent key is loaded once, and confirmed by a check for each later read', async () => {
    const { cache, load, feed } = withAbsence();
    for (let time = 0; time < 3; time++) expect(await cache.get('a')).toBeNull();
    expect([load.mock.calls.length, feed.checkNow.mock.calls.length]).toEqual([1, 2]);
  });

  test('an absent key is loaded again after any change, also one that its check finds', async () => {
    const { cache, load, feed } = withAbsence();
    await cache.get('a');
    feed.announce(99);
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(2);
    feed.checkNow.mockImplementationOnce(async () => feed.announce(99));
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(3);
  });

  test('an absent key is not answered when its check fails', async () => {
    const { cache, feed } = withAbsence();
    await cache.get('a');
    feed.checkNow.mockRejectedValueOnce(new Error('away'));
    await expect(cache.get('a')).rejects.toThrow('away');
  });

  test('an absent key is loaded again after a minute, however often it was read', async () => {
    const { now } = performance;
    let skippedMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + skippedMs);
    const { cache, load } = withAbsence();
    for (skippedMs = 0; skippedMs < 60_000; skippedMs += 11_000) {
      await cache.get('a');
      // The LRU cache reads the time once a millisecond.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(load).toHaveBeenCalledTimes(1);
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(2);
  });

  test('beyond their limit the least recently used absent keys are evicted first', async () => {
    const { cache, load } = withAbsence();
    for (const key of ['a', 'b', 'a', 'c', 'a']) await cache.get(key);
    expect(load.mock.calls.map(([key]) => key)).toEqual(['a', 'b', 'c']);
    await cache.get('b');
    expect(load).toHaveBeenCalledTimes(4);
  });

  test('a load in flight during an invalidation leaves no absent key', async () => {
    const { cache, load, feed } = withAbsence();
    load.mockImplementationOnce(async () => {
      await new Promise(setImmediate);
      feed.announce(99);
      return null;
    });
    await cache.get('a');
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(2);
  });

  test('absent keys neither evict entries nor cost them a check', async () => {
    const { cache, load, feed } = withAbsence();
    for (const key of ['there', 'a', 'b', 'c', 'there']) await cache.get(key);
    expect(load.mock.calls.map(([key]) => key)).toEqual(['there', 'a', 'b', 'c']);
    expect(feed.checkNow).not.toHaveBeenCalled();
  });
});
