/*
 * CSV as spreadsheets read and write it (RFC 4180). Server and panel share this module.
 */

const BYTE_ORDER_MARK = '\uFEFF';

/** Writes rows as CSV with every cell in quotes, and the mark by which spreadsheets know UTF-8. */
export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK +
  rows.map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')}\r\n`).join('');

/**
 * Reads rows of CSV one by one, whatever their separator: the first comma, semicolon or tab outside quotes is the one.
 * A quote counts at the start of a cell only, and what follows its end belongs to the cell.
 *
 * The last row is null when the text ends within quotes, as a file does that was cut off.
 */
export function* csvRows(text: string): Generator<string[] | null> {
  let separator: string | null = null;
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  while (at < text.length) {
    const row: string[] = [];
    for (let isAtEnd = false; !isAtEnd; ) {
      let quoted = '';
      if (text[at] === '"') {
        const end = endOfQuotes(text, at);
        if (end === null) {
          yield null;
          return;
        }
        quoted = text.slice(at + 1, end).replaceAll('""', '"');
        at = end + 1;
      }
      const start = at;
      while (at < text.length && !isBreak(text[at]!, separator)) at++;
      row.push(quoted + text.slice(start, at));
      isAtEnd = at >= text.length || text[at] === '\r' || text[at] === '\n';
      if (!isAtEnd) separator ??= text[at]!;
      at += text[at] === '\r' && text[at + 1] === '\n' ? 2 : 1;
    }
    yield row;
  }
}

/** Reads all rows of CSV as `csvRows` does; null when the text ends within quotes. */
export function readCsv(text: string): string[][] | null {
  const rows: string[][] = [];
  for (const row of csvRows(text)) {
    if (row === null) return null;
    rows.push(row);
  }
  return rows;
}

const isBreak = (character: string, separator: string | null): boolean =>
  character === '\r' ||
  character === '\n' ||
  (separator ? character === separator : ',;\t'.includes(character));

/** Finds the quote that ends the cell which begins with one; doubled ones belong to it. */
function endOfQuotes(text: string, start: number): number | null {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return null;
}
