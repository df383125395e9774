const DAY = /^(19[7-9]|20\d)\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Tells whether a month has its day, which `Date` counts on into the next month. */
const exists = (day: string): boolean => new Date(day).toISOString().startsWith(day);

/** Reads a day of an address, as in `2026-11-21`; undefined where it is none. */
export const readDay = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && exists(value) ? value : undefined;

/** Returns the day of an instant by the clock of the browser, some days later, as in `2026-11-21`. */
export function dayOf(instant: string | Date, daysLater = 0): string {
  const day = new Date(instant);
  day.setDate(day.getDate() + daysLater);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/**
 * The instant at which a day begins by the clock of the browser, some days later. Some clocks skip midnight on a day.
 */
export function startOf(day: string, daysLater = 0): string {
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year!, month! - 1, date! + daysLater).toISOString();
}
