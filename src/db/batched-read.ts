import { createBatcher } from './batcher.js';
import { isDatabaseAway } from './client.js';

/** Keys of one statement. */
const MAX_BATCH = 200;

/** Statements under way before the next keys gather. */
const AT_ONCE = 2;

type Options<Key, Row> = Readonly<{
  /** Runs the statement: the rows of these keys, in any order. */
  read: (keys: readonly Key[]) => Promise<readonly Row[]>;
  keyOf: (row: Row) => Key;
}>;

/**
 * Makes one statement of the rows that are asked for by key at the same time. It begins after each of them was asked
 * for, so nobody is given what was already outdated then.
 *
 * @returns the function that reads the row of a key; null when there is none.
 */
export function createBatchedRead<Key extends string | number, Row>({
  read,
  keyOf,
}: Options<Key, Row>): (key: Key) => Promise<Row | null> {
  return createBatcher({
    maxSize: MAX_BATCH,
    atOnce: AT_ONCE,
    failsAll: isDatabaseAway,
    async work(keys: readonly Key[]) {
      const byKey = new Map((await read(keys)).map((row) => [keyOf(row), row]));
      return keys.map((key) => byKey.get(key) ?? null);
    },
  });
}
