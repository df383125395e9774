import { LRUCache } from 'lru-cache';

/** Where a thing lies in memory; empty once the thing has been forgotten. */
export type Place<Value> = { value: Value | null; readonly weight: number; isUsed: boolean };

/** How keys are kept that have no thing. */
export type Absence = Readonly<{
  /** Beyond so many the least recently used are evicted. */
  maxKeys: number;
  /** Resolves when `drop` has been called for every change that was committed before the call. */
  confirm: () => Promise<void>;
}>;

/** For this long an absent key is kept at most. */
const ABSENT_MS = 60_000;

/** What is kept in memory of things that are stored elsewhere. */
export type Cache<Key, Value> = Readonly<{
  /** The thing of a key, loaded when it is not there; null when there is none. */
  get(key: Key): Promise<Value | null>;
  /** The thing of a key if it is there; null otherwise. */
  peek(key: Key): Value | null;
  /** Where the thing of a key lies, for whoever would look for it often; null when it is not there. */
  locate(key: Key): Place<Value> | null;
  /**
   * Forgets the things for which this holds, and every absent key. What is being loaded may be of before: it is not
   * kept either.
   */
  drop(isConcerned: (value: Value) => boolean): void;
}>;

/**
 * A text that stands on its own. For V8 one that was cut out of another points into it, and a joined one to its pieces:
 * it would keep them in memory, and whoever reads it would have to fetch them too.
 */
export const ownText = (text: string): string => text.split('').join('');

/** Reads what lies in a place, as if it had been asked for. */
export function readPlace<Value>(place: Place<Value>): Value | null {
  // To write what is there already would only have the memory written back.
  if (!place.isUsed) place.isUsed = true;
  return place.value;
}

/**
 * Keeps what was loaded, up to a total weight. What must go is chosen by second chance: the longest kept that has not
 * been used since it was last looked at. A read moves nothing: in a large map that would cost more than the rest of
 * the read. Requests for the same key that meet share one load.
 *
 * @param weightOf In the unit of `maxWeight`.
 * @param absence Null: what does not exist is loaded each time.
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
  /** In the order in which they are looked at when something must go. */
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
      // Whose they are is only known once they are there.
      loading.clear();
      absent?.clear();
      for (const [key, { value }] of kept) if (value && isConcerned(value)) remove(key);
    },
  };
}
