import { createBatcher, fitTogether } from './batcher.js';
import { isDatabaseAway } from './database-errors.js';

/** Maximum items of one statement. More would make the first wait for the last without saving much. */
const MAX_BATCH = 64;

/** Minimum interval between batches. A statement costs much more than an item of it, so fewer of them are worth it. */
const MIN_INTERVAL_MS = 6;

type Options<Item, Result> = Readonly<{
  /** Runs the statement and returns a result for each item, in their order. A failed statement has done nothing. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Returns what two items of one statement may not share, such as the row that they write. */
  keyOf: (item: Item) => string;
}>;

/**
 * Micro-batches concurrent writes into one statement. An item whose key an earlier one of its batch has is run alone
 * after it. When the statement fails, each item is retried alone, so that one faulty item does not fail the others of
 * its batch. When PostgreSQL is away, all of them fail.
 *
 * @returns the function that adds an item and returns its result.
 */
export function createBatchedWrite<Item, Result>({
  run,
  keyOf,
}: Options<Item, Result>): (item: Item) => Promise<Result> {
  async function runTogether(items: readonly Item[]): Promise<readonly Result[] | null> {
    try {
      return await run(items);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      return null;
    }
  }

  async function runAlone(item: Item): Promise<Result> {
    const [result] = await run([item]);
    return result!;
  }

  return createBatcher<Item, Result>({
    maxSize: MAX_BATCH,
    maxInFlight: 1,
    minIntervalMs: MIN_INTERVAL_MS,
    async runBatch(items) {
      const fits = fitTogether(items, (item) => [keyOf(item)]);
      const results = await runTogether(items.filter((_, index) => fits[index]));
      let next = 0;
      return items.map((item, index) => (results && fits[index] ? results[next++]! : runAlone(item)));
    },
  });
}
