import type { Db } from '../db/client.js';
import { dayBegins } from '../db/day-begins.js';
import { isGenuineLead } from '../db/leads.queries.js';
import { deletedLeads, genuine, leadsOfDay, storedFrom } from '../db/stale-days.queries.js';
import { inTeams } from '../db/team-filter.js';
import { Prisma } from '../generated/prisma/client.js';
import { DAY_MS } from '../lib/durations.js';
import type { AttentionScope } from './attention-item.js';

const { sql } = Prisma;

/** Quotas of which the most used are shown. */
const QUOTAS = 5;

/** The first instant of a day in some time zone, and that of the next day. */
export type LocalDay = Readonly<{ begins: Date; ends: Date }>;

/** The leads of a day, of the websites that have the same day today. */
export type DayTotal = Readonly<{ today: LocalDay; daysAgo: number; leads: number }>;

export type EmailTotals = Readonly<{ sent: number; pending: number; unsent: number }>;

export type TeamQuota = Readonly<{ teamId: number; teamName: string; used: number; limit: number }>;

const ZONE = sql`today.time_zone`;

/**
 * Selects the websites of some teams with their day of a moment, and that from which leads count as they are stored.
 */
const websitesToday = ({ teamIds }: AttentionScope, now: Date) => sql`
  SELECT w.id, w.time_zone, (${now}::timestamptz AT TIME ZONE w.time_zone)::date AS day,
         ${storedFrom(now, sql`w.time_zone`)} AS live
    FROM websites w WHERE ${inTeams(teamIds, 'w.team_id')}`;

/** Lists the days of which one is so many days ago in some time zone. */
function datesOf(daysAgo: readonly number[], now: Date): string[] {
  const anywhere = new Set(daysAgo.flatMap((days) => [days - 1, days, days + 1]));
  return [...anywhere].map((days) => new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10));
}

/**
 * Sums the leads of some days, in the time zone of each website and apart for each today; that of `now` is 0 days ago.
 *
 * The days from that before the last count of workers are counted as they are stored, with what was deleted of them.
 * The day of a website is computed once, not for each of its rows, and dates that are the same for all websites let
 * PostgreSQL find the rows by their index.
 */
export async function sumDays(
  db: Db,
  scope: AttentionScope,
  daysAgo: readonly number[],
  now: Date,
): Promise<DayTotal[]> {
  const oldest = Math.max(...daysAgo);
  const rows = await db.orm.$queryRaw<(LocalDay & Omit<DayTotal, 'today'>)[]>`
    WITH today AS MATERIALIZED (${websitesToday(scope, now)}), counts AS (
      SELECT today.time_zone, today.day AS today, c.day,
             CASE WHEN c.day < today.live THEN ${leadsOfDay(ZONE)} ELSE ${deletedLeads('c')} END AS leads
        FROM daily_counts c JOIN today ON c.website_id = today.id
       WHERE c.day = ANY (${datesOf(daysAgo, now)}::date[])
      UNION ALL
      SELECT today.time_zone, today.day, stored.day, stored.leads
        FROM today CROSS JOIN LATERAL (
          SELECT (s.created_at AT TIME ZONE ${ZONE})::date AS day, count(*) AS leads
            FROM submissions s
           WHERE s.website_id = today.id AND s.created_at <= ${now} AND ${isGenuineLead('s')}
             AND s.created_at >= ${dayBegins(sql`greatest(today.live, today.day - ${oldest}::int)`, ZONE)}
           GROUP BY 1) stored
    ), zoned AS (
      SELECT time_zone, today AS day, today - day AS days_ago, sum(leads) AS leads
        FROM counts WHERE today - day = ANY (${[...daysAgo]}::int[])
       GROUP BY 1, 2, 3
    )
    SELECT ${dayBegins(sql`day`, sql`time_zone`)} AS begins, ${dayBegins(sql`day + 1`, sql`time_zone`)} AS ends,
           days_ago AS "daysAgo", sum(leads)::int AS leads
      FROM zoned GROUP BY 1, 2, 3`;
  return rows.map(({ begins, ends, ...total }) => ({ ...total, today: { begins, ends } }));
}

/** Reads how many days ago the first lead came, of those of the last so many days; 0: there is none. */
export async function firstLeadAge(
  db: Db,
  scope: AttentionScope,
  withinDays: number,
  now: Date,
): Promise<number> {
  const [row] = await db.orm.$queryRaw<[{ days: number }]>`
    WITH today AS MATERIALIZED (${websitesToday(scope, now)})
    SELECT coalesce(max(today.day - first.day), 0) AS days
      FROM today CROSS JOIN LATERAL (
        (SELECT c.day FROM daily_counts c
          WHERE c.website_id = today.id AND c.day >= today.day - ${withinDays}::int AND ${genuine('c')} > 0
          ORDER BY c.day LIMIT 1)
        UNION ALL
        (SELECT (s.created_at AT TIME ZONE ${ZONE})::date FROM submissions s
          WHERE s.website_id = today.id AND ${isGenuineLead('s')}
            AND s.created_at >= ${dayBegins(sql`greatest(today.live, today.day - ${withinDays}::int)`, ZONE)}
          ORDER BY s.created_at LIMIT 1)) first`;
  return Math.max(0, row.days);
}

/** Sums the states of the e-mails about the leads of today, as workers have counted them: without one, none ends. */
export async function sumEmails(db: Db, { teamIds }: AttentionScope, now: Date): Promise<EmailTotals> {
  const [row] = await db.orm.$queryRaw<[EmailTotals]>`
    SELECT coalesce(sum(c.emails_sent), 0)::int AS sent, coalesce(sum(c.emails_pending), 0)::int AS pending,
           coalesce(sum(c.emails_unsent), 0)::int AS unsent
      FROM websites w
      JOIN daily_counts c ON c.website_id = w.id
       AND c.day = (${now}::timestamptz AT TIME ZONE w.time_zone)::date
     WHERE ${inTeams(teamIds, 'w.team_id')}`;
  return row;
}

/** Reads the quotas of a month of which the largest shares are used. */
export const mostUsedQuotas = (db: Db, { teamIds }: AttentionScope, month: Date): Promise<TeamQuota[]> =>
  db.orm.$queryRaw`
    SELECT t.id AS "teamId", t.name AS "teamName", u.used, p.notifications_per_month AS "limit"
      FROM teams t JOIN plans p ON p.id = t.plan_id
      JOIN quota_usages u ON u.team_id = t.id AND u.month = ${month}::date
     WHERE t.active AND p.notifications_per_month > 0 AND u.used > 0 AND ${inTeams(teamIds, 't.id')}
     ORDER BY u.used::float8 / p.notifications_per_month DESC, t.id LIMIT ${QUOTAS}`;
