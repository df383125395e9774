import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { csvText } from '../../../src/lib/text/csv.js';
import { writeCsv } from '../../../src/lib/text/csv-rows.js';
import { defuseFormulas, restoreFormulas } from '../../../src/lib/text/formulas.js';

/** Reads a text as spreadsheets do: a quote counts at the start of a cell only, and what follows its end is kept. */
function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  while (at <= text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; at < text.length; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') cell += text[at++];
        else break;
      }
      at++;
    }
    const start = at;
    while (at < text.length && ![separator, '\r', '\n'].includes(text[at]!)) at++;
    cells.push(cell + text.slice(start, at));
    at++;
  }
  return cells;
}

const NUMBER = /^-?\d+(\.\d+)?(e[+-]\d+)?$/;
const FORMULA = /^[\s\p{Cc}\p{Cf}"]*[=+\-@＝＋－＠]/u;

/** Every cell of a file, at whatever it is split, by whole texts and by lines, that is a formula and no number. */
const formulasIn = (file: string): string[] =>
  [',', ';', '\t'].flatMap((separator) =>
    [file, ...file.split(/\r\n|\r|\n/)]
      .flatMap((text) => cellsOf(text, separator))
      .filter((cell) => FORMULA.test(cell) && !(separator === ',' && NUMBER.test(cell))),
  );

const HOSTILE = [...'=+-@＝＋－＠,;"\'\t\r\n\v\f ', '\u00a0', '\u200b', '\u2028', 'a', '1'];
const hostileText = fc.string({ unit: fc.constantFrom(...HOSTILE), maxLength: 12 });
const records = fc.array(
  fc.array(fc.oneof(hostileText, fc.double({ noNaN: true, noDefaultInfinity: true })), {
    minLength: 3,
    maxLength: 3,
  }),
  {
    minLength: 1,
    maxLength: 4,
  },
);

const withoutApostrophes = (text: string) => text.replaceAll("'", '');

describe('a table', () => {
  test('has no formula, split at comma, semicolon or tab', () => {
    fc.assert(
      fc.property(records, (rows) => {
        const withIds = rows.map((row, index) => [`id ${index}`, ...row]);
        expect(formulasIn(csvText([['Submission', 'name', '=label'], ...withIds]))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  test('can be parsed back cell by cell, except for the apostrophes', () => {
    fc.assert(
      fc.property(records, (rows) => {
        const cells = cellsOf(csvText(rows).slice(0, -2), ',').map(withoutApostrophes);
        // A line ends with two characters, between which this reader sees an empty cell.
        const lines = rows.map((row) => row.map((cell) => withoutApostrophes(String(cell))));
        expect(cells).toEqual(lines.flatMap((line, index) => (index === 0 ? line : ['', ...line])));
      }),
    );
  });
});

test('what precedes formulas can be taken out again, and rows in quotes have none either', () => {
  fc.assert(
    fc.property(fc.array(hostileText, { minLength: 1 }), (row) => {
      const defused = row.map(defuseFormulas);
      expect(defused.map(restoreFormulas)).toEqual(row);
      expect(formulasIn(writeCsv([['key', ...defused]]).slice(1))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['hello;=HYPERLINK("x")', `hello;'=HYPERLINK("x")`],
  ['a\t=cmd', "a\t'=cmd"],
  ['a; \t"=cmd', `a; \t"'=cmd`],
  ['Bonjour,\n- un', "Bonjour,\n'- un"],
  ['un\ndeux, =trois', "un\ndeux, '=trois"],
  ['+33 1 02 03 04 05', "'+33 1 02 03 04 05"],
])('%j becomes %j', (text, defused) => {
  expect(cellsOf(csvText([[text]]).trimEnd(), ',').join('\n')).toBe(defused);
});

test.each([
  ...[
    'tel. +33 1 02 03 04 05',
    'ada@example.com',
    'a-b; c, 5 - 3',
    'x = y; z, d@home',
    '1;2;3',
    "l'été; oui",
  ],
])('%j stays as it is', (text) => {
  expect(cellsOf(csvText([[text]]).trimEnd(), ',')).toEqual([text]);
});

test('an object is JSON with exact numbers, without a formula after a semicolon', () => {
  const [cell = ''] = cellsOf(csvText([[{ list: [1, -5], text: 'a, =b;"=c', 'key;=': 1 }]]).trimEnd(), ',');
  expect(JSON.parse(cell)).toEqual({ list: [1, -5], text: `a, =b;"=c`, "key;'=": 1 });
  expect(formulasIn(csvText([['id', { text: 'a, =b;=c;\t=d', 'key;=': 1 }]]))).toEqual([]);
});

test('a number stays a number', () => {
  expect(csvText([[-5, -1e21, 0.5]])).toBe('-5,-1e+21,0.5\r\n');
});

test('a long prefix of a formula is scanned once', () => {
  // A pattern that looked at it again from each character would outlast the test's own limit.
  const line = csvText([['\t'.repeat(250_000), '\n"'.repeat(125_000), ' ;'.repeat(125_000)]]);
  expect(line.length).toBeGreaterThan(750_000);
});

test.each([
  ['separators alone', ','.repeat(250_000)],
  ['white space behind a separator', `;${' '.repeat(250_000)}x`],
  ['spaces before each dash', `x${' '.repeat(1_000)}-`.repeat(250)],
])('a text of %s takes linear time', (_title, text) => {
  const startedAt = performance.now();
  csvText([[text]]);
  expect(performance.now() - startedAt).toBeLessThan(500);
});
