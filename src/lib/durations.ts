/** Units of time in milliseconds. */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
export const WEEK_MS = 7 * DAY_MS;

export const HOURS_IN_DAY = 24;
export const DAYS_IN_WEEK = 7;
export const HOURS_IN_WEEK = DAYS_IN_WEEK * HOURS_IN_DAY;

/** Maximum days of a period that a caller names: a leap year. */
export const MAX_PERIOD_DAYS = 366;
