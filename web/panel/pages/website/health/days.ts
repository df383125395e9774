const DAY_MS = 86_400_000;

/** Days for which tests are kept. */
export const DAYS = 90;

/** A test; one that still runs has no outcome. */
type Test = Readonly<{ ok: boolean | null; startedAt: string }>;

/** What the tests of a day say: any failure counts for the day. */
export type DayOutcome = 'passed' | 'failed' | 'none';

/** Writes the day of an instant in a time zone, as in `2026-11-26`. */
const dayIn = (at: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
    at,
  );

/** Tells the outcome of each of the last days, oldest first; tests that still run are left out. */
export function outcomesOf(tests: readonly Test[], timeZone: string, now: number): DayOutcome[] {
  const outcomes = new Map<string, DayOutcome>();
  for (const { ok, startedAt } of tests) {
    if (ok === null) continue;
    const day = dayIn(Date.parse(startedAt), timeZone);
    if (outcomes.get(day) !== 'failed') outcomes.set(day, ok ? 'passed' : 'failed');
  }
  return Array.from(
    { length: DAYS },
    (_, index) => outcomes.get(dayIn(now - (DAYS - 1 - index) * DAY_MS, timeZone)) ?? 'none',
  );
}
