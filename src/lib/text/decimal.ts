/*
 * Decimal numbers as they were written, beyond what a double holds. Server and browser script share this module.
 */

/** An exact number: `sign` × 0.`digits` × 10^`exponent`, with no zero at either end of the digits. */
export type Decimal = Readonly<{ sign: number; digits: string; exponent: number }>;

/** The HTML standard's floating-point number, a superset of JSON's: no plus sign, no comma, digits after the point. */
const NUMBER = /^(-?)(?=\.?\d)(\d*)(?:\.(\d+))?(?:e([-+]?\d+))?$/i;

/** Parses a number; null when the text is none. */
export function readDecimal(text: string): Decimal | null {
  const [, minus, whole = '', fraction = '', power = 0] = NUMBER.exec(text) ?? [];
  if (minus === undefined) return null;
  const [significant = '', digits] = /0*(.*[1-9])?/.exec(whole + fraction) ?? [];
  if (!digits) return { sign: 0, digits: '', exponent: 0 };
  const exponent = whole.length - significant.length + digits.length + Number(power);
  return { sign: minus ? -1 : 1, digits, exponent };
}

/** Compares two numbers: negative, zero or positive as the first is less than, equal to or more than the second. */
export const compareDecimals = (a: Decimal, b: Decimal): number =>
  a.sign - b.sign ||
  a.sign * (a.exponent - b.exponent || Number(a.digits > b.digits) - Number(a.digits < b.digits));

/** Writes a number in a canonical spelling, the same for every spelling of the number. */
export const spellDecimal = ({ sign, digits, exponent }: Decimal): string =>
  sign === 0 ? '0' : `${sign < 0 ? '-' : ''}.${digits}e${exponent}`;

/** Tells whether a double holds the number of a text exactly: the double's own spelling is the same decimal number. */
export function isDouble(text: string): boolean {
  const written = readDecimal(text);
  const held = readDecimal(`${Number(text)}`);
  return !!written && !!held && !compareDecimals(written, held);
}
