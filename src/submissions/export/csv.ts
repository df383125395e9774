import { type Options, stringify } from 'csv-stringify/sync';
import { isDouble, readDecimal } from '../../lib/decimal.js';

/** What may stand between a cell's start and its formula: white space, the invisible, quotes, further separators. */
const SKIPPED = '[,;\\s\\p{Cc}\\p{Cf}"]*';
const FORMULA = '[=+\\-@\uFF1D\uFF0B\uFF0D\uFF20]';

/** Looks back from each character of a formula, so that a run of what is skipped is looked at once. */
const formulaAfter = (separators: string) =>
  new RegExp(`${FORMULA}(?<=(?:^|[${separators}])${SKIPPED}.)`, 'gu');

/** A comma counts because a text with a line break makes a reader of lines lose the quotes. */
const IN_TEXT = formulaAfter(',;\\t\\r\\n');
/** Commas of JSON are its own. It has neither tabs nor line breaks. */
const IN_JSON = formulaAfter(';');

const defuse = (text: string, formula: RegExp): string => text.replace(formula, "'$&");

/** Tells a number that is recorded as text, because no double holds it: a negative one is no formula. */
const isLongNumber = (text: string): boolean => readDecimal(text) !== null && !isDouble(text);

const CSV: Options = {
  record_delimiter: '\r\n',
  quote_record_delimiter: true,
  cast: {
    string: (text) => (isLongNumber(text) ? text : defuse(text, IN_TEXT)),
    object: (value) => defuse(JSON.stringify(value), IN_JSON),
  },
};

/** A cell that is an object is written as JSON. */
export type Cell = string | number | object;

/**
 * Writes records as CSV for spreadsheets: RFC 4180, and no cell that they would run, whichever of comma, semicolon
 * and tab they split at. With another separator than ours they find quotes in the midst of a cell and disregard
 * them, so a cell may begin behind each separator in a text. There an apostrophe stands before each character with
 * which a formula would begin. A number stays one, a negative one included.
 */
export const csvText = (records: readonly (readonly Cell[])[]): string => stringify(records as Cell[][], CSV);
