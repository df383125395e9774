/**
 * Parses a URL of any length, also one that is relative to a base; null when it is none.
 *
 * By an exception: once it is compiled, the `URL.canParse` of Node 20 refuses every address with a letter of Latin-1,
 * such as `é`, and browsers of spring 2023 have none.
 */
export function parseAnyUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/**
 * An absolute http or https address with a host of no more characters than a name of 253 and a port have: to parse a
 * host takes time that grows with the square of its length. Tabs and line breaks, which parsers ignore wherever they
 * are, would hide how long it is.
 */
const HTTP_URL = /^https?:\/\/(?![/\\]*[^/\\?#]{261})[^\t-\r]+$/i;

/** Tells whether a text is an absolute http or https address. */
export const isWebAddress = (text: string): boolean => HTTP_URL.test(text) && parseAnyUrl(text) !== null;

/** Returns an absolute http or https address as it was given, or null for anything else. */
export const httpUrlOrNull = (address: string | null | undefined): string | null =>
  address && isWebAddress(address) ? address : null;

/** The most characters that an address in a form or a setting may have. */
export const MAX_URL_LENGTH = 2048;

/** Tells whether an address may be set: absolute, http or https, without white space. */
export const isHttpUrl = (address: string): boolean => !/\s/.test(address) && isWebAddress(address);

/** A text with more characters than a host has, where the parser reads one: after a scheme, or two slashes. */
const LONG_HOST = /^[\0- ]*(?:[a-z][a-z\d+.-]*:|[/\\]{2})[/\\]*[^/?#\\]{261}/i;

/** Parses any URL, also one that is relative to a base; null when it is none, or its host is longer than any can be. */
export function parseUrl(text: string, base?: string): URL | null {
  // The parser ignores tabs and line breaks wherever they are.
  if (LONG_HOST.test(text.replace(/[\t\n\r]/g, ''))) return null;
  return parseAnyUrl(text, base);
}
