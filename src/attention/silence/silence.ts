import type { Calendar, Weekdays } from './calendar.js';

const DAYS_IN_WEEK = 7;

/** The leads of a website: how many came from the first to the last one, of the 180 days before the last. */
export type Habit = Readonly<{ leads: number; firstAt: Date; lastAt: Date; weekdays: Weekdays }>;

/** The whole installation, which a website is compared with. */
export type Installation = Readonly<{ calendar: Calendar; leadsPerWeek: number }>;

/**
 * Leads a week from which a false item a week is what the rule allows. A smaller installation has fewer: at its own
 * pace every pause of its only website would be one.
 */
const LEAST_PER_WEEK = 50;

/** Weighted hours that the pauses last together at least: a website's first trials are no habit. */
const LEAST_HOURS = DAYS_IN_WEEK * 24;

/**
 * Computes the chance that a website which works is silent for so long.
 *
 * With pauses that are as irregular as those of independent visitors, of which `n` lasted `S` hours together, the next
 * one outlasts `t` hours with the chance (S / (S + t))^n: it accounts for how little is known of a website with few
 * leads.
 *
 * @returns 1 when too little is known.
 */
export function silenceChance(habit: Habit, now: Date, calendar: Calendar): number {
  const { leads, firstAt, lastAt, weekdays } = habit;
  const known = calendar.hoursBetween(firstAt, lastAt, weekdays);
  const silent = calendar.hoursBetween(lastAt, now, weekdays);
  if (leads < 2 || known < LEAST_HOURS || silent <= 0) return 1;
  return (known / (known + silent)) ** (leads - 1);
}

/**
 * Tells whether a website is silent: that it still works is less likely than one in as many leads as the installation
 * has in a week. Each lead begins a pause, so at most about one pause a week is taken for a silence by mistake.
 */
export const isSilent = (habit: Habit, now: Date, { calendar, leadsPerWeek }: Installation): boolean =>
  silenceChance(habit, now, calendar) < 1 / Math.max(leadsPerWeek, LEAST_PER_WEEK);
