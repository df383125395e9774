const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 3_600_000;
const GIVE_UP_AFTER_MS = 48 * 3_600_000;

/**
 * When to try again after a temporary failure: pauses that double from five seconds to an hour, each up
 * to a fifth longer by chance so that a server that comes back is not met by everyone at once. Null:
 * the notification has been tried for two days and ends as failed.
 *
 * @param attempt number of the attempt that failed, from 1
 * @param chance a number in [0, 1)
 */
export function nextAttempt(attempt: number, firstTriedAt: Date, now: Date, chance: number): Date | null {
  if (now.getTime() - firstTriedAt.getTime() >= GIVE_UP_AFTER_MS) return null;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
  return new Date(now.getTime() + pause * (1 + chance / 5));
}
