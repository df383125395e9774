import { createBatcher } from './batcher.js';
import { isDatabaseAway } from './client.js';

/** Maximum items of one statement. More would make the first wait for the last without saving much. */
const MAX_BATCH = 64;

/** Statements in flight at once; further items wait for the next batch. */
const AT_ONCE = 1;

/** Minimum interval between batches. A statement costs much more than an item of it, so fewer of them are worth it. */
const SPACING_MS = 6;

type Options<Item, Result> = Readonly<{
  /** Runs the statement and returns a result for each item, in their order. A failed statement has done nothing. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Returns what two items of one statement may not share, such as the row that they write. */
  keyOf: (item: Item) => string;
}>;

/**
 * Micro-batches concurrent writes into one statement. When the statement fails, each item is retried alone, so that
 * one faulty item does not fail the others of its batch. When PostgreSQL is away, all of them fail.
 *
 * @returns the function that adds an item and returns its result.
 */
export function createBatchedWrite<Item, Result>({
  run,
  keyOf,
}: Options<Item, Result>): (item: Item) => Promise<Result> {
  const runTogether = createBatcher<Item, Result>({
    work: run,
    maxSize: MAX_BATCH,
    atOnce: AT_ONCE,
    spacingMs: SPACING_MS,
    exclusiveOf: (item) => [keyOf(item)],
    failsAll: isDatabaseAway,
  });
  return async (item) => {
    try {
      return await runTogether(item);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      const [result] = await run([item]);
      return result!;
    }
  };
}
