import { type Options, stringify } from 'csv-stringify/sync';
import { isDouble, readDecimal } from './decimal.js';
import { defuseFormulas, defuseFormulasInJson } from './formulas.js';

/** Tells whether a text is a number that no double holds: a negative one is no formula. */
const isLongNumber = (text: string): boolean => readDecimal(text) !== null && !isDouble(text);

const CSV: Options = {
  record_delimiter: '\r\n',
  quote_record_delimiter: true,
  cast: {
    string: (text) => (isLongNumber(text) ? text : defuseFormulas(text)),
    object: (value) => defuseFormulasInJson(JSON.stringify(value)),
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
