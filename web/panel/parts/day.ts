const DAY = /^(19[7-9]|20\d)\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Reads a day of an address, as in `2026-11-21`; undefined where it is none. */
export const readDay = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

/** The instant at which a day begins by the clock of the browser, some days later. */
export function startOf(day: string, daysLater = 0): string {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}
