import type { Db, Transaction } from '../db/client.js';
import { dayBegins } from '../db/day-begins.js';
import { isGenuineLead, isLead } from '../db/leads.queries.js';
import { genuine, markDaysWhere } from '../db/stale-days.queries.js';
import { Prisma } from '../generated/prisma/client.js';
import { HOURS_IN_WEEK, WEEK_MS } from '../lib/durations.js';
import { MAX_OF_USUAL } from './usual-week.js';

const { sql } = Prisma;

/** A row of `daily_counts`; the day is written as in `2026-11-21`. */
export type DayKey = Readonly<{ websiteId: string; day: string; formId: number }>;

const COLUMNS = sql`website_id::text AS "websiteId", day::text AS day, form_id AS "formId"`;

const ZONE = sql`w.time_zone`;

/** Days from which the pace of a website is taken, before its last lead. */
const HABIT_DAYS = 180;

/** Weeks from which the hours of the week are taken. */
const HOURS_WEEKS = 8;

/** Finds the days that have had a lead since a moment. */
export const findDaysSince = (db: Db, since: Date): Promise<DayKey[]> => db.orm.$queryRaw`
  SELECT DISTINCT s.website_id::text AS "websiteId", (s.created_at AT TIME ZONE w.time_zone)::date::text AS day,
         s.form_id AS "formId"
    FROM submissions s JOIN websites w ON w.id = s.website_id
   WHERE s.created_at >= ${since} AND ${isLead('s')}`;

/** Finds days that are to be counted anew, those of a website together, so that its habit is computed once. */
export const findStaleDays = (db: Db, limit: number): Promise<DayKey[]> => db.orm.$queryRaw`
  SELECT ${COLUMNS} FROM daily_counts WHERE is_stale ORDER BY website_id, day, form_id LIMIT ${limit}`;

/** Finds days with e-mails that have not ended. */
export const findPendingDays = (db: Db, limit: number): Promise<DayKey[]> => db.orm.$queryRaw`
  SELECT ${COLUMNS} FROM daily_counts WHERE emails_pending > 0 ORDER BY website_id, day, form_id LIMIT ${limit}`;

const keysOf = (days: readonly DayKey[]) => sql`
  json_to_recordset(${JSON.stringify(days)}::json) AS key ("websiteId" uuid, day date, "formId" int)`;

/** Has PostgreSQL cancel statements of a transaction that take longer than a timeout. */
export async function boundStatements(tx: Transaction, timeoutMs: number): Promise<void> {
  await tx.$executeRaw`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`;
}

/**
 * Locks the rows of days until the transaction ends, in the order of their key, and creates the missing ones. A
 * deletion that has recorded itself is then seen by the next statement, and one that has not will mark the day as stale
 * again.
 */
export async function lockDays(tx: Transaction, days: readonly DayKey[]): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO daily_counts (website_id, day, form_id)
    SELECT key."websiteId", key.day, key."formId"
      FROM ${keysOf(days)} JOIN websites w ON w.id = key."websiteId" JOIN forms f ON f.id = key."formId"
     ORDER BY 1, 2, 3
    ON CONFLICT (website_id, day, form_id) DO NOTHING`;
  await tx.$queryRaw`
    SELECT 1 FROM daily_counts c
     WHERE (c.website_id, c.day, c.form_id) IN (SELECT key."websiteId", key.day, key."formId" FROM ${keysOf(days)})
     ORDER BY c.website_id, c.day, c.form_id FOR UPDATE`;
}

/**
 * Counts days that are locked. Of a day of which leads were deleted, the first and the last lead remain unless all that
 * was deleted was spam, and so do e-mails that were sent, as far as those of the leads that are left may have been. An
 * e-mail that is withheld as spam is neither sent nor unsent.
 *
 * Spam is counted apart, and is no first or last lead, also where it was counted before it was known as such: robots
 * reach a form that people may not, and would hide that its website is silent.
 *
 * Each day is read through an index, and the state of each e-mail by its key, which the OFFSET keeps apart: joined, the
 * planner compares every lead of a large website with every day, while the days are locked.
 */
export async function countDays(tx: Transaction, days: readonly DayKey[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE daily_counts c
       SET stored = fresh.stored, spam = fresh.spam, is_stale = false, emails_pending = fresh.pending,
           first_at = CASE WHEN c.deleted > coalesce(c.deleted_spam, 0)
                           THEN least(c.first_at, fresh.first_at) ELSE fresh.first_at END,
           last_at = CASE WHEN c.deleted > coalesce(c.deleted_spam, 0)
                          THEN greatest(c.last_at, fresh.last_at) ELSE fresh.last_at END,
           emails_sent = CASE WHEN c.deleted > 0
                              THEN least(greatest(c.emails_sent, fresh.sent),
                                         fresh.stored + c.deleted - fresh.pending - fresh.unsent)
                              ELSE fresh.sent END,
           emails_unsent = fresh.unsent
      FROM ${keysOf(days)}
      JOIN websites w ON w.id = key."websiteId"
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS stored, count(*) FILTER (WHERE lead.is_spam)::int AS spam,
              min(lead.created_at) FILTER (WHERE NOT lead.is_spam) AS first_at,
              max(lead.created_at) FILTER (WHERE NOT lead.is_spam) AS last_at,
              count(*) FILTER (WHERE lead.email = 'sent')::int AS sent,
              count(*) FILTER (WHERE lead.email = 'pending')::int AS pending,
              count(*) FILTER (WHERE lead.email IN ('failed', 'bounced', 'no_recipient', 'skipped_quota'))::int AS unsent
         FROM (SELECT s.created_at, s.state = 'spam' AS is_spam, (SELECT n.state FROM notifications n WHERE n.submission_id = s.id) AS email
                 FROM submissions s
                WHERE s.website_id = key."websiteId" AND s.form_id = key."formId" AND ${isLead('s')}
                  AND s.created_at >= ${dayBegins(sql`key.day`, ZONE)}
                  AND s.created_at < ${dayBegins(sql`key.day + 1`, ZONE)}
               OFFSET 0) lead) fresh
     WHERE c.website_id = key."websiteId" AND c.day = key.day AND c.form_id = key."formId"`;
}

