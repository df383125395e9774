import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareDecimals, isDouble, readDecimal, spellDecimal } from '../../../src/lib/text/decimal.js';

/** Numbers in any spelling, with more digits and larger exponents than doubles have. */
const written = fc
  .record({
    minus: fc.constantFrom('', '-'),
    whole: fc.stringMatching(/^\d{1,20}$/),
    fraction: fc.stringMatching(/^(\.\d{1,20})?$/),
    exponent: fc.constantFrom('', 'e3', 'E-7', 'e+15', 'e-340', 'e310'),
  })
  .map(({ minus, whole, fraction, exponent }) => `${minus}${whole}${fraction}${exponent}`);

/** The number times 10^1000, which makes all of these whole. */
function scaled(text: string): bigint {
  const [, minus, whole, fraction = '', exponent = '0'] = /^(-?)(\d*)(?:\.(\d+))?(?:e(.+))?$/i.exec(text)!;
  const digits = BigInt(`${whole}${fraction}`) * 10n ** BigInt(1000 + Number(exponent) - fraction.length);
  return minus ? -digits : digits;
}

test('two numbers compare by their exact values', () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const compared = Math.sign(compareDecimals(readDecimal(a)!, readDecimal(b)!));
      const [x, y] = [scaled(a), scaled(b)];
      expect(compared).toBe(x === y ? 0 : x > y ? 1 : -1);
    }),
  );
});

test('every spelling of a number has one canonical spelling of the same value', () => {
  fc.assert(
    fc.property(written, (text) => {
      const decimal = readDecimal(text)!;
      expect(readDecimal(spellDecimal(decimal))).toEqual(decimal);
      const padded = text.replace(/^-?/, '$&00').replace(/\.\d+/, '$&00');
      expect(spellDecimal(readDecimal(padded)!)).toBe(spellDecimal(decimal));
    }),
  );
});

test('a double holds a number exactly when it prints the same number', () => {
  fc.assert(
    fc.property(written, (text) => {
      const held = Number(text);
      expect(isDouble(text)).toBe(Number.isFinite(held) && scaled(String(held)) === scaled(text));
    }),
  );
});

test.each([
  '0.1',
  '1.50',
  '1e3',
  '.5',
  '-0',
  '0e999',
  '9007199254740992',
  '1e22',
  '5e-324',
  '1.7976931348623157e308',
])('a double holds %s', (text) => expect(isDouble(text)).toBe(true));

test.each([
  '9007199254740993',
  '1e400',
  '1e-400',
  '0.1000000000000000055511151231257827',
  '',
  'Infinity',
  '0x10',
])('a double does not hold %j', (text) => expect(isDouble(text)).toBe(false));

describe('reading a number', () => {
  test.each([
    '',
    '-',
    '.',
    '+1',
    '1.',
    '1e',
    '1e+',
    '--1',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1 000',
    '1e1.5',
    '１',
  ])('refuses %j', (text) => expect(readDecimal(text)).toBeNull());
});

test('long runs of digits take linear time', () => {
  const startedAt = performance.now();
  for (const text of ['0', '1', '10', '01'].map((digits) => digits.repeat(100_000))) {
    expect(readDecimal(`0.${text}1`)).not.toBeNull();
  }
  expect(performance.now() - startedAt).toBeLessThan(500);
});
