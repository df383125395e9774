import { Prisma } from '../generated/prisma/client.js';
import type { Transaction } from './client.js';
import { DAILY_COUNTS_MARK } from './daily-counts-mark.js';
import { dayBegins } from './day-begins.js';
import { isGenuineLead, isLead } from './leads.queries.js';

/** The leads of a row of `daily_counts`, also deleted ones, without spam. */
export const genuine = (alias: string): Prisma.Sql =>
  Prisma.raw(`(${alias}.stored - ${alias}.spam + ${alias}.deleted - coalesce(${alias}.deleted_spam, 0))`);

/** The leads of a row of `daily_counts` that were deleted, without spam. */
export const deletedLeads = (alias: string): Prisma.Sql =>
  Prisma.raw(`(${alias}.deleted - coalesce(${alias}.deleted_spam, 0))`);

/**
 * Returns the first day in a time zone of which statistics count the leads as they are stored: the day before the one
 * until which workers have counted, since clocks of gateways differ. Without a worker that day stays behind.
 */
export const storedFrom = (now: Date, timeZone: Prisma.Sql): Prisma.Sql => Prisma.sql`
  ((least(${now}::timestamptz,
          coalesce((SELECT counted_until FROM rollup_marks WHERE name = ${DAILY_COUNTS_MARK}), '-infinity'))
    AT TIME ZONE ${timeZone})::date - 1)`;

/** Marks days to be counted anew: those of the submissions `s` on websites `w` that a condition selects. */
export async function markDaysWhere(tx: Transaction, condition: Prisma.Sql): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO daily_counts (website_id, day, form_id)
    SELECT DISTINCT s.website_id, (s.created_at AT TIME ZONE w.time_zone)::date, s.form_id
      FROM submissions s JOIN websites w ON w.id = s.website_id
     WHERE ${condition} AND ${isLead('s')}
     ORDER BY 1, 2, 3
    ON CONFLICT (website_id, day, form_id) DO UPDATE SET is_stale = true`;
}

/** Marks the days of submissions to be counted anew. */
export const markDaysOf = (tx: Transaction, submissionIds: readonly string[]): Promise<void> =>
  markDaysWhere(tx, Prisma.sql`s.id = ANY (${[...submissionIds]}::uuid[])`);

/**
 * Returns how many leads of the day of a row `c` of `daily_counts` are stored now, without spam.
 *
 * @param timeZone That of the row's website.
 */
export const storedOfDay = (timeZone: Prisma.Sql): Prisma.Sql => Prisma.sql`
  (SELECT count(*) FROM submissions s
    WHERE s.website_id = c.website_id AND s.form_id = c.form_id AND ${isGenuineLead('s')}
      AND s.created_at >= ${dayBegins(Prisma.sql`c.day`, timeZone)}
      AND s.created_at < ${dayBegins(Prisma.sql`c.day + 1`, timeZone)})`;

/**
 * Returns how many leads came on the day of a row `c` of `daily_counts`, also what was deleted since, without spam.
 *
 * Until a worker has counted the day anew, what was just deleted is among the stored ones as well, so those are counted
 * as they are.
 *
 * @param timeZone That of the row's website.
 */
export const leadsOfDay = (timeZone: Prisma.Sql): Prisma.Sql => Prisma.sql`
  (${deletedLeads('c')}
    + CASE WHEN c.is_stale AND c.deleted > 0 THEN ${storedOfDay(timeZone)} ELSE c.stored - c.spam END)`;
