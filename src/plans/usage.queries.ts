import type { Db } from '../db/client.js';
import { dayBegins } from '../db/day-begins.js';
import { isGenuineLead, isLead, isNeitherSpamNorArchived } from '../db/leads.queries.js';
import { deletedLeads, leadsOfDay, storedFrom, storedOfDay } from '../db/stale-days.queries.js';
import { Prisma } from '../generated/prisma/client.js';

const { sql } = Prisma;

const ZONE = sql`w.time_zone`;

/** A team's usage in a calendar month (UTC). */
export type MonthlyUsage = Readonly<{
  /** The month, as in 2026-11. */
  month: string;
  /**
   * Leads without spam: in the current month those there are, in a past one all that came, by the days of their
   * websites.
   */
  submissions: number;
  notificationsUsed: number;
  /** Leads whose e-mail the quota has held back and that are still there. */
  held: number;
}>;

const MONTHS = 12;

type Row = MonthlyUsage & Readonly<{ teamId: number }>;

/** The current month, from its first instant, and the time at which it is read. */
type Present = Readonly<{ month: Date; now: Date }>;

/**
 * Selects how many leads of the websites of the teams `wanted` there are since the current month began, without spam.
 *
 * Days of a website that are within the month are read from `daily_counts`. The hours before the first of them, since
 * the beginning of the day before the last count, and days of which a lead was just deleted are counted as they are
 * stored.
 */
const presentLeads = ({ month, now }: Present): Prisma.Sql => sql`
  SELECT w.team_id, sum(days.leads)::int AS leads
    FROM websites w
   CROSS JOIN LATERAL (
     SELECT (${month}::timestamptz AT TIME ZONE w.time_zone + interval '1 day' - interval '1 microsecond')::date AS first
   ) local
   CROSS JOIN LATERAL (SELECT greatest(local.first, ${storedFrom(now, ZONE)}) AS last) span
   CROSS JOIN LATERAL (
     SELECT CASE WHEN c.is_stale THEN ${storedOfDay(ZONE)} ELSE c.stored - c.spam END AS leads
       FROM daily_counts c WHERE c.website_id = w.id AND c.day >= local.first AND c.day < span.last
     UNION ALL
     SELECT count(*) FROM submissions s
      WHERE s.website_id = w.id AND ${isGenuineLead('s')} AND s.created_at >= ${month}
        AND s.created_at < ${dayBegins(sql`local.first`, ZONE)}
     UNION ALL
     SELECT count(*) FROM submissions s
      WHERE s.website_id = w.id AND ${isGenuineLead('s')} AND s.created_at >= ${dayBegins(sql`span.last`, ZONE)}) days
   WHERE w.team_id IN (SELECT id FROM wanted)
   GROUP BY 1`;

/** Reads the usage of each team in the last twelve months, the current month first. */
export function readUsage(db: Db, teamIds: readonly number[], present: Present): Promise<Row[]> {
  return db.orm.$queryRaw<Row[]>`
    WITH months AS (
      SELECT ${present.month.toISOString()}::timestamp - make_interval(months => past.months) AS month
        FROM generate_series(0, ${MONTHS - 1}::int) AS past (months)
    ), wanted AS (
      SELECT id FROM unnest(${[...new Set(teamIds)]}::int[]) AS teams (id)
    ), came AS (
      SELECT w.team_id, date_trunc('month', days.day::timestamp) AS month, sum(days.leads)::int AS leads
        FROM websites w
       CROSS JOIN (SELECT min(month)::date AS first, max(month)::date AS last FROM months) past
       CROSS JOIN LATERAL (SELECT greatest(past.first, least(past.last, ${storedFrom(present.now, ZONE)})) AS day) live
       CROSS JOIN LATERAL (
         SELECT c.day, CASE WHEN c.day < live.day THEN ${leadsOfDay(ZONE)} ELSE ${deletedLeads('c')} END AS leads
           FROM daily_counts c WHERE c.website_id = w.id AND c.day >= past.first AND c.day < past.last
         UNION ALL
         SELECT (s.created_at AT TIME ZONE w.time_zone)::date, count(*) FROM submissions s
          WHERE s.website_id = w.id AND ${isGenuineLead('s')} AND s.created_at >= ${dayBegins(sql`live.day`, ZONE)}
            AND s.created_at < ${dayBegins(sql`past.last`, ZONE)}
          GROUP BY 1) days
       WHERE w.team_id IN (SELECT id FROM wanted)
       GROUP BY 1, 2
    ), former AS (
      SELECT team_id, date_trunc('month', day::timestamp) AS month, sum(leads)::int AS leads
        FROM former_counts WHERE team_id IN (SELECT id FROM wanted) GROUP BY 1, 2
    ), held AS (
      SELECT s.team_id, date_trunc('month', s.created_at AT TIME ZONE 'UTC') AS month, count(*)::int AS leads
        FROM notifications n JOIN submissions s ON s.id = n.submission_id
       WHERE n.state = 'skipped_quota' AND s.team_id IN (SELECT id FROM wanted) AND ${isLead('s')}
         AND ${isNeitherSpamNorArchived('s')}
         AND s.created_at >= (SELECT min(month) FROM months) AT TIME ZONE 'UTC'
       GROUP BY 1, 2
    ), present AS (${presentLeads(present)})
    SELECT wanted.id AS "teamId", to_char(months.month, 'YYYY-MM') AS month,
           coalesce(usage.used, 0) AS "notificationsUsed", coalesce(held.leads, 0) AS held,
           CASE WHEN months.month = (SELECT max(month) FROM months) THEN coalesce(present.leads, 0)
                ELSE coalesce(came.leads, 0) + coalesce(former.leads, 0) END AS submissions
      FROM wanted CROSS JOIN months
      LEFT JOIN present ON present.team_id = wanted.id
      LEFT JOIN came ON came.team_id = wanted.id AND came.month = months.month
      LEFT JOIN former ON former.team_id = wanted.id AND former.month = months.month
      LEFT JOIN held ON held.team_id = wanted.id AND held.month = months.month
      LEFT JOIN quota_usages AS usage ON usage.team_id = wanted.id AND usage.month = months.month::date
     ORDER BY wanted.id, months.month DESC`;
}
