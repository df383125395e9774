import { isDatabaseAway } from './database-errors.js';

type Waiting<Item, Result> = Readonly<{
  item: Item;
  resolve: (result: Result | PromiseLike<Result>) => void;
  reject: (error: unknown) => void;
}>;

type Options<Item, Result> = Readonly<{
  /** Processes a batch and returns for each item, in their order, its result or a promise of it. */
  runBatch: (items: readonly Item[]) => Promise<readonly (Result | PromiseLike<Result>)[]>;
  /** Maximum items of one batch. */
  maxSize: number;
  /** Maximum batches in flight at once. */
  maxInFlight: number;
  /** Minimum interval between the starts of two batches, so that batches are larger under load. None: 0. */
  minIntervalMs?: number;
}>;

/**
 * Micro-batches concurrent calls: an idle batcher flushes on the next tick, a busy one when a batch returns. With
 * `minIntervalMs` a flush also waits for the rest of the interval since the last one, unless a full batch is waiting.
 *
 * When `runBatch` fails, every item of the batch fails. When PostgreSQL is away, the waiting items fail with them,
 * since they would find out one batch after the other.
 *
 * @returns the function that adds an item and returns its result.
 */
export function createBatcher<Item, Result>({
  runBatch,
  maxSize,
  maxInFlight,
  minIntervalMs = 0,
}: Options<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = [];
  let inFlight = 0;
  let isFlushDue = false;
  let interval: NodeJS.Timeout | undefined;

  const canFlush = (): boolean =>
    waiting.length > 0 && inFlight < maxInFlight && (!interval || waiting.length >= maxSize);

  function flush(): void {
    isFlushDue = false;
    while (canFlush()) {
      startInterval();
      run(waiting.splice(0, maxSize));
    }
  }

  function startInterval(): void {
    if (minIntervalMs === 0) return;
    clearTimeout(interval);
    interval = setTimeout(() => {
      interval = undefined;
      flush();
    }, minIntervalMs);
  }

  async function run(batch: Waiting<Item, Result>[]): Promise<void> {
    inFlight += 1;
    try {
      const results = await runBatch(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index]!);
      });
    } catch (error) {
      if (isDatabaseAway(error)) batch.push(...waiting.splice(0));
      for (const { reject } of batch) reject(error);
    }
    inFlight -= 1;
    flush();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isFlushDue || !canFlush()) return;
      isFlushDue = true;
      setImmediate(flush);
    });
}

/** Tells of each item whether one statement can write it with those before it: they share no key. */
export function fitTogether<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly string[],
): boolean[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const keys = keysOf(item);
    if (keys.some((key) => taken.has(key))) return false;
    for (const key of keys) taken.add(key);
    return true;
  });
}
