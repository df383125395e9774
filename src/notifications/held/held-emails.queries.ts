import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';

/** A team and a calendar month (UTC), by its first day and that of the next. */
export type TeamMonth = Readonly<{ teamId: number; from: Date; to: Date }>;

const ofMonth = ({ teamId, from, to }: TeamMonth) =>
  Prisma.sql`s.team_id = ${teamId} AND s.created_at >= ${from} AND s.created_at < ${to}`;

/** Selects the submissions of a month whose e-mails the quota held back. */
const heldOf = (month: TeamMonth) => Prisma.sql`
  FROM notifications n JOIN submissions s ON s.id = n.submission_id
 WHERE n.state = 'skipped_quota' AND ${ofMonth(month)}`;

/** What a team has used of a month's quota, and what waits for it. */
export type Standing = Readonly<{
  held: number;
  used: number;
  /** E-mails on their way that have taken no unit yet. */
  asking: number;
  limit: number | null;
}>;

/** Reads how a month's quota stands. @param most Held e-mails that are counted. */
export async function readStanding(db: Db, month: TeamMonth, most: number): Promise<Standing> {
  const [row] = await db.sql<Standing>(Prisma.sql`
    SELECT (SELECT count(*)::int FROM (SELECT ${heldOf(month)} LIMIT ${most}) held) AS held,
           coalesce((SELECT used FROM quota_usages
                      WHERE team_id = ${month.teamId} AND month = ${month.from}::date), 0) AS used,
           (SELECT count(*)::int FROM notifications n JOIN submissions s ON s.id = n.submission_id
             WHERE n.state = 'pending' AND n.quota_claimed_at IS NULL AND ${ofMonth(month)}) AS asking,
           (SELECT notifications_per_month FROM plans WHERE id =
             (SELECT plan_id FROM teams WHERE id = ${month.teamId})) AS limit`);
  return row!;
}

/** Finds the submissions of a month whose e-mails the quota held back, the oldest first. */
export async function findHeld(db: Db, month: TeamMonth, limit: number): Promise<string[]> {
  const rows = await db.sql<{ id: string }>(Prisma.sql`
    SELECT s.id::text AS id ${heldOf(month)} ORDER BY s.created_at, s.id LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}
