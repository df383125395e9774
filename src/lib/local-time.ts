import { DAY_MS, MINUTE_MS } from './durations.js';
import { regionalLocale } from './text/regional-locale.js';

/** A time of day as in `07:30`, in a time zone. */
export type LocalTime = Readonly<{ at: string; timeZone: string }>;

/** Days of the week, as `Date.getUTCDay` counts them. */
export const MONDAY: ReadonlySet<number> = new Set([1]);
export const WORKING_DAYS: ReadonlySet<number> = new Set([1, 2, 3, 4, 5]);

/** Returns how far the clocks of a time zone are ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
  const [year, month, day] = [parts.get('year')!, parts.get('month')!, parts.get('day')!];
  const [hour, minute, second] = [parts.get('hour')!, parts.get('minute')!, parts.get('second')!];
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
}

/** Finds the moment at which the clocks of a time zone show a time, given as if it were UTC. */
function momentOf(shown: number, timeZone: string): number {
  const guess = shown - offsetAt(shown, timeZone);
  // The offset may differ between the guess and the time itself, on a day when the clocks change.
  return shown - offsetAt(guess, timeZone);
}

/** Finds the first moment after another at which it is this time on one of these days of the week. */
export function nextTime(now: Date, { at, timeZone }: LocalTime, weekdays: ReadonlySet<number>): Date {
  const [hours, minutes] = at.split(':').map(Number) as [number, number];
  const shown = now.getTime() + offsetAt(now.getTime(), timeZone);
  const midnight = Math.floor(shown / DAY_MS) * DAY_MS;
  for (let day = 0; ; day++) {
    const candidate = midnight + day * DAY_MS + (hours * 60 + minutes) * MINUTE_MS;
    if (!weekdays.has(new Date(candidate).getUTCDay())) continue;
    const moment = momentOf(candidate, timeZone);
    if (moment > now.getTime()) return new Date(moment);
  }
}

/** Finds the moment some days earlier at which the clocks of a time zone showed the same time. */
export function daysBefore(moment: Date, days: number, timeZone: string): Date {
  const shown = moment.getTime() + offsetAt(moment.getTime(), timeZone);
  return new Date(momentOf(shown - days * DAY_MS, timeZone));
}

/** Returns the date that a calendar in a time zone shows, as in 2026-11-30. */
export const localDate = (moment: Date, timeZone: string): string =>
  new Date(moment.getTime() + offsetAt(moment.getTime(), timeZone)).toISOString().slice(0, 10);

const MAX_FORMATS = 50;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Caches date formats, because creating one takes longer than rendering the rest of an e-mail. */
function formatFor(locale: string, timeZone: string): Intl.DateTimeFormat {
  const key = `${locale} ${timeZone}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat(regionalLocale(locale), {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
    timeZoneName: 'short',
  });
  if (formats.size === MAX_FORMATS) formats.clear();
  formats.set(key, format);
  return format;
}

/** Formats a moment in a time zone, with the offset's name; in UTC where the time zone is unknown. */
export function formatTime(moment: Date, timeZone: string, locale: string): string {
  try {
    return formatFor(locale, timeZone).format(moment);
  } catch {
    return formatFor(locale, 'UTC').format(moment);
  }
}

/** Formats the time between two moments in a time zone, with the offset's name. */
export const formatPeriod = (begin: Date, end: Date, timeZone: string, locale: string): string =>
  formatFor(locale, timeZone).formatRange(begin, end);
