/** Trailing digits that identify a telephone number, with or without its country code or a leading zero. */
const LENGTH = 8;

/** Returns the digits that identify a telephone number; null when it has fewer. */
export function numberTail(number: string): string | null {
  const tail = number.replace(/\D/g, '').slice(-LENGTH);
  return tail.length === LENGTH ? tail : null;
}
