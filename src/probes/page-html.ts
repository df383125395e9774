/*
 * What is looked at in a page: the event loop waits meanwhile, and a hostile page would make it wait for long.
 * No element with our attributes is longer, and no honest page has more of them.
 */
const MAX_TAG_LENGTH = 2_000;
const MAX_TAGS = 500;

/** Encodings of two bytes a character, by the mark that a page begins with. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);

/** Returns the encoding that a page is sent in, by its mark or else its `Content-Type`; null where none is known. */
function encodingOf(body: Buffer, contentType: string): string | null {
  const marked = MARKS.get(body.toString('hex', 0, 2));
  if (marked) return marked;
  const [, label = ''] = /charset\s*=\s*"?([^\s;"]+)/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/**
 * Decodes a page as far as it is looked at. All of that is ASCII, and each byte a character of its own takes a tenth of
 * the time of UTF-8; only in UTF-16 an ASCII character is no byte.
 */
export function decodePage(body: Buffer, contentType = ''): string {
  const encoding = encodingOf(body, contentType);
  return encoding?.startsWith('utf-16') ? new TextDecoder(encoding).decode(body) : body.toString('latin1');
}

/** A script element, in which no comment begins, or a comment. One that never ends goes on to the end. */
const SCRIPT_OR_COMMENT = /<script(?=[\s/>])[\s\S]*?(?:<\/script|$)|<!--(?:-?>|[\s\S]*?(?:--!?>|$))/gi;

/** Drops comments; one that never ends hides the rest, as in browsers. */
export const withoutComments = (html: string): string =>
  html.replace(SCRIPT_OR_COMMENT, (found) => (found.startsWith('<!--') ? '' : found));

/** Returns the start tag around a position, without its brackets and name; null when there is none of this name. */
function startTagAround(html: string, position: number, name: string): string | null {
  const before = html.slice(Math.max(0, position - MAX_TAG_LENGTH), position);
  const start = before.toLowerCase().lastIndexOf(`<${name}`);
  if (start < 0 || before.includes('>', start)) return null;
  const after = html.slice(position, position + MAX_TAG_LENGTH);
  const end = after.indexOf('>');
  return end < 0 ? null : before.slice(start + 1 + name.length) + after.slice(0, end);
}

/** Lists the start tags of the elements of a name in which a text stands, written so. */
export function startTagsWith(text: string, name: string, html: string): string[] {
  const tags: (string | null)[] = [];
  for (let at = html.indexOf(text); at >= 0 && tags.length < MAX_TAGS; at = html.indexOf(text, at + 1)) {
    tags.push(startTagAround(html, at, name));
  }
  return tags.filter((tag) => tag !== null);
}

/** Reads an attribute of a start tag; null when it has none of this name. */
export function attributeOf(tag: string, name: string): string | null {
  const [, double, single, bare] =
    new RegExp(`(?:^|[\\s"'/])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag) ?? [];
  return double ?? single ?? bare ?? null;
}
