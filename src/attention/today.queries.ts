import type { Db } from '../db/client.js';
import { dayBegins } from '../db/day-begins.js';
import { genuine, leadsOfDay } from '../db/stale-days.queries.js';
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

/** Selects the websites of some teams with their own day of a moment. */
const websitesToday = ({ teamIds }: AttentionScope, now: Date) => sql`
  SELECT w.id, w.time_zone, (${now}::timestamptz AT TIME ZONE w.time_zone)::date AS day
    FROM websites w WHERE ${inTeams(teamIds, 'w.team_id')}`;

/** Lists the days of which one is so many days ago in some time zone. */
function datesOf(daysAgo: readonly number[], now: Date): string[] {
  const anywhere = new Set(daysAgo.flatMap((days) => [days - 1, days, days + 1]));
  return [...anywhere].map((days) => new Date(now.getTime() - days * DAY_MS).toISOString().slice(0, 10));
}

/**
 * Sums the leads of some days, in the time zone of each website and apart for each today; the day of `now` is 0 days ago.
 *
 * The day of a website is computed once, not for each of its rows, and dates that are the same for all websites let
 * PostgreSQL find the rows by their index.
 */
export async function sumDays(
  db: Db,
  scope: AttentionScope,
  daysAgo: readonly number[],
  now: Date,
): Promise<DayTotal[]> {
  const rows = await db.orm.$queryRaw<(LocalDay & Omit<DayTotal, 'today'>)[]>`
    WITH today AS MATERIALIZED (${websitesToday(scope, now)}), zoned AS (
      SELECT today.time_zone, today.day, today.day - c.day AS days_ago, sum(${leadsOfDay(sql`today.time_zone`)}) AS leads
        FROM daily_counts c JOIN today ON c.website_id = today.id
       WHERE c.day = ANY (${datesOf(daysAgo, now)}::date[]) AND today.day - c.day = ANY (${[...daysAgo]}::int[])
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
        SELECT c.day FROM daily_counts c
         WHERE c.website_id = today.id AND c.day >= today.day - ${withinDays}::int AND ${genuine('c')} > 0
         ORDER BY c.day LIMIT 1) first`;
  return Math.max(0, row.days);
}

/** Sums the states of the e-mails about the leads of today. */
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
