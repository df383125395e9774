/** What is kept in memory of things that are stored elsewhere. */
export type Cache<Key, Value> = Readonly<{
  /** The thing of a key, loaded when it is not there; null when there is none, which is never kept. */
  get(key: Key): Promise<Value | null>;
  /** The thing of a key if it is there; null otherwise. */
  peek(key: Key): Value | null;
  /** Forgets the things for which this holds. What is being loaded may be of before: it is not kept either. */
  drop(isConcerned: (value: Value) => boolean): void;
}>;

/**
 * A key that stands on its own. For V8 a text that was cut out of a URL points into it, and a joined one to its pieces:
 * it would keep them in memory, and each look-up would have to fetch them too.
 */
const ownKey = <Key>(key: Key): Key =>
  typeof key === 'string' ? (key.split('').join('') as Key & string) : key;

/**
 * Keeps what was loaded, up to a total weight. What must go is chosen by second chance: the longest kept that has not
 * been used since it was last looked at. A read moves nothing: in a large map that would cost more than the rest of
 * the read. Requests for the same key that meet share one load.
 *
 * @param weightOf In the unit of `maxWeight`.
 */
export function createCache<Key, Value extends object>({
  load,
  weightOf,
  maxWeight,
}: {
  load: (key: Key) => Promise<Value | null>;
  weightOf: (value: Value) => number;
  maxWeight: number;
}): Cache<Key, Value> {
  /** In the order in which they are looked at when something must go. */
  const kept = new Map<Key, { value: Value; weight: number; isUsed: boolean }>();
  const loading = new Map<Key, Promise<Value | null>>();
  let totalWeight = 0;

  function remove(key: Key): void {
    totalWeight -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  function keep(asked: Key, value: Value): void {
    const key = ownKey(asked);
    const weight = weightOf(value);
    remove(key);
    kept.set(key, { value, weight, isUsed: false });
    totalWeight += weight;
    for (const [oldest, entry] of kept) {
      if (totalWeight <= maxWeight || kept.size === 1) break;
      if (entry.isUsed || oldest === key) {
        entry.isUsed = false;
        kept.delete(oldest);
        kept.set(oldest, entry);
      } else {
        remove(oldest);
      }
    }
  }

  function start(key: Key): Promise<Value | null> {
    const work: Promise<Value | null> = load(key)
      .then((value) => {
        if (value && loading.get(key) === work) keep(key, value);
        return value;
      })
      .finally(() => {
        if (loading.get(key) === work) loading.delete(key);
      });
    loading.set(key, work);
    return work;
  }

  return {
    async get(key) {
      const hit = kept.get(key);
      if (!hit) return loading.get(key) ?? start(key);
      // To write what is there already would only have the memory written back.
      if (!hit.isUsed) hit.isUsed = true;
      return hit.value;
    },

    peek: (key) => kept.get(key)?.value ?? null,

    drop(isConcerned) {
      // Whose they are is only known once they are there.
      loading.clear();
      for (const [key, { value }] of kept) if (isConcerned(value)) remove(key);
    },
  };
}
