/**
 * @typedef {{ path: string, figure: number, atLeast?: number, atMost?: number, ratio?: number,
 *   baseline?: number, baselineName?: string, rounds?: object }} Figure
 * With a ratio that is what the bar is for; else the figure itself. Without a bar it is there to be known.
 */

const judged = ({ ratio, figure }) => ratio ?? figure;

export const isMet = (row) =>
  judged(row) >= (row.atLeast ?? Number.NEGATIVE_INFINITY) &&
  judged(row) <= (row.atMost ?? Number.POSITIVE_INFINITY);

const digits = (number) => (number >= 100 ? number.toFixed(0) : number.toFixed(1));

function barOf({ ratio, atLeast, atMost }) {
  const unit = ratio === undefined ? '' : '×';
  if (atLeast !== undefined) return `≥ ${atLeast}${unit}`;
  return atMost === undefined ? '' : `≤ ${atMost}${unit}`;
}

function cells(row) {
  return [
    row.path,
    digits(row.figure),
    row.baseline === undefined ? '' : `${digits(row.baseline)} (${row.baselineName})`,
    row.ratio === undefined ? '' : `${row.ratio.toFixed(2)}×`,
    barOf(row),
    barOf(row) === '' ? '' : isMet(row) ? 'ok' : 'MISSED',
  ];
}

/** @param {Figure[]} figures */
export function printFigures(figures) {
  const table = [['path', 'figure (per second)', 'baseline', 'ratio', 'bar', ''], ...figures.map(cells)];
  const widths = table[0].map((_, column) => Math.max(...table.map((line) => line[column].length)));
  for (const line of table) {
    console.log(`| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`);
  }
}
