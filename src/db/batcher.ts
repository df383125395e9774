type Waiting<Item, Result> = Readonly<{
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}>;

type Options<Item, Result> = Readonly<{
  /** Does the common work; a result for each item, in their order. */
  work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Most items of one batch. */
  maxSize: number;
  /** Batches under way at once before the next has to gather. */
  atOnce: number;
  /** A batch that takes longer makes room for one more beside it. None: the next waits, however long that is. */
  patienceMs?: number;
  /** Least time from the start of a batch to that of the next, so that under load more gather. None: 0. */
  spacingMs?: number;
  /** So many who wait need not wait for the spacing. None: as many as one batch takes. */
  enough?: number;
  /** What only one item of a batch may have, as in a key that is about to be written. */
  exclusiveOf?: (item: Item) => readonly string[];
  /** Whether what failed one batch would fail those who wait as well, so that they need not find out. */
  failsAll?: (error: unknown) => boolean;
}>;

/**
 * Makes common work of what is asked for at the same time: what comes in the same turn of the event loop, and
 * while enough batches are under way. Nobody waits for a batch to fill; whoever finds none under way waits for
 * nothing but what is left of the spacing, if there is any, and not even for that once enough wait.
 *
 * @returns the function that adds an item and gives its result. When the work fails, all of its batch fail.
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

  /** One more however many are late: they may wait for one another, and what keeps two would keep a third as well. */
  const hasRoom = (): boolean => underWay < atOnce + Math.min(late, 1);

  const mustGather = (): boolean => spacing !== undefined && waiting.length < enough;

  /**
   * Those who come first and do not meet in something exclusive; the others keep their places. Nobody is looked at in
   * vain once the batch is full: where thousands wait, that would be most of the work.
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
