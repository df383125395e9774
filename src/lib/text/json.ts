import { isDouble } from './decimal.js';

/** A number that a double may not hold: of 16 digits or more, or with three or more digits in its exponent. */
const MAY_BE_ROUNDED = /(?:^|[:[,])\s*-?(?:\d[\d.]{15,}|\d[\d.]*[eE][-+]?\d{3,})/;

/** The strings of well-formed JSON, which are skipped, and the numbers that a double may not hold. */
const TEXT_OR_LONG_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d[\d.]{15,}(?:[eE][-+]?\d+)?|-?\d[\d.]*[eE][-+]?\d{3,}/g;

/**
 * Most numbers of one text that are compared with what a double holds: each takes microseconds, and a body of 256 KiB
 * has room for 43,000 of them.
 */
const MAX_LONG_NUMBERS = 1_000;

/**
 * Parses JSON as `JSON.parse` does, but rounds nothing: a number that a double does not hold becomes its text.
 *
 * @throws SyntaxError when it is not well-formed, RangeError for more than 1,000 numbers that a double may not hold.
 */
export function parseExactJson(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!MAY_BE_ROUNDED.test(json)) return parsed;
  let longNumbers = 0;
  const exact = json.replace(TEXT_OR_LONG_NUMBER, (token) => {
    if (token.startsWith('"')) return token;
    if (++longNumbers > MAX_LONG_NUMBERS) throw new RangeError('It has more than 1,000 long numbers.');
    return isDouble(token) ? token : `"${token}"`;
  });
  return exact === json ? parsed : JSON.parse(exact);
}
