import type { Db, Transaction } from '../../db/client.js';
import { isNeitherSpamNorArchived } from '../../db/leads.queries.js';
import { Prisma } from '../../generated/prisma/client.js';

/** Selects the submissions of a team whose e-mails the quota held back, without spam and what is archived. */
const heldOf = (teamId: number) => Prisma.sql`
  FROM notifications n JOIN submissions s ON s.id = n.submission_id
 WHERE n.state = 'skipped_quota' AND s.team_id = ${teamId} AND ${isNeitherSpamNorArchived('s')}`;

/** First day of the calendar month (UTC) in whose quota a submission counts. */
const MONTH = Prisma.sql`date_trunc('month', s.created_at AT TIME ZONE 'UTC')::date`;

/** What a team has used of a month's quota, and what waits for it. */
export type MonthQuota = Readonly<{
  /** The month, as in 2026-11. */
  month: string;
  held: number;
  used: number;
  /** E-mails on their way that have taken no unit yet. */
  asking: number;
  limit: number | null;
}>;

/**
 * Reads how a team's quota stands in the present month, and in each month of which e-mails are held.
 *
 * @param present The present month, as in 2026-11.
 * @param most Held e-mails that are counted, the latest ones.
 * @returns the months, the earliest one first.
 */
export const readMonths = (
  db: Db,
  teamId: number,
  { present, most }: Readonly<{ present: string; most: number }>,
): Promise<MonthQuota[]> => {
  const first = Prisma.sql`${`${present}-01`}::date`;
  return db.sql<MonthQuota>(Prisma.sql`
    WITH held AS (
      -- Ids of submissions grow with time.
      SELECT ${MONTH} AS month ${heldOf(teamId)} ORDER BY n.submission_id DESC LIMIT ${most}
    ), asking AS (
      SELECT ${MONTH} AS month, count(*)::int AS asking
        FROM notifications n JOIN submissions s ON s.id = n.submission_id
       WHERE n.state = 'pending' AND n.quota_claimed_at IS NULL AND s.team_id = ${teamId} GROUP BY 1
    ), months AS (
      SELECT month, count(*)::int AS held FROM held GROUP BY 1
      UNION ALL
      SELECT ${first}, 0 WHERE NOT EXISTS (SELECT FROM held WHERE month = ${first})
    )
    SELECT to_char(month, 'YYYY-MM') AS month, held, coalesce(used, 0) AS used, coalesce(asking, 0) AS asking,
           (SELECT notifications_per_month FROM plans WHERE id =
             (SELECT plan_id FROM teams WHERE id = ${teamId})) AS limit
      FROM months LEFT JOIN asking USING (month)
      LEFT JOIN (SELECT month, used FROM quota_usages WHERE team_id = ${teamId}) usage USING (month)
     ORDER BY month`);
};

/** A held e-mail that the quota of its month has no unit for, and that month, as in 2026-11. */
export type BeyondQuota = Readonly<{ submissionId: string; month: string }>;

/**
 * Finds those of the held e-mails, but of spam, for which their months have no unit left; the oldest ones of each month
 * get what is left.
 */
export const findBeyondQuota = (tx: Transaction, submissionIds: readonly string[]): Promise<BeyondQuota[]> =>
  tx.$queryRaw`
    WITH held AS (
      SELECT s.id, s.team_id, ${MONTH} AS month,
             row_number() OVER (PARTITION BY s.team_id, ${MONTH} ORDER BY s.created_at, s.id) AS place
        FROM notifications n JOIN submissions s ON s.id = n.submission_id
       WHERE n.submission_id = ANY (${[...submissionIds]}::uuid[])
         AND n.state = 'skipped_quota' AND n.quota_claimed_at IS NULL AND s.state <> 'spam'
    )
    SELECT held.id::text AS "submissionId", to_char(month, 'YYYY-MM') AS month
      FROM held JOIN teams ON teams.id = held.team_id JOIN plans ON plans.id = teams.plan_id
      LEFT JOIN quota_usages usage USING (team_id, month)
     WHERE place > notifications_per_month - coalesce(used, 0)`;

/** Finds the submissions of a team and month, as in 2026-11, whose e-mails the quota held back, the oldest first. */
export async function findHeld(db: Db, teamId: number, month: string, limit: number): Promise<string[]> {
  const rows = await db.sql<{ id: string }>(Prisma.sql`
    SELECT s.id::text AS id ${heldOf(teamId)} AND ${MONTH} = ${`${month}-01`}::date
     ORDER BY s.created_at, s.id LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}
