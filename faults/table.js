/**
 * A promise has a number, a drill a letter; `ok` is null when the machine lacks what it takes.
 *
 * @typedef {{ row: number | string, promise: string, figure: string, bar: string, ok: boolean | null }} Row
 */

/** Sorts promises by their numbers, and behind them drills by their letters. */
export const byRow = ({ row: one }, { row: other }) =>
  typeof one === typeof other ? (one < other ? -1 : Number(one > other)) : typeof one === 'number' ? -1 : 1;

/** Prints the rows as a table that fits a page. */
export function printTable(rows) {
  const cells = rows.map(({ row, promise, figure, bar, ok }) => [
    String(row),
    promise,
    figure,
    bar,
    ok === null ? 'LEFT OUT' : ok ? 'ok' : 'MISSED',
  ]);
  const table = [['#', 'promise', 'figure', 'bar', ''], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((line) => line[column].length)));
  for (const line of table) {
    console.log(`| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`);
  }
}

/**
 * The longest that a delay may be, in seconds. The short run has several installations side by side, on a machine that
 * may be busy with more, so there it bears four times what is promised: enough to see that something waits for good.
 */
export const longestS = (promised, quick) => (quick ? 4 : 1) * promised;

/** The value below which a share of the numbers lies. */
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0;
}

/** What the mail server kept, by message. */
export function copiesOf(kept) {
  const copies = new Map();
  for (const message of kept) copies.set(message.id, [...(copies.get(message.id) ?? []), message]);
  return copies;
}
