/** Everything below U+0020 except tab and newline, DEL, and the C1 controls. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Bidirectional marks, which change the direction of the text after them and can make a header show another name. */
const DIRECTION_MARKS = /[\u202a-\u202e\u2066-\u2069]/g;

/** The same and the marks of a single place, which writers of Arabic and Hebrew need. */
const DIRECTION_CHARACTERS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes every character that changes the direction of text: with them an address can show another host. */
export const withoutDirection = (text: string): string => text.replace(DIRECTION_CHARACTERS, '');

/**
 * Makes text safe to print over several lines: CRLF, CR, U+2028 and U+2029 become a newline, other control
 * characters and lone surrogates U+FFFD. Every other character stays.
 */
export function printable(text: string): string {
  const newlines = text.replace(/\r\n?|[\u2028\u2029]/g, '\n');
  return Buffer.from(newlines, 'utf8').toString('utf8').replace(CONTROLS, '\ufffd');
}

/** Makes text one line, as for a mail header: controls and runs of white space become a space, direction marks go. */
export function singleLine(text: string): string {
  return printable(text)
    .replace(/[\s\ufffd]+/g, ' ')
    .replace(DIRECTION_MARKS, '')
    .trim();
}
