import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AttentionScope } from '../attention-item.js';

const { sql } = Prisma;

/** A team that has used most of its quota of a month. */
export type UsedQuota = Readonly<{
  teamId: number;
  used: number;
  limit: number;
  /** When its owners were told; null: the notice is still to come. */
  nearSince: Date | null;
  reachedSince: Date | null;
  held: number;
}>;

/** Reads the active teams that have used a share of their quota in a month. */
export const readUsedQuotas = (
  db: Db,
  { teamIds }: AttentionScope,
  { month, share }: Readonly<{ month: Date; share: number }>,
): Promise<UsedQuota[]> => db.orm.$queryRaw`
  SELECT t.id AS "teamId", u.used, p.notifications_per_month AS "limit", near.created_at AS "nearSince",
         reached.created_at AS "reachedSince",
         CASE WHEN u.used < p.notifications_per_month THEN 0 ELSE (
           SELECT count(*)::int FROM notifications n JOIN submissions s ON s.id = n.submission_id
            WHERE n.state = 'skipped_quota' AND s.team_id = t.id AND s.created_at >= ${month}) END AS held
    FROM teams t JOIN plans p ON p.id = t.plan_id
    JOIN quota_usages u ON u.team_id = t.id AND u.month = ${month}::date
    LEFT JOIN quota_notices near ON near.team_id = t.id AND near.month = u.month AND near.percent = 80
    LEFT JOIN quota_notices reached ON reached.team_id = t.id AND reached.month = u.month AND reached.percent = 100
   WHERE t.active AND p.notifications_per_month > 0 AND u.used >= p.notifications_per_month * ${share}::float8
     AND ${teamIds ? sql`t.id = ANY (${[...teamIds]}::int[])` : sql`TRUE`}`;
