import type { Db } from '../db/client.js';
import { isTooOld, readCountedUntil } from '../db/daily-counts-mark.js';
import { DAYS_IN_WEEK, HOUR_MS, HOURS_IN_DAY } from '../lib/durations.js';
import { sum } from '../lib/sum.js';
import { quotaMonth } from '../plans/quota.queries.js';
import { areProbesLate } from '../probes/schedule/probe-schedule.queries.js';
import type { AttentionScope } from './attention-item.js';
import {
  type DayTotal,
  type EmailTotals,
  firstLeadAge,
  type LocalDay,
  mostUsedQuotas,
  sumDays,
  sumEmails,
  type TeamQuota,
} from './today.queries.js';

/** Days of the curve, with today. */
const CURVE_DAYS = 14;

/** Weeks whose same weekday tells what is usual. */
const USUAL_WEEKS = 8;

/** The days that the curve shows, and those of this weekday before it, by their age. */
const COUNTED_DAYS = Array.from({ length: USUAL_WEEKS * DAYS_IN_WEEK + 1 }, (_, daysAgo) => daysAgo).filter(
  (daysAgo) => daysAgo < CURVE_DAYS || daysAgo % DAYS_IN_WEEK === 0,
);

/** How the day goes. */
export type Today = Readonly<{
  leads: number;
  /** What usually has come by this hour on this weekday; null: nothing is usual yet. */
  usualLeads: number | null;
  /** The leads of the last days, oldest first; the last is today. */
  leadsPerDay: number[];
  emails: EmailTotals;
  quotas: TeamQuota[];
  /** Until when the leads are counted; null: no worker has counted yet. */
  checkedAt: Date | null;
  /** Whether that is too long ago. */
  areCountsLate: boolean;
  /** Whether daily probes are due and none has ended for more than a day. */
  areProbesLate: boolean;
}>;

/** Sums the leads that usually come between two instants, from those in each hour of the week (UTC). */
function leadsBetween(hours: readonly number[], from: Date, to: Date): number {
  let leads = 0;
  for (let at = from.getTime(); at < to.getTime(); ) {
    const next = Math.min(to.getTime(), (Math.floor(at / HOUR_MS) + 1) * HOUR_MS);
    const hour = new Date(at);
    const weekday = (hour.getUTCDay() + DAYS_IN_WEEK - 1) % DAYS_IN_WEEK;
    leads += ((hours[weekday * HOURS_IN_DAY + hour.getUTCHours()] ?? 0) * (next - at)) / HOUR_MS;
    at = next;
  }
  return leads;
}

/** Computes the share of a day's leads that has come by now, from the leads in each hour of the week (UTC). */
function shareOfDay(hours: readonly number[], { begins, ends }: LocalDay, now: Date): number {
  const total = leadsBetween(hours, begins, ends);
  if (total > 0) return leadsBetween(hours, begins, now) / total;
  return (now.getTime() - begins.getTime()) / (ends.getTime() - begins.getTime());
}

/**
 * Computes what is usual by now: the average of the same weekday in the weeks since the first lead, of which each time
 * zone has had the share of its own day.
 *
 * @param firstAge How many days ago the first lead came.
 * @returns null in the first week.
 */
export function usualBy(
  days: readonly DayTotal[],
  firstAge: number,
  hours: readonly number[],
  now: Date,
): number | null {
  const weeks = Math.floor(firstAge / DAYS_IN_WEEK);
  if (weeks === 0) return null;
  const same = days.filter(({ daysAgo }) => daysAgo > 0 && daysAgo % DAYS_IN_WEEK === 0);
  return Math.round(sum(same.map((day) => (day.leads / weeks) * shareOfDay(hours, day.today, now))));
}

/** Reads how the day goes for the websites of some teams, or of all. */
export async function readToday(db: Db, scope: AttentionScope, now: Date): Promise<Today> {
  const [days, firstAge, emails, quotas, hours, checkedAt, isLate] = await Promise.all([
    sumDays(db, scope, COUNTED_DAYS, now),
    firstLeadAge(db, scope, USUAL_WEEKS * DAYS_IN_WEEK, now),
    sumEmails(db, scope, now),
    mostUsedQuotas(db, scope, quotaMonth(now)),
    db.orm.leadHour.findMany({ orderBy: { hour: 'asc' } }),
    readCountedUntil(db),
    areProbesLate(db, scope.teamIds, now),
  ]);
  const leadsOf = (age: number) =>
    sum(days.filter(({ daysAgo }) => daysAgo === age).map(({ leads }) => leads));
  return {
    leads: leadsOf(0),
    usualLeads: usualBy(
      days,
      firstAge,
      hours.map(({ leads }) => leads),
      now,
    ),
    leadsPerDay: Array.from({ length: CURVE_DAYS }, (_, index) => leadsOf(CURVE_DAYS - 1 - index)),
    emails,
    quotas,
    checkedAt,
    areCountsLate: checkedAt === null || isTooOld(checkedAt, now),
    areProbesLate: isLate,
  };
}
