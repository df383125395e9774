const LINE_LENGTH = 76;
const SOFT_BREAK = '=\r\n';

/** Bytes that do not stand for themselves: all but line ends and printable ASCII without the equals sign. */
const UNSAFE = /[^\n -<>-~]/g;

/** How each byte is written then. */
const CODES = Array.from(
  { length: 256 },
  (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
);

/** The first digit of a byte that continues a character in UTF-8. */
const CONTINUES = /[89AB]/;

/** Where a line that is too long is cut, which is neither in a byte's code nor in a character. */
function cutOf(line: string, from: number): number {
  let to = from + LINE_LENGTH - 1;
  if (line[to - 1] === '=') to -= 1;
  else if (line[to - 2] === '=') to -= 2;
  while (line[to] === '=' && CONTINUES.test(line[to + 1]!)) to -= 3;
  return to;
}

function wrapped(line: string): string {
  let result = '';
  let from = 0;
  while (line.length - from > LINE_LENGTH) {
    const to = cutOf(line, from);
    result += line.slice(from, to) + SOFT_BREAK;
    from = to;
  }
  return result + line.slice(from);
}

/**
 * Encodes a text as quoted-printable (RFC 2045): every kind of line end as CRLF, and no line longer than 76
 * characters. Nodemailer's encoder takes the text byte by byte and line by line through several patterns, which cost
 * more than any other part of an e-mail.
 */
export function quotedPrintable(text: string): string {
  const bytes = Buffer.from(text.replaceAll(/\r\n?/g, '\n')).toString('latin1');
  const encoded = bytes.replaceAll(UNSAFE, (byte) => CODES[byte.charCodeAt(0)]!).replaceAll(/ $/gm, '=20');
  return encoded.split('\n').map(wrapped).join('\r\n');
}
