import type { Period } from '../search.js';

/** Days as in `2026-11-21`, the first and the last one included. */
export type Days = Readonly<{ from: string; to: string }>;

/** The gateway counts a year at once. */
export const MOST_DAYS = 365;

const LENGTHS: Readonly<Record<Period, number>> = { week: 7, month: 30, year: MOST_DAYS };

const DAY_MS = 86_400_000;

const utc = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The day some days later. */
export const addDays = (day: string, days: number): string =>
  new Date(utc(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Every day, the first one first. */
export const listDays = ({ from, to }: Days): string[] =>
  Array.from({ length: (utc(to) - utc(from)) / DAY_MS + 1 }, (_, index) => addDays(from, index));

/** What clocks of a time zone show at an instant, as if it were UTC. */
function localTime(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(
    ...([part('year'), part('month') - 1, part('day')] as const),
    ...([part('hour'), part('minute'), part('second')] as const),
  );
}

/** The day that it is in a time zone. */
export const dayIn = (instant: Date, timeZone: string): string =>
  new Date(localTime(instant.getTime(), timeZone)).toISOString().slice(0, 10);

/** The instant at which a day begins in a time zone, also where its clocks skip midnight. */
export function startOfDay(day: string, timeZone: string): Date {
  const midnight = utc(day);
  const offsets = [-DAY_MS, DAY_MS].map((by) => localTime(midnight + by, timeZone) - midnight - by);
  const instants = offsets.map((offset) => midnight - offset).toSorted((one, other) => one - other);
  return new Date(instants.find((instant) => localTime(instant, timeZone) >= midnight)!);
}

/** The days that an address asks for, by those of the website's time zone; the last thirty where it does not say. */
export function daysOf(
  { period, from, to }: Readonly<{ period?: Period; from?: string; to?: string }>,
  timeZone: string,
  now: Date,
): Days {
  const today = dayIn(now, timeZone);
  const ending = (last: string, length: number) => ({ from: addDays(last, 1 - length), to: last });
  if (period || (!from && !to)) return ending(today, LENGTHS[period ?? 'month']);
  const [first, last] = [from ?? addDays(to ?? today, 1 - LENGTHS.month), to ?? today].toSorted();
  const longest = ending(last!, MOST_DAYS);
  return { from: first! < longest.from ? longest.from : first!, to: last! };
}
