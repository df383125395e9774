import { LRUCache } from 'lru-cache';

/** An entry of the cache; its value is null once the entry was evicted or invalidated. */
export type Place<Value> = { value: Value | null; readonly weight: number; isUsed: boolean };

/** Options of negative caching: how keys without a value are kept. */
export type Absence = Readonly<{
  /** Beyond this many the least recently used are evicted. */
  maxKeys: number;
  /** Resolves when `drop` has run for every change that was committed before the call. */
  confirm: () => Promise<void>;
}>;

/** Maximum age of an absent key. */
const ABSENT_MS = 60_000;

/** A read-through cache in memory of values that are stored elsewhere. */
export type Cache<Key, Value> = Readonly<{
  /** Returns the value of a key, loaded on a miss; null when there is none. */
  get(key: Key): Promise<Value | null>;
  /** Returns the cached value of a key; null on a miss. */
  peek(key: Key): Value | null;
  /** Returns the entry of a key, so that a frequent reader looks it up once; null on a miss. */
  locate(key: Key): Place<Value> | null;
  /**
   * Invalidates the entries whose value matches, and every absent key. A load in flight may have read the old state,
   * so its result is not cached either.
   */
  drop(isConcerned: (value: Value) => boolean): void;
}>;

/**
 * Copies a text into a flat string. In V8 a substring points into its parent, and a concatenation to its pieces: it
 * would keep them in memory, and each read would have to fetch them too.
 */
export const ownText = (text: string): string => text.split('').join('');

/** Reads the value of an entry and marks the entry as used. */
export function readPlace<Value>(place: Place<Value>): Value | null {
  // A write of the same value would dirty the cache line for nothing.
  if (!place.isUsed) place.isUsed = true;
  return place.value;
}

/**
 * Caches loaded values up to a total weight. Eviction is by second chance: the oldest entry goes that was not used
 * since it was last examined. A read does not reorder entries as an LRU cache does: in a large map that would cost
 * more than the rest of the read. Concurrent reads of a key share one load (singleflight).
 *
 * @param weightOf In the unit of `maxWeight`.
 * @param absence Null: absent keys are loaded each time.
 */
export function createCache<Key extends string | number, Value extends object>({
  load,
  weightOf,
  maxWeight,
  absence = null,
}: {
  load: (key: Key) => Promise<Value | null>;
  weightOf: (value: Value) => number;
  maxWeight: number;
  absence?: Absence | null;
}): Cache<Key, Value> {
  /** Entries in the order in which eviction examines them. */
  const kept = new Map<Key, Place<Value>>();
  const loading = new Map<Key, Promise<Value | null>>();
  const absent = absence && new LRUCache<Key, true>({ max: absence.maxKeys, ttl: ABSENT_MS });
  let totalWeight = 0;

  function remove(key: Key): void {
    const place = kept.get(key);
    if (!place) return;
    totalWeight -= place.weight;
    place.value = null;
    kept.delete(key);
  }

  function keep(key: Key, value: Value): void {
    const weight = weightOf(value);
    remove(key);
    kept.set(key, { value, weight, isUsed: false });
    totalWeight += weight;
    for (const [oldest, place] of kept) {
      if (totalWeight <= maxWeight || kept.size === 1) break;
      if (place.isUsed || oldest === key) {
        place.isUsed = false;
        kept.delete(oldest);
        kept.set(oldest, place);
      } else {
        remove(oldest);
      }
    }
  }

  function start(asked: Key): Promise<Value | null> {
    const key = typeof asked === 'string' ? (ownText(asked) as Key & string) : asked;
    const work: Promise<Value | null> = load(key)
      .then((value) => {
        if (loading.get(key) === work) {
          if (value) keep(key, value);
          else absent?.set(key, true);
        }
        return value;
      })
      .finally(() => {
        if (loading.get(key) === work) loading.delete(key);
      });
    loading.set(key, work);
    return work;
  }

  async function get(key: Key): Promise<Value | null> {
    const place = kept.get(key);
    if (place) return readPlace(place);
    if (!absence || !absent?.has(key)) return loading.get(key) ?? start(key);
    await absence.confirm();
    return absent.get(key) ? null : get(key);
  }

  return {
    get,

    peek: (key) => kept.get(key)?.value ?? null,

    locate: (key) => kept.get(key) ?? null,

    drop(isConcerned) {
      // Whether a load in flight is concerned is only known once it has ended.
      loading.clear();
      absent?.clear();
      for (const [key, { value }] of kept) if (value && isConcerned(value)) remove(key);
    },
  };
}
