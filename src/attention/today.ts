import type { Db } from '../db/client.js';
import { DAYS_IN_WEEK, HOUR_MS, HOURS_IN_DAY } from '../lib/durations.js';
import { quotaMonth } from '../plans/quota.queries.js';
import { areProbesLate } from '../probes/schedule/probe-schedule.queries.js';
import type { AttentionScope } from './attention-item.js';
import {
  type DayTotal,
  type EmailTotals,
  firstLeadAge,
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
  /** Whether daily probes are due and none has ended for more than a day. */
  areProbesLate: boolean;
}>;

/** Computes the share of a day's leads that has come by an hour, from the leads in each hour of the week. */
function shareOfDay(hours: readonly number[], now: Date): number {
  const weekday = (now.getUTCDay() + DAYS_IN_WEEK - 1) % DAYS_IN_WEEK;
  const day = hours.slice(weekday * HOURS_IN_DAY, (weekday + 1) * HOURS_IN_DAY);
  const total = day.reduce((sum, leads) => sum + leads, 0);
  const elapsed = (now.getTime() % (HOURS_IN_DAY * HOUR_MS)) / HOUR_MS;
  if (total === 0) return elapsed / HOURS_IN_DAY;
  const before = day.reduce((sum, leads, hour) => sum + leads * Math.min(1, Math.max(0, elapsed - hour)), 0);
  return before / total;
}

/**
 * Computes what is usual by now: the average of the same weekday in the weeks since the first lead.
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
  const average = same.reduce((sum, { leads }) => sum + leads, 0) / weeks;
  return Math.round(average * shareOfDay(hours, now));
}

/** Reads how the day goes for the websites of some teams, or of all. */
export async function readToday(db: Db, scope: AttentionScope, now: Date): Promise<Today> {
  const [days, firstAge, emails, quotas, hours, mark, isLate] = await Promise.all([
    sumDays(db, scope, COUNTED_DAYS, now),
    firstLeadAge(db, scope, USUAL_WEEKS * DAYS_IN_WEEK, now),
    sumEmails(db, scope, now),
    mostUsedQuotas(db, scope, quotaMonth(now)),
    db.orm.leadHour.findMany({ orderBy: { hour: 'asc' } }),
    db.orm.rollupMark.findUnique({ where: { name: 'daily_counts' } }),
    areProbesLate(db, scope.teamIds, now),
  ]);
  const byAge = new Map(days.map(({ daysAgo, leads }) => [daysAgo, leads]));
  return {
    leads: byAge.get(0) ?? 0,
    usualLeads: usualBy(
      days,
      firstAge,
      hours.map(({ leads }) => leads),
      now,
    ),
    leadsPerDay: Array.from({ length: CURVE_DAYS }, (_, index) => byAge.get(CURVE_DAYS - 1 - index) ?? 0),
    emails,
    quotas,
    checkedAt: mark?.countedUntil ?? null,
    areProbesLate: isLate,
  };
}
