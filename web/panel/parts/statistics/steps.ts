import { addDays } from './period.js';

/** The steps of a course: their unit, and the first day of each, the first one first. */
export type Steps = Readonly<{ unit: 'DAY' | 'WEEK' | 'MONTH'; steps: readonly string[] }>;

const MONDAY = 1;

/** Tells whether a day begins a step of the calendar. */
function begins(day: string, unit: Steps['unit']): boolean {
  if (unit === 'WEEK') return new Date(day).getUTCDay() === MONDAY;
  return unit === 'DAY' || day.endsWith('-01');
}

/** Leaves out the first and the last count where the period, which ends with the day `to`, cuts their steps short. */
export function wholeSteps(counts: readonly number[], { unit, steps }: Steps, to: string): readonly number[] {
  const isFirstWhole = begins(steps[0]!, unit);
  const isLastWhole = begins(addDays(to, 1), unit);
  return counts.slice(isFirstWhole ? 0 : 1, isLastWhole ? undefined : -1);
}
