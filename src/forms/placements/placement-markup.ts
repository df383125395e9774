import { httpUrlOrNull } from '../../lib/text/http-url.js';

/** Elements that only hold or group what is inside them. */
const ELEMENT =
  '(?:div|section|article|aside|main|header|footer|fieldset|figure|p|span|ul|ol|li|h[1-6]|hr|br)';
const ATTRIBUTE = '(?:class|id|role|title|lang|dir|aria-[a-z]+|data-[a-z0-9-]+)="[^"<>]*"';
const WRAPPER = new RegExp(`^(?:<${ELEMENT}(?:\\s+${ATTRIBUTE})*\\s*/?>|</${ELEMENT}\\s*>|[^<>])*$`, 'i');

const STRING = '"([^"\\r\\n\\f]*)"|\'([^\'\\r\\n\\f]*)\'';
const ADDRESS = `(?:url|src)\\(\\s*(?:${STRING}|([^\\s"'()]+))\\s*\\)`;
const ADDRESSES = new RegExp(ADDRESS, 'gi');
/** Matches from left to right, so that an address inside a quoted string is part of that string. */
const ADDRESSES_AND_STRINGS = new RegExp(`${ADDRESS}|${STRING}`, 'gi');
const STRINGS = new RegExp(STRING, 'g');

/** Removes complete http and https addresses; text that only resembles one stays, and the checks see it. */
const withoutWebAddresses = (text: string, addresses: RegExp): string =>
  text.replace(addresses, (token: string, ...groups: unknown[]) => {
    const address = groups.slice(0, -2).find((group) => group !== undefined);
    return httpUrlOrNull(String(address)) === null ? token : ' ';
  });

const NAMED_CHARACTERS = new Map(
  Object.entries({ colon: ':', lpar: '(', sol: '/', bsol: '\\', quot: '"', apos: "'", tab: '', newline: '' }),
);

const character = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** Decodes a text as HTML does, and removes the control characters that may break up an address. */
const asHtml = (text: string): string =>
  text
    .replace(/&#x([\da-f]{1,8});?/gi, (_, hex) => character(Number.parseInt(hex, 16)))
    .replace(/&#(\d{1,8});?/g, (_, code) => character(Number(code)))
    .replace(/&([a-z]+);?/gi, (whole, name) => NAMED_CHARACTERS.get(name.toLowerCase()) ?? whole)
    .replace(/\p{Cc}/gu, '');

/**
 * Removes comments from left to right; one without an end stays. A pattern would look for that end from each beginning.
 */
function withoutComments(text: string): string {
  let rest = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('/*', from);
    const end = start < 0 ? -1 : text.indexOf('*/', start + 2);
    if (end < 0) return rest + text.slice(from);
    rest += text.slice(from, start);
    from = end + 2;
  }
}

/** Decodes a text as CSS does, and also as a lenient parser that joins the parts around a comment. */
const asCss = (text: string): string =>
  withoutComments(text)
    .replace(/\\([\da-f]{1,6})\s?/gi, (_, hex) => character(Number.parseInt(hex, 16)))
    .replace(/\\(.)/g, '$1');

/** Matches constructs that fetch or run an address, and the beginnings of addresses with other schemes. */
const FOREIGN =
  /(?:url|src|image-set|expression)\(|@import|-moz-binding|behaviou?r:|(?:java|vb|live)script:|data:[\w/+.;=-]*,|=["']?\s*[\\/]{2}/i;

/** Whether a text that is not a plain style contains only http(s) addresses, in any spelling. */
export function namesWebOnly(text: string): boolean {
  const html = asHtml(text);
  return [html, asCss(html)].every((reading) => !FOREIGN.test(withoutWebAddresses(reading, ADDRESSES)));
}

/**
 * Whether the markup around a form is only structure: grouping elements with plain attributes. Such markup
 * can neither run a script nor load anything, and contains no address but http(s).
 */
export const isPlainWrapper = (html: string): boolean => WRAPPER.test(html) && namesWebOnly(html);

function isBalanced(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}

/**
 * Whether the value of a style property stays inside its declaration and contains no address but http(s). Outside such
 * an address, colons and double slashes are refused. Escapes and comments are refused anywhere: they could hide one.
 */
export function isPlainStyle(value: string): boolean {
  if (/[;{}<>\\]|\/\*/.test(value)) return false;
  const rest = withoutWebAddresses(value, ADDRESSES_AND_STRINGS);
  if (/(?:url|src|expression)\s*\(|-moz-binding|[:@]|\/\//i.test(rest)) return false;
  // Inside image() a string is an address, and http(s) addresses have been removed by now.
  if (/image(?:-set)?\s*\(/i.test(rest) && /["']/.test(rest)) return false;
  const bare = rest.replace(STRINGS, ' ');
  return !/["']/.test(bare) && isBalanced(bare);
}
