import { describe, expect, jest, test } from '@jest/globals';
import { createCache, readPlace } from '../../../src/cache/cache.js';

type Thing = { key: string; group: number; weight: number };

/** A cache whose loads end when the test says so. */
function controlled(maxWeight = 10) {
  const loads: { key: string; end(thing: Thing | null): void; fail(error: Error): void }[] = [];
  const cache = createCache<string, Thing>({
    load: (key) => new Promise((end, fail) => loads.push({ key, end, fail })),
    weightOf: ({ weight }) => weight,
    maxWeight,
  });
  async function fill(key: string, { group = 1, weight = 1 } = {}): Promise<Thing> {
    const thing = { key, group, weight };
    const got = cache.get(key);
    loads.at(-1)?.end(thing);
    await got;
    return thing;
  }
  return { cache, loads, fill };
}

test('loads once, and requests that meet share the load', async () => {
  const { cache, loads } = controlled();
  const both = Promise.all([cache.get('a'), cache.get('a')]);
  const thing = { key: 'a', group: 1, weight: 1 };
  loads[0]!.end(thing);
  expect(await both).toEqual([thing, thing]);
  expect(await cache.get('a')).toBe(thing);
  expect(loads).toHaveLength(1);
});

test.each(['', 'a', 'https://x.test/0189'.slice(15), 'Ж', '\ud83d\ude00', '\ud83d'])(
  'finds again what is kept under %j',
  async (key) => {
    const { cache, loads, fill } = controlled();
    const thing = await fill(key);
    expect(await cache.get(key)).toBe(thing);
    expect(loads).toHaveLength(1);
  },
);

test('keeps neither what failed nor, unless told to, what does not exist', async () => {
  const { cache, loads } = controlled();
  const missing = cache.get('a');
  loads[0]!.end(null);
  expect(await missing).toBeNull();
  const failing = cache.get('a');
  loads[1]!.fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  void cache.get('a');
  expect(loads).toHaveLength(3);
});

test('forgets what it is told to, and nothing else', async () => {
  const { cache, loads, fill } = controlled();
  await fill('a', { group: 1 });
  const other = await fill('b', { group: 2 });
  cache.drop(({ group }) => group === 1);
  expect(await cache.get('b')).toBe(other);
  void cache.get('a');
  expect(loads).toHaveLength(3);
});

test('what was being loaded during a drop is not kept, nor shared with who comes after', async () => {
  const { cache, loads } = controlled();
  const before = cache.get('a');
  cache.drop(() => false);
  const after = cache.get('a');
  expect(loads).toHaveLength(2);
  const [old, fresh] = [1, 2].map((group) => ({ key: 'a', group, weight: 1 }));
  loads[1]!.end(fresh!);
  loads[0]!.end(old!);
  expect([await before, await after]).toEqual([old, fresh]);
  expect(await cache.get('a')).toBe(fresh);
});

test('beyond its weight the longest unused go first, and the latest always stays', async () => {
  const { cache, loads, fill } = controlled(3);
  for (const key of ['a', 'b', 'c']) await fill(key);
  await cache.get('a');
  await fill('d');
  await cache.get('a');
  await cache.get('c');
  expect(loads).toHaveLength(4);
  const heavy = await fill('heavy', { weight: 5 });
  expect(await cache.get('heavy')).toBe(heavy);
  for (const key of ['a', 'b', 'c', 'd']) void cache.get(key);
  expect(loads).toHaveLength(9);
});

test('a place holds the thing until it is forgotten', async () => {
  const { cache, fill } = controlled();
  expect(cache.locate('a')).toBeNull();
  const thing = await fill('a', { group: 1 });
  const place = cache.locate('a')!;
  expect(readPlace(place)).toBe(thing);
  cache.drop(({ group }) => group === 2);
  expect(readPlace(place)).toBe(thing);
  cache.drop(({ group }) => group === 1);
  expect(readPlace(place)).toBeNull();
  await fill('a');
  expect(readPlace(place)).toBeNull();
});

test('what is read in its place counts as used, and is gone from it when its turn comes', async () => {
  const { cache, fill } = controlled(2);
  const used = await fill('used');
  const place = cache.locate('used')!;
  await fill('unused');
  const other = cache.locate('unused')!;
  readPlace(place);
  await fill('latest');
  expect([place.value, other.value]).toEqual([used, null]);
  await fill('heavy', { weight: 3 });
  expect(place.value).toBeNull();
});

describe('what does not exist', () => {
  /** A cache that keeps up to two absent keys, with what confirms them. */
  function withAbsence() {
    const confirm = jest.fn(async (): Promise<void> => undefined);
    const load = jest.fn(
      async (key: string): Promise<Thing | null> => (key === 'there' ? { key, group: 1, weight: 1 } : null),
    );
    const absence = { maxKeys: 2, confirm };
    return { confirm, load, cache: createCache({ load, weightOf: () => 1, maxWeight: 10, absence }) };
  }

  test('is loaded once, and confirmed each time after', async () => {
    const { cache, load, confirm } = withAbsence();
    for (let time = 0; time < 3; time++) expect(await cache.get('a')).toBeNull();
    expect([load.mock.calls.length, confirm.mock.calls.length]).toEqual([1, 2]);
  });

  test('is loaded again after something changed, also while it was being confirmed', async () => {
    const { cache, load, confirm } = withAbsence();
    await cache.get('a');
    cache.drop(() => false);
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(2);
    confirm.mockImplementationOnce(async () => cache.drop(() => false));
    await cache.get('a');
    expect(load).toHaveBeenCalledTimes(3);
  });

  test('is given up beyond its number, the least recently used first', async () => {
    const { cache, load } = withAbsence();
    for (const key of ['a', 'b', 'a', 'c', 'a']) await cache.get(key);
    expect(load.mock.calls.map(([key]) => key)).toEqual(['a', 'b', 'c']);
    await cache.get('b');
    expect(load).toHaveBeenCalledTimes(4);
  });

  test('does not stand in the way of what exists', async () => {
    const { cache, confirm } = withAbsence();
    for (let time = 0; time < 2; time++) expect(await cache.get('there')).toMatchObject({ key: 'there' });
    expect(confirm).not.toHaveBeenCalled();
  });
});
