import { DAY_MS } from '../../../../../src/lib/durations.js';

/** What a month comes to if it goes on as it has begun. */
type Forecast = Readonly<{
  /** E-mails of the whole month, beyond the quota as well. */
  expected: number;
  /** When the quota will be used up, in this month; null when it lasts, is used up already, or there is none. */
  reachedOn: Date | null;
}>;

/**
 * Forecasts the use of a calendar month (UTC) from what was used so far, at the average pace.
 *
 * @param limit Null: no quota.
 * @returns null on the first day of the month, which says too little.
 */
export function forecast(used: number, limit: number | null, now: Date): Forecast | null {
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const length = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - start;
  const elapsed = now.getTime() - start;
  if (elapsed < DAY_MS) return null;
  const expected = Math.round((used * length) / elapsed);
  const lasts = limit === null || used >= limit || (used * length) / elapsed <= limit;
  return { expected, reachedOn: lasts ? null : new Date(start + (elapsed * limit) / used) };
}
