type Waiting<Item, Result> = Readonly<{
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}>;

type Options<Item, Result> = Readonly<{
  /** Processes a batch and returns a result for each item, in their order. */
  work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Maximum items of one batch. */
  maxSize: number;
  /** Maximum batches in flight at once. */
  atOnce: number;
  /** After this long a batch in flight is late and admits one more beside it. None: the next waits for its end. */
  patienceMs?: number;
  /** Minimum interval between the starts of two batches, so that batches are larger under load. None: 0. */
  spacingMs?: number;
  /** Number of waiting items at which a flush no longer waits for the interval. None: `maxSize`. */
  enough?: number;
  /** Returns keys of which a batch holds each at most once, such as the key of a row to be written. */
  exclusiveOf?: (item: Item) => readonly string[];
  /** Tells whether the error of one batch fails the waiting items too, so that they are not attempted. */
  failsAll?: (error: unknown) => boolean;
}>;

/**
 * Micro-batches concurrent calls: an idle batcher flushes on the next tick, a busy one when a batch returns. An item
 * never waits for a batch to fill. With `spacingMs` a flush also waits for the rest of the interval since the last
 * one, unless `enough` items are waiting.
 *
 * @returns the function that adds an item and returns its result. When `work` fails, every item of the batch fails.
 */
export function createBatcher<Item, Result>({
  work,
  maxSize,
  atOnce,
  patienceMs,
  spacingMs = 0,
  enough = maxSize,
  exclusiveOf,
  failsAll = () => false,
}: Options<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let underWay = 0;
  let late = 0;
  let isDue = false;
  let spacing: NodeJS.Timeout | undefined;

  /** Late batches admit one more together: they may wait for each other, and what blocks two would block a third. */
  const hasRoom = (): boolean => underWay < atOnce + Math.min(late, 1);

  const mustGather = (): boolean => spacing !== undefined && waiting.length < enough;

  /**
   * Takes the first items whose exclusive keys do not collide; the others keep their order. It stops looking once the
   * batch is full: with thousands of items waiting, the rest of the scan would be most of the work.
   */
  function takeBatch(): Waiting<Item, Result>[] {
    if (!exclusiveOf) return waiting.splice(0, maxSize);
    const taken = new Set<string>();
    const batch: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    for (const each of waiting) {
      if (batch.length === maxSize) break;
      const exclusive = exclusiveOf(each.item);
      const fits = !exclusive.some((key) => taken.has(key));
      for (const key of exclusive) taken.add(key);
      (fits ? batch : later).push(each);
    }
    waiting = later.concat(waiting.slice(batch.length + later.length));
    return batch;
  }

  function start(): void {
    isDue = false;
    while (!mustGather() && hasRoom() && waiting.length > 0) {
      if (spacingMs > 0) {
        clearTimeout(spacing);
        spacing = setTimeout(endSpacing, spacingMs);
      }
      underWay += 1;
      run(takeBatch());
    }
  }

  function endSpacing(): void {
    spacing = undefined;
    start();
  }

  async function run(batch: Waiting<Item, Result>[]): Promise<void> {
    let isLate = false;
    const endPatience = () => {
      isLate = true;
      late += 1;
      start();
    };
    const timer = patienceMs && setTimeout(endPatience, patienceMs);
    try {
      const results = await work(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => {
        resolve(results[index]!);
      });
    } catch (error) {
      if (failsAll(error)) batch.push(...waiting.splice(0));
      for (const { reject } of batch) reject(error);
    }
    clearTimeout(timer);
    if (isLate) late -= 1;
    underWay -= 1;
    start();
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isDue || mustGather() || !hasRoom()) return;
      isDue = true;
      setImmediate(start);
    });
}
