import { createBatcher } from './batcher.js';
import { isDatabaseAway } from './client.js';

/** Items of one statement. More would make the first wait for the last without saving much. */
const MAX_BATCH = 64;

/** Statements under way before the next items gather. */
const AT_ONCE = 1;

/** A statement costs much more than an item of it, so under load it is worth some milliseconds to have fewer of them. */
const SPACING_MS = 6;

type Options<Item, Result> = Readonly<{
  /** Runs the statement; a result for each item, in their order. It has done nothing when it fails. */
  run: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** What two items of one statement may not share, such as the row that they are about. */
  keyOf: (item: Item) => string;
}>;

/**
 * Makes one statement of what is asked of PostgreSQL at the same time. When it fails, each item is tried again
 * alone, so that nobody fails because of somebody else; unless PostgreSQL is away, which fails them all.
 *
 * @returns the function that adds an item and gives its result.
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
