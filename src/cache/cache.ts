import { LRUCache } from 'lru-cache';
import type { ChangedTeams, Changes } from './change-feed.js';

/** Maximum age of an absent key. */
const ABSENT_MS = 60_000;

/** A cached value belongs to a team. */
export type OfTeam = Readonly<{ teamId: number }>;

/** A read-through LRU cache of one kind of value. All readers share each value, so treat it as immutable. */
export type Cache<Key, Value> = Readonly<{
  /**
   * Returns the value of a key, loaded on a miss; null when there is none.
   *
   * @throws the database's error, or 503 when the change feed cannot be checked in time.
   */
  get(key: Key): Promise<Value | null>;
  /** Returns the cached value of a key, confirmed or not: only for reads that may be outdated. Null on a miss. */
  peek(key: Key): Value | null;
}>;

/**
 * Creates an LRU cache that the change feed invalidates. Concurrent reads of a key share one load (singleflight). A
 * value that outweighs the whole cache is not kept.
 *
 * @param load Reads a value in one snapshot; null when there is none.
 * @param weightOf In the unit of `maxWeight`, which bounds the memory; at least 1.
 * @param maxAbsentKeys Absent keys that are kept, for a minute at most. None: each is loaded every time.
 */
export function createCache<Key extends string | number, Value extends OfTeam>({
  changeFeed,
  load,
  weightOf,
  maxWeight,
  maxAbsentKeys,
}: {
  changeFeed: Changes;
  load: (key: Key) => Promise<Value | null>;
  weightOf: (value: Value, key: Key) => number;
  maxWeight: number;
  maxAbsentKeys?: number;
}): Cache<Key, Value> {
  const entries = new LRUCache<Key, Value>({ maxSize: maxWeight, sizeCalculation: weightOf });
  /** A cache apart, so that made-up keys evict no entry. */
  const absent = maxAbsentKeys ? new LRUCache<Key, true>({ max: maxAbsentKeys, ttl: ABSENT_MS }) : null;
  const loading = new Map<Key, Promise<Value | null>>();

  function startLoad(asked: Key): Promise<Value | null> {
    // V8 keeps a whole URL in memory for as long as a text that was cut from it, so the cache has a copy of its own.
    const key = structuredClone(asked);
    const loaded: Promise<Value | null> = load(key)
      .then((value) => {
        // An invalidation has removed it from `loading`, and it may have read the old state.
        if (loading.get(key) !== loaded) return value;
        if (value) entries.set(key, value);
        else absent?.set(key, true);
        return value;
      })
      .finally(() => {
        if (loading.get(key) === loaded) loading.delete(key);
      });
    loading.set(key, loaded);
    return loaded;
  }

  async function get(key: Key): Promise<Value | null> {
    await changeFeed.confirm();
    const value = entries.get(key);
    if (value) return value;
    if (!absent?.has(key)) return loading.get(key) ?? startLoad(key);
    await changeFeed.checkNow();
    return absent.get(key) ? null : get(key);
  }

  /** Invalidates the entries of these teams, and every absent key. */
  function invalidate(changed: ChangedTeams): void {
    // The team of a load in flight is only known once it has ended.
    loading.clear();
    absent?.clear();
    if (changed === 'all') {
      entries.clear();
      return;
    }
    for (const [key, { teamId }] of [...entries]) if (changed.has(teamId)) entries.delete(key);
  }

  changeFeed.onChange(invalidate);
  return { get, peek: (key) => entries.peek(key) ?? null };
}
