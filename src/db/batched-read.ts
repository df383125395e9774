import { createBatcher } from './batcher.js';

/** Maximum keys of one statement. */
const MAX_BATCH = 200;

/** Statements in flight at once; further keys wait for the next batch. */
const MAX_IN_FLIGHT = 2;

type Options<Key, Row> = Readonly<{
  /** Runs the statement and returns the rows of these keys, in any order. */
  read: (keys: readonly Key[]) => Promise<readonly Row[]>;
  keyOf: (row: Row) => Key;
}>;

/**
 * Micro-batches concurrent reads by key into one statement. The statement begins after every read of its batch was
 * requested, so no read returns a row that was already outdated when it was requested.
 *
 * @returns the function that reads the row of a key; it gives null when there is none.
 */
export function createBatchedRead<Key extends string | number, Row>({
  read,
  keyOf,
}: Options<Key, Row>): (key: Key) => Promise<Row | null> {
  return createBatcher({
    maxSize: MAX_BATCH,
    maxInFlight: MAX_IN_FLIGHT,
    async runBatch(keys: readonly Key[]) {
      const byKey = new Map((await read(keys)).map((row) => [keyOf(row), row]));
      return keys.map((key) => byKey.get(key) ?? null);
    },
  });
}
