import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { quotedPrintable } from '../../../src/mail/quoted-printable.js';

/** As RFC 2045 has it: soft breaks go, codes are bytes. */
const decoded = (encoded: string): string =>
  Buffer.from(
    encoded
      .replaceAll('=\r\n', '')
      .replaceAll(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  ).toString();

const pieces = ['a', ' ', '\t', '=', '.', '\n', '\r', '\0', '\u007f', 'é', '€', '😀'];
const runs = ['x'.repeat(37), 'è'.repeat(13), '😀'.repeat(7), '='.repeat(26)];
const texts = fc.array(fc.constantFrom(...pieces, ...runs), { maxLength: 30 }).map((parts) => parts.join(''));

describe('quoted-printable', () => {
  test('reads as the text, with CRLF for every kind of line end', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(decoded(quotedPrintable(text))).toBe(text.replaceAll(/\r\n?|\n/g, '\r\n'));
      }),
      { numRuns: 2_000 },
    );
  });

  test('has lines that mail servers leave alone, none of them with half a character', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const line of quotedPrintable(text).split('\r\n')) {
          expect(line).toMatch(/^(?:[ -~]{0,75}[!-~])?$/);
          expect(decoded(line.replace(/=$/, ''))).not.toContain('\ufffd');
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('leaves what is legible as it is', () => {
    expect(quotedPrintable('Réf. : 1 = un ')).toBe('R=C3=A9f. : 1 =3D un=20');
  });
});
