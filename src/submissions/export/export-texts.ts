import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters after which a chunk is yielded. Smaller chunks would leave as much garbage as they hold. */
const LONG_ENOUGH = 65_536;

/**
 * Joins the lines of rows to chunks of some 64 KB, and yields to the event loop between two chunks.
 *
 * A batch of rows may be 25 MB, and other requests must not wait for all of it.
 */
export async function* textsOf<T>(
  batches: AsyncIterable<readonly T[]>,
  lineOf: (row: T) => string,
): AsyncGenerator<string> {
  for await (const rows of batches) {
    let text = '';
    for (const row of rows) {
      text += lineOf(row);
      if (text.length < LONG_ENOUGH) continue;
      yield text;
      text = '';
      // With a fast reader, backpressure alone would never yield to the event loop.
      await nextTurn();
    }
    if (text) yield text;
  }
}
