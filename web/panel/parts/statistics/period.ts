import { DAY_MS } from '../../../../src/lib/durations.js';
import { readDay } from '../time/day.js';

/** Periods that end today; others are `from` and `to`. */
export const PERIODS = ['week', 'month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

/** The period in an address. */
export type PeriodSearch = { period?: Period; from?: string; to?: string };

/** Days as in `2026-11-21`, the first and the last one included. */
export type Days = Readonly<{ from: string; to: string }>;

/** The gateway counts a year at once. */
export const MAX_DAYS = 365;

const LENGTHS = { week: 7, month: 30, year: MAX_DAYS } as const;

const utc = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The day some days later. */
export const addDays = (day: string, days: number): string =>
  new Date(utc(day) + days * DAY_MS).toISOString().slice(0, 10);

/** Reads the period from an address; what is not understood is left out. */
export const readPeriodSearch = ({ period, from, to }: Record<string, unknown>): PeriodSearch => ({
  period: PERIODS.find((one) => one === period),
  from: readDay(from),
  to: readDay(to),
});

/** The calendar month that begins some months after the one of a day. */
function monthOf(day: string, months: number): Days {
  const [year, month] = day.split('-').map(Number);
  const first = (index: number) =>
    new Date(Date.UTC(year!, month! - 1 + index, 1)).toISOString().slice(0, 10);
  return { from: first(months), to: addDays(first(months + 1), -1) };
}

/** Calendar months, which an address has by their days. */
export const MONTHS = ['thisMonth', 'lastMonth'] as const;

/** The days of a calendar month so far. */
export const daysOfMonth = (month: (typeof MONTHS)[number], today: string): Days =>
  month === 'lastMonth' ? monthOf(today, -1) : { from: monthOf(today, 0).from, to: today };

/** The days before some days, to compare them with: the calendar month before a month, else as many days. */
export function daysBefore({ from, to }: Days): Days {
  const month = monthOf(from, 0);
  if (from === month.from && to === month.to) return monthOf(from, -1);
  const length = listDays({ from, to }).length;
  return { from: addDays(from, -length), to: addDays(from, -1) };
}

/** Every day, the first one first. */
export const listDays = ({ from, to }: Days): string[] =>
  Array.from({ length: (utc(to) - utc(from)) / DAY_MS + 1 }, (_, index) => addDays(from, index));

/** What clocks of a time zone show at an instant, as if it were UTC. */
function localTime(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
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

/** Moves one end of a period. The other one follows where the period would be too long. */
export function withEnd({ from, to }: Days, end: keyof Days, day: string): Days {
  if (end === 'from') {
    const latest = addDays(day, MAX_DAYS - 1);
    return { from: day, to: to > latest ? latest : to };
  }
  const earliest = addDays(day, 1 - MAX_DAYS);
  return { from: from < earliest ? earliest : from, to: day };
}

/** The days that an address asks for, by those of the website's time zone; the last thirty where it does not say. */
export function daysOf({ period, from, to }: Readonly<PeriodSearch>, timeZone: string, now: Date): Days {
  const today = dayIn(now, timeZone);
  const ending = (last: string, length: number) => ({ from: addDays(last, 1 - length), to: last });
  if (period || (!from && !to)) return ending(today, LENGTHS[period ?? 'month']);
  const [first, last] = [from ?? addDays(to ?? today, 1 - LENGTHS.month), to ?? today].toSorted();
  const longest = ending(last!, MAX_DAYS);
  return { from: first! < longest.from ? longest.from : first!, to: last! };
}
