/** What is kept in memory of things that are stored elsewhere. */
export type Cache<Key, Value> = Readonly<{
  /** The thing of a key, loaded when it is not there; null when there is none, which is never kept. */
  get(key: Key): Promise<Value | null>;
  /** Forgets the things for which this holds. What is being loaded may be of before: it is not kept either. */
  drop(isConcerned: (value: Value) => boolean): void;
}>;

/**
 * Keeps what was loaded, up to a total weight; what has not been used for longest goes first. Requests
 * for the same key that meet share one load.
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
  /** From the longest unused to the latest used. */
  const kept = new Map<Key, { value: Value; weight: number }>();
  const loading = new Map<Key, Promise<Value | null>>();
  let totalWeight = 0;

  function remove(key: Key): void {
    totalWeight -= kept.get(key)?.weight ?? 0;
    kept.delete(key);
  }

  function keep(key: Key, value: Value): void {
    const weight = weightOf(value);
    remove(key);
    kept.set(key, { value, weight });
    totalWeight += weight;
    for (const oldest of kept.keys()) {
      if (totalWeight <= maxWeight || kept.size === 1) break;
      remove(oldest);
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
      kept.delete(key);
      kept.set(key, hit);
      return hit.value;
    },

    drop(isConcerned) {
      // Whose they are is only known once they are there.
      loading.clear();
      for (const [key, { value }] of kept) if (isConcerned(value)) remove(key);
    },
  };
}
