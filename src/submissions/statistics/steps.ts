import { DAY_MS } from '../../lib/durations.js';

/** The steps in which the course of a period is told. */
export type StepUnit = 'day' | 'week' | 'month';

/** Maximum number of days, and of weeks, in a course; what is longer is told by the next unit. */
const MAX_STEPS = 31;

/** Maximum number of steps in a course: weeks that begin and end within the period's, or days. */
export const MAX_COURSE = MAX_STEPS + 1;

export const dayText = (day: Date): string => day.toISOString().slice(0, 10);

/** Returns the unit for a period: days for a month, weeks for seven months, else months. */
export function unitFor({ from, to }: Readonly<{ from: Date; to: Date }>): StepUnit {
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  if (days <= MAX_STEPS) return 'day';
  return days <= MAX_STEPS * 7 ? 'week' : 'month';
}

/** Tells whether a day (UTC) begins a unit; weeks begin on Mondays. */
function isFirst(day: Date, unit: StepUnit): boolean {
  if (unit === 'week') return day.getUTCDay() === 1;
  return unit === 'day' || day.getUTCDate() === 1;
}

/** Lists the first day of each step of a period, whose own first day begins the first one. */
export function stepsOf({ from, to }: Readonly<{ from: Date; to: Date }>, unit: StepUnit): string[] {
  const steps = [dayText(from)];
  for (let at = from.getTime() + DAY_MS; at < to.getTime(); at += DAY_MS) {
    if (isFirst(new Date(at), unit)) steps.push(dayText(new Date(at)));
  }
  return steps;
}
