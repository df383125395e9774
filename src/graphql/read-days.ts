import { invalid } from '../errors.js';
import { DAY_MS, MAX_PERIOD_DAYS } from '../lib/durations.js';

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Parses a day as its beginning (UTC). @throws 422 that names the argument. */
export function readDay(text: string, name: string): Date {
  const day = new Date(`${text}T00:00:00Z`);
  const isDay = DAY.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
  if (!isDay || day.getUTCFullYear() < 2000) throw invalid({ [name]: ['must be a day such as 2026-11-21'] });
  return day;
}

/**
 * Parses the first of the days before a period, which end where it begins.
 *
 * @param start The name of the argument that has the period's first day.
 * @throws 422 when it is no day, or the days before are none or more than a year.
 */
export function readDayBefore(text: string, from: Date, start: string): Date {
  const before = readDay(text, 'before');
  const days = (from.getTime() - before.getTime()) / DAY_MS;
  if (days < 1 || days > MAX_PERIOD_DAYS)
    throw invalid({ before: [`must be 1 to ${MAX_PERIOD_DAYS} days before ${start}`] });
  return before;
}

/**
 * Reads the arguments `from` and `to`, the first and the last day (UTC) of a period.
 *
 * @returns the instants at which it begins and has ended.
 * @throws 422 when one is no day, or the period has none or more than a year.
 */
export function readDays(first: string, last: string): { from: Date; to: Date } {
  const from = readDay(first, 'from');
  const to = new Date(readDay(last, 'to').getTime() + DAY_MS);
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (days < 1 || days > MAX_PERIOD_DAYS)
    throw invalid({ to: [`must be 0 to ${MAX_PERIOD_DAYS - 1} days after from`] });
  return { from, to };
}
