import { type Options, stringify } from 'csv-stringify/sync';
import { isDouble, readDecimal } from '../../lib/decimal.js';

/** Characters allowed between a cell's start and its formula: white space, invisible ones, quotes, separators. */
const SKIPPED = '[,;\\s\\p{Cc}\\p{Cf}"]*';
const FORMULA = '[=+\\-@\uFF1D\uFF0B\uFF0D\uFF20]';

/** Looks back from each formula character, so that the regular expression scans a run of skipped characters once. */
const formulaAfter = (separators: string) =>
  new RegExp(`${FORMULA}(?<=(?:^|[${separators}])${SKIPPED}.)`, 'gu');

/** A comma is a separator here because a line-based reader loses the quotes at a line break in a text. */
const IN_TEXT = formulaAfter(',;\\t\\r\\n');
/** A comma is no separator here, since it belongs to the JSON, which has neither tabs nor line breaks. */
const IN_JSON = formulaAfter(';');

const defuse = (text: string, formula: RegExp): string => text.replace(formula, "'$&");

/** Tells whether a text is a number that no double holds: a negative one is no formula. */
const isLongNumber = (text: string): boolean => readDecimal(text) !== null && !isDouble(text);

const CSV: Options = {
  record_delimiter: '\r\n',
  quote_record_delimiter: true,
  cast: {
    string: (text) => (isLongNumber(text) ? text : defuse(text, IN_TEXT)),
    object: (value) => defuse(JSON.stringify(value), IN_JSON),
  },
};

/** A cell of a CSV record; an object is written as JSON. */
export type Cell = string | number | object;

/**
 * Writes records as CSV (RFC 4180) without a cell that a spreadsheet would run as a formula.
 *
 * This holds whether the spreadsheet splits at comma, semicolon or tab. With a separator other than ours it finds
 * quotes in the middle of a cell and ignores them, so a cell may begin behind each separator in a text. There an
 * apostrophe precedes each character that would begin a formula. Numbers stay numbers, negative ones included.
 */
export const csvText = (records: readonly (readonly Cell[])[]): string => stringify(records as Cell[][], CSV);
