import { HOURS_IN_WEEK, WEEK_MS } from '../../lib/durations.js';
import { MAX_OF_USUAL } from '../../rollups/usual-week.js';
import type { Calendar, OwnTime } from './calendar.js';

/** The leads of a website: how many came, and when, from the first to the last one, of the 180 days before the last. */
export type Habit = OwnTime &
  Readonly<{
    leads: number;
    firstAt: Date;
    lastAt: Date;
    /** Leads of each of the weeks before the last lead, the latest first; none where they are not known. */
    weeks: readonly number[];
  }>;

/** The whole installation, which a website is compared with. */
export type Installation = Readonly<{ calendar: Calendar; leadsPerWeek: number }>;

/**
 * Leads a week that the rule counts with at least. A smaller installation has fewer: at its own
 * pace every pause of its only website would be one.
 */
const MIN_PER_WEEK = 50;

/**
 * Weeks in which the formula allows one false item. Websites are less regular than it has it, which brings about one
 * more: docs/silence.md has what was simulated.
 */
const WEEKS_FOR_ONE = 2;

/** Weighted hours that the pauses last together at least: a website's first trials are no habit. */
const MIN_HOURS = HOURS_IN_WEEK;

/**
 * Weighted hours that a silence lasts at least. A busy website has a lead every few minutes, which no hour of another
 * season, opening or summer time keeps to.
 */
const MIN_SILENT_HOURS = 4;

/** Counts the leads of a habit, those of an extraordinary week in part. */
export function usualLeads({ leads, weeks }: Pick<Habit, 'leads' | 'weeks'>): number {
  const known = weeks.slice(0, weeks.findLastIndex((count) => count > 0) + 1);
  if (known.length === 0) return leads;
  const median = [...known].sort((one, other) => one - other)[Math.floor(known.length / 2)]!;
  const most = MAX_OF_USUAL * Math.max(1, median);
  return known.reduce((sum, count) => sum + Math.min(count, most), 0);
}

/**
 * Computes the chance that a website which works is silent for so long.
 *
 * With pauses that are as irregular as those of independent visitors, of which `n` lasted `S` hours together, the next
 * one outlasts `t` hours with the chance (S / (S + t))^n: it accounts for how little is known of a website with few
 * leads. Leads of a campaign are left out of `n` as far as they are more than usual.
 *
 * @param since when its silence begins, if that is after the last lead
 * @returns 1 when too little is known, or the silence is short.
 */
export function silenceChance(habit: Habit, now: Date, calendar: Calendar, since = habit.lastAt): number {
  const { firstAt, lastAt } = habit;
  const weeks = Math.max(1, (lastAt.getTime() - firstAt.getTime()) / WEEK_MS);
  const silent = calendar.silentHours(since, now, habit, { lastAt, weeks });
  if (silent < MIN_SILENT_HOURS) return 1;
  const leads = usualLeads(habit);
  const known = calendar.hoursBetween(firstAt, lastAt, habit);
  if (leads < 2 || known < MIN_HOURS) return 1;
  return (known / (known + silent)) ** (leads - 1);
}

/**
 * Tells whether a website is silent: that it still works is less likely than one in as many leads as the installation
 * has in two weeks. Each lead begins a pause, so by the formula one pause in two weeks is taken for a silence by
 * mistake.
 */
export const isSilent = (
  habit: Habit,
  now: Date,
  { calendar, leadsPerWeek }: Installation,
  since = habit.lastAt,
): boolean =>
  silenceChance(habit, now, calendar, since) < 1 / (WEEKS_FOR_ONE * Math.max(leadsPerWeek, MIN_PER_WEEK));
