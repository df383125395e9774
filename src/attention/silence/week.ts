/** Hours of a week, from Monday 0:00 UTC. */
export const HOURS_IN_WEEK = 168;

const HOUR_MS = 3_600_000;

/** A Monday, 0:00 UTC. */
const MONDAY_MS = Date.UTC(2024, 0, 1);

/**
 * Share of the leads that is spread evenly over the week. No hour weighs nothing then, so that time never stands still
 * for a website whose leads come at other hours than most.
 */
const EVEN_SHARE = 0.05;

/** Leads that are added evenly, so that a new installation has even hours at first. */
const EVEN_LEADS = HOURS_IN_WEEK;

/** The weights of the hours of the week: the sum of those before each hour, and of all, which is 168. */
export type Week = readonly number[];

/**
 * Computes the weights of the hours of a week, whose average is 1, from the leads that came in each.
 *
 * @param leads Number of leads for each of the 168 hours.
 */
export function weekOf(leads: readonly number[]): Week {
  const total = leads.reduce((sum, count) => sum + count, 0);
  const even = (EVEN_LEADS + total * EVEN_SHARE) / HOURS_IN_WEEK;
  const all = total + even * HOURS_IN_WEEK;
  const sums = [0];
  for (let hour = 0; hour < HOURS_IN_WEEK; hour += 1) {
    sums.push(sums[hour]! + (((leads[hour] ?? 0) + even) * HOURS_IN_WEEK) / all);
  }
  return sums;
}

/** Computes the weighted hours from the Monday of reference to an instant. */
function hoursUntil(week: Week, at: Date): number {
  const hours = (at.getTime() - MONDAY_MS) / HOUR_MS;
  const weeks = Math.floor(hours / HOURS_IN_WEEK);
  const within = hours - weeks * HOURS_IN_WEEK;
  const hour = Math.floor(within);
  const [before, after] = [week[hour]!, week[hour + 1]!];
  return weeks * week[HOURS_IN_WEEK]! + before + (within - hour) * (after - before);
}

/** Computes the weighted hours between two instants: those of busy hours of the week count for more. */
export const weightedHours = (week: Week, from: Date, to: Date): number =>
  hoursUntil(week, to) - hoursUntil(week, from);
