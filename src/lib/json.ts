import { isDouble } from './decimal.js';

/** A literal outside a text that a double may not hold: of 16 digits or more, or with an exponent of three or more. */
const MAY_BE_ROUNDED = /(?:^|[:[,])\s*-?(?:\d[\d.]{15,}|\d[\d.]*[eE][-+]?\d{3,})/;

/** The texts of well-formed JSON, to be passed over, and the literals that a double may not hold. */
const TEXT_OR_LONG_NUMBER = /"(?:[^"\\]+|\\.)*"|-?\d[\d.]{15,}(?:[eE][-+]?\d+)?|-?\d[\d.]*[eE][-+]?\d{3,}/g;

/**
 * Parses JSON as `JSON.parse` does, and rounds nothing: a number that a double does not hold becomes the text that
 * stands there.
 *
 * @throws SyntaxError when it is not well-formed.
 */
export function parseExactJson(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!MAY_BE_ROUNDED.test(json)) return parsed;
  const exact = json.replace(TEXT_OR_LONG_NUMBER, (token) =>
    token.startsWith('"') || isDouble(token) ? token : `"${token}"`,
  );
  return exact === json ? parsed : JSON.parse(exact);
}
