import { addDays, dayIn } from '../../../parts/statistics/period.js';

/** Days for which tests are kept. */
export const DAYS = 90;

/** A test; one that still runs has no outcome. */
type Test = Readonly<{ ok: boolean | null; startedAt: string }>;

/** What the tests of a day say: any failure counts for the day. */
type DayOutcome = 'passed' | 'failed' | 'none';

/** Tells the outcome of each of the last days, oldest first; tests that still run are left out. */
export function outcomesOf(tests: readonly Test[], timeZone: string, now: Date): DayOutcome[] {
  const outcomes = new Map<string, DayOutcome>();
  for (const { ok, startedAt } of tests) {
    if (ok === null) continue;
    const day = dayIn(new Date(startedAt), timeZone);
    if (outcomes.get(day) !== 'failed') outcomes.set(day, ok ? 'passed' : 'failed');
  }
  const today = dayIn(now, timeZone);
  return Array.from({ length: DAYS }, (_, index) => outcomes.get(addDays(today, index + 1 - DAYS)) ?? 'none');
}
