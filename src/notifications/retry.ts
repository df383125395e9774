import { HOUR_MS } from '../lib/durations.js';

const FIRST_PAUSE_S = 5;
const MAX_PAUSE_S = 3_600;

/** Hours after which a message that has had only temporary failures ends as failed. */
export const RETRY_FOR_H = 48;

/**
 * Pauses after attempts that the mail server never confirmed, in seconds.
 *
 * Each such attempt may have delivered the message, so a recipient gets at most three copies over a day.
 */
const UNCONFIRMED_PAUSES_S = [3_600, 86_400] as const;

/** Seconds until the retry of an attempt whose confirmation is slow, unless its outcome says otherwise. */
export const SLOW_PAUSE_S = UNCONFIRMED_PAUSES_S[0];

/**
 * Returns the seconds until the retry after an attempt that the mail server never confirmed; null: there is none.
 *
 * @param unconfirmed such attempts before this one
 */
export const unconfirmedPauseS = (unconfirmed: number): number | null =>
  UNCONFIRMED_PAUSES_S[unconfirmed] ?? null;

/**
 * Returns the seconds until the retry after a temporary failure: exponential back-off with jitter.
 *
 * The pauses double from five seconds to an hour. Each is up to a fifth longer by chance, so that not all messages
 * reach a recovering server at once.
 *
 * @param retries temporary failures before this one
 * @param chance a number in [0, 1)
 */
export function retryPauseS(retries: number, chance = Math.random()): number {
  return Math.min(FIRST_PAUSE_S * 2 ** Math.min(retries, 30), MAX_PAUSE_S) * (1 + chance / 5);
}

/** Counts the retries whose pauses, without jitter, last for so many hours. */
function countRetries(hours: number): number {
  let retries = 0;
  for (let leftS = (hours * HOUR_MS) / 1_000; leftS > 0; retries += 1) leftS -= retryPauseS(retries, 0);
  return retries;
}

/** Maximum retries of a message of which only its temporary failures are known, and not when they began. */
export const MAX_RETRIES = countRetries(RETRY_FOR_H);
