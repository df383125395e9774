import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters after which a text is handed over. Smaller ones would leave as much garbage again as they hold. */
const LONG_ENOUGH = 65_536;

/**
 * Joins the lines of rows to texts of some 64 KB. Between two texts other requests have their turn: a batch of rows may
 * be 25 MB, which no request may have to wait for.
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
      // A reader that is fast enough would never have the stream wait.
      await nextTurn();
    }
    if (text) yield text;
  }
}
