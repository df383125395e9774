const MINUTE_S = 60;
const HOUR_S = 3_600;

/** Pauses before the retries of a delivery in seconds; after the last one it ends as failed. */
export const RETRY_PAUSES_S = [
  5,
  5 * MINUTE_S,
  30 * MINUTE_S,
  2 * HOUR_S,
  5 * HOUR_S,
  10 * HOUR_S,
  14 * HOUR_S,
  20 * HOUR_S,
  24 * HOUR_S,
] as const;

/** Maximum pause that a receiver's `Retry-After` is honoured for. */
const MAX_ASKED_S = 24 * HOUR_S;

/** A date of HTTP in the form of C's asctime, which names no time zone and is in UTC (RFC 9110, section 5.6.7). */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/**
 * Reads `Retry-After`: seconds, or a date in any of HTTP's three forms.
 *
 * @returns the seconds from now; null when it is absent or malformed.
 */
export function retryAfterS(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null;
  if (/^\d+$/.test(header)) return Math.min(Number(header), MAX_ASKED_S);
  // Date.parse reads much as a date that is none of HTTP.
  const written = ASCTIME.test(header) ? `${header} GMT` : header;
  const at = written.endsWith(' GMT') ? Date.parse(written) : Number.NaN;
  if (Number.isNaN(at)) return null;
  return Math.min(Math.max((at - now.getTime()) / 1000, 0), MAX_ASKED_S);
}

/**
 * Returns the seconds until the retry after a failure; null: there is none.
 *
 * Each pause is at least as long as the receiver asks for, and up to a fifth longer by chance, so that not all
 * deliveries reach a recovering receiver at once.
 *
 * @param retries failures before this one
 * @param askedS what the receiver's `Retry-After` asks for
 * @param chance a number in [0, 1)
 */
export function retryPauseS(retries: number, askedS: number | null, chance = Math.random()): number | null {
  const pauseS = RETRY_PAUSES_S[retries];
  return pauseS === undefined ? null : Math.max(pauseS, askedS ?? 0) * (1 + chance / 5);
}
