const FIRST_PAUSE_S = 5;
const LONGEST_PAUSE_S = 3_600;

/** A message that has met nothing but temporary failures for this long ends as failed. */
export const GIVE_UP_AFTER_H = 48;

/**
 * Seconds until the next try after a temporary failure: pauses that double from five seconds to an hour,
 * each up to a fifth longer by chance so that a server that comes back is not met by everyone at once.
 *
 * @param retries temporary failures before this one
 * @param chance a number in [0, 1)
 */
export function retryPauseS(retries: number, chance = Math.random()): number {
  return Math.min(FIRST_PAUSE_S * 2 ** Math.min(retries, 30), LONGEST_PAUSE_S) * (1 + chance / 5);
}
