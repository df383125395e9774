import type { Db } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import type { AttentionScope } from './attention-item.js';

const { sql } = Prisma;

/** Weeks whose same weekday tells what is usual. */
const USUAL_WEEKS = 8;

/** Quotas of which the most used are shown. */
const QUOTAS = 5;

const ofTeams = (teamIds: AttentionScope['teamIds'], column: string) =>
  teamIds ? sql`${Prisma.raw(column)} = ANY (${[...teamIds]}::int[])` : sql`TRUE`;

export type DayTotal = Readonly<{ daysAgo: number; leads: number }>;

export type EmailTotals = Readonly<{ sent: number; pending: number; unsent: number }>;

export type TeamQuota = Readonly<{ teamId: number; teamName: string; used: number; limit: number }>;

/** Sums the leads of each of the last days, in the time zone of each website; the day of `now` is 0 days ago. */
export const sumDays = (db: Db, { teamIds }: AttentionScope, now: Date): Promise<DayTotal[]> =>
  db.orm.$queryRaw`
    SELECT today.day - c.day AS "daysAgo", sum(c.stored + c.deleted)::int AS leads
      FROM websites w
      CROSS JOIN LATERAL (SELECT (${now}::timestamptz AT TIME ZONE w.time_zone)::date AS day) today
      JOIN daily_counts c ON c.website_id = w.id
       AND c.day >= today.day - ${USUAL_WEEKS * 7}::int AND c.day <= today.day
     WHERE ${ofTeams(teamIds, 'w.team_id')}
     GROUP BY 1`;

/** Sums the states of the e-mails about the leads of today. */
export async function sumEmails(db: Db, { teamIds }: AttentionScope, now: Date): Promise<EmailTotals> {
  const [row] = await db.orm.$queryRaw<[EmailTotals]>`
    SELECT coalesce(sum(c.emails_sent), 0)::int AS sent, coalesce(sum(c.emails_pending), 0)::int AS pending,
           coalesce(sum(c.emails_unsent), 0)::int AS unsent
      FROM websites w
      JOIN daily_counts c ON c.website_id = w.id
       AND c.day = (${now}::timestamptz AT TIME ZONE w.time_zone)::date
     WHERE ${ofTeams(teamIds, 'w.team_id')}`;
  return row;
}

/** Reads the quotas of a month of which the largest shares are used. */
export const mostUsedQuotas = (db: Db, { teamIds }: AttentionScope, month: Date): Promise<TeamQuota[]> =>
  db.orm.$queryRaw`
    SELECT t.id AS "teamId", t.name AS "teamName", u.used, p.notifications_per_month AS "limit"
      FROM teams t JOIN plans p ON p.id = t.plan_id
      JOIN quota_usages u ON u.team_id = t.id AND u.month = ${month}::date
     WHERE t.active AND p.notifications_per_month > 0 AND u.used > 0 AND ${ofTeams(teamIds, 't.id')}
     ORDER BY u.used::float8 / p.notifications_per_month DESC, t.id LIMIT ${QUOTAS}`;
