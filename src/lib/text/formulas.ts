/*
 * Texts in cells of a spreadsheet, which must not run as formulas. Server and panel share this module.
 */

/** Characters allowed between a cell's start and its formula: white space, invisible ones, quotes, separators. */
const SKIPPED = '[,;\\s\\p{Cc}\\p{Cf}"]*';
const FORMULA = '[=+\\-@\uFF1D\uFF0B\uFF0D\uFF20]';

/**
 * Looks back from each formula character, so that the regular expression scans a run of skipped characters once.
 * Apostrophes that are there already make no difference: one more precedes them, or `restoreFormulas` would lose them.
 */
const formulaAfter = (separators: string) =>
  new RegExp(`${FORMULA}(?<=(?:^|[${separators}])${SKIPPED}'*.)`, 'gu');

/** A comma is a separator here because a line-based reader loses the quotes at a line break in a text. */
const SEPARATORS = ',;\\t\\r\\n';
const IN_TEXT = formulaAfter(SEPARATORS);
/** A comma is no separator here, since it belongs to the JSON, which has neither tabs nor line breaks. */
const IN_JSON = formulaAfter(';');
const DEFUSED = new RegExp(`'(?=${FORMULA})(?<=(?:^|[${SEPARATORS}])${SKIPPED}'*)`, 'gu');

/**
 * Writes an apostrophe before each character that would begin a formula, whether a spreadsheet splits at comma,
 * semicolon or tab.
 */
export const defuseFormulas = (text: string): string => text.replace(IN_TEXT, "'$&");

/** Does the same to a text that is JSON, which stays JSON. */
export const defuseFormulasInJson = (json: string): string => json.replace(IN_JSON, "'$&");

/** Takes out the apostrophes that `defuseFormulas` has written. */
export const restoreFormulas = (text: string): string => text.replace(DEFUSED, '');