/**
 * Computes the habits of websites from their days. A new lead ends a silence; without any lead there is no habit, and
 * spam is none. Where leads turn out to be spam, the silence is judged anew by the habit without them.
 */
export async function updateHabits(tx: Transaction, websiteIds: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM lead_habits h
     WHERE h.website_id = ANY (${[...websiteIds]}::uuid[])
       AND NOT EXISTS (SELECT FROM daily_counts c WHERE c.website_id = h.website_id AND c.last_at IS NOT NULL)`;
  await tx.$executeRaw`
    INSERT INTO lead_habits AS known (website_id, leads, first_at, last_at, weekdays, weeks)
    SELECT last.website_id, sum(${genuine('c')})::int, min(c.first_at), last.at,
           ARRAY(SELECT coalesce(sum(${genuine('d')}), 0)::int
                   FROM generate_series(1, 7) AS week (weekday)
                   LEFT JOIN daily_counts d
                     ON d.website_id = last.website_id AND extract(isodow FROM d.day) = week.weekday
                    AND d.day >= last.at::date - ${HABIT_DAYS}::int
                  GROUP BY week.weekday ORDER BY week.weekday),
           ARRAY(SELECT coalesce(sum(${genuine('d')}), 0)::int
                   FROM generate_series(0, ${HABIT_DAYS}::int / 7) AS ago (weeks)
                   LEFT JOIN daily_counts d
                     ON d.website_id = last.website_id AND greatest(last.at::date - d.day, 0) / 7 = ago.weeks
                    AND d.day >= last.at::date - ${HABIT_DAYS}::int
                  GROUP BY ago.weeks ORDER BY ago.weeks)
      FROM (SELECT website_id, max(last_at) AS at FROM daily_counts
             WHERE website_id = ANY (${[...websiteIds]}::uuid[]) GROUP BY 1) last
      JOIN daily_counts c ON c.website_id = last.website_id AND c.day >= last.at::date - ${HABIT_DAYS}::int
     WHERE last.at IS NOT NULL
     GROUP BY last.website_id, last.at ORDER BY last.website_id
    ON CONFLICT (website_id) DO UPDATE
       SET leads = excluded.leads, first_at = excluded.first_at, last_at = excluded.last_at,
           weekdays = excluded.weekdays, weeks = excluded.weeks,
           silent_at = CASE WHEN known.last_at >= excluded.last_at AND known.leads <= excluded.leads
                          THEN known.silent_at END`;
}

/**
 * Counts the leads of the last weeks in each hour of the week, of each website and of all. The index of a website's
 * leads knows which are spam. Of the leads of a website in an hour of one week at most one and a half times those of
 * the median week count: a mailing is no habit.
 */
export async function countHours(db: Db, now: Date): Promise<void> {
  await db.orm.$executeRaw`
    WITH counts AS MATERIALIZED (
      SELECT s.website_id, ((extract(isodow FROM s.created_at AT TIME ZONE 'UTC') - 1) * 24
               + extract(hour FROM s.created_at AT TIME ZONE 'UTC'))::smallint AS hour,
             floor(extract(epoch FROM ${now}::timestamptz - s.created_at) / ${WEEK_MS / 1000}::int) AS week,
             count(*)::int AS leads
        FROM websites w JOIN submissions s ON s.website_id = w.id
       WHERE s.created_at >= ${now}::timestamptz - make_interval(weeks => ${HOURS_WEEKS}::int)
         AND s.created_at < ${now} AND ${isGenuineLead('s')}
       GROUP BY 1, 2, 3),
    all_websites AS (
      INSERT INTO lead_hours (hour, leads)
      SELECT hour, coalesce(sum(leads), 0)::int
        FROM generate_series(0, ${HOURS_IN_WEEK - 1}::int) AS week (hour) LEFT JOIN counts USING (hour) GROUP BY 1
      ON CONFLICT (hour) DO UPDATE SET leads = excluded.leads),
    weeks AS (
      SELECT website_id, hour, array_agg(leads ORDER BY leads) AS leads FROM counts GROUP BY 1, 2),
    usual AS (
      SELECT website_id, hour,
             -- The weeks without leads are not in the array, and sorted before the others.
             (SELECT ceil(sum(least(week, ${MAX_OF_USUAL}::numeric
                                          * coalesce(leads[cardinality(leads) - ${HOURS_WEEKS / 2 - 1}::int], 1))))::int
                FROM unnest(leads) AS week) AS leads
        FROM weeks),
    own AS (
      SELECT website_id, array_agg(coalesce(leads, 0) ORDER BY hour) AS hours
        FROM (SELECT DISTINCT website_id FROM counts) known
       CROSS JOIN generate_series(0, ${HOURS_IN_WEEK - 1}::int) AS week (hour)
        LEFT JOIN usual USING (website_id, hour) GROUP BY 1)
    UPDATE lead_habits h SET hours = coalesce(own.hours, '{}')
      FROM lead_habits known LEFT JOIN own USING (website_id)
     WHERE h.website_id = known.website_id AND h.hours IS DISTINCT FROM coalesce(own.hours, '{}')`;
}

async function nextWebsites(tx: Transaction, after: string, limit: number): Promise<string[]> {
  const websites = await tx.$queryRaw<{ id: string }[]>`
    SELECT id::text FROM websites WHERE id > ${after}::uuid ORDER BY id LIMIT ${limit}`;
  return websites.map(({ id }) => id);
}

/** Marks the days of the leads of websites, in the order of their ids, to be counted. @returns those websites. */
export async function markDays(tx: Transaction, after: string, limit: number): Promise<string[]> {
  const ids = await nextWebsites(tx, after, limit);
  await markDaysWhere(tx, sql`s.website_id = ANY (${ids}::uuid[])`);
  return ids;
}

/**
 * Marks days of websites, in the order of their ids, to be counted: those that have spam, or had some when they were
 * counted.
 *
 * What was deleted from a day before spam was counted apart is taken for spam, which is deleted after 30 days, unless
 * the day is older than the form's period of retention.
 *
 * @returns those websites.
 */
export async function markSpamDays(tx: Transaction, after: string, limit: number): Promise<string[]> {
  const ids = await nextWebsites(tx, after, limit);
  await tx.$executeRaw`
    INSERT INTO daily_counts AS known (website_id, day, form_id)
    SELECT s.website_id, (s.created_at AT TIME ZONE w.time_zone)::date, s.form_id
      FROM submissions s JOIN websites w ON w.id = s.website_id
     WHERE s.website_id = ANY (${ids}::uuid[]) AND s.state = 'spam' AND ${isLead('s')}
    UNION
    SELECT website_id, day, form_id FROM daily_counts
     WHERE website_id = ANY (${ids}::uuid[]) AND (spam > 0 OR deleted > 0 AND deleted_spam IS NULL)
     ORDER BY 1, 2, 3
    ON CONFLICT (website_id, day, form_id) DO UPDATE
       SET is_stale = true,
           deleted_spam = coalesce(known.deleted_spam, (
             SELECT CASE WHEN known.day < now() - make_interval(months => coalesce(f.retention_months, t.retention_months))
                         THEN 0 ELSE known.deleted END
               FROM forms f JOIN teams t ON t.id = f.team_id WHERE f.id = known.form_id))`;
  return ids;
}
