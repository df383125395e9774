import type { Db, Transaction } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';

/** Computes the first day of the calendar month (UTC) that a submission counts in. */
export const quotaMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1));

/** Writes the calendar month (UTC) of an instant, as in 2026-11. */
export const monthText = (at: Date): string => at.toISOString().slice(0, 7);

/** The share of the limit at which owners get their first notice, and from which a quota needs attention. */
export const NOTICE_SHARE = 0.8;

type Claim = Readonly<{ submissionId: string; teamId: number; month: Date; limit: number | null }>;

/**
 * Builds SQL that claims units of their teams' quotas for a batch of submissions: for all of a team and month, or for
 * none when the team would reach the share of its quota at which its owners get a notice. `claimQuota` claims the
 * units of the latter, since it checks the limit and records the notices.
 *
 * @param asking name of a relation of the submissions without a unit: team_id, month, quota
 * @returns an INSERT that returns team_id and month of the claimed units.
 */
export const claimQuotasBelowNotice = (asking: Prisma.Sql): Prisma.Sql => Prisma.sql`
  INSERT INTO quota_usages AS usage (team_id, month, used)
  SELECT team_id, month, count(*) FROM ${asking} GROUP BY team_id, month
  HAVING coalesce(count(*) < min(quota) * ${NOTICE_SHARE}::float8, true) ORDER BY team_id, month
  ON CONFLICT (team_id, month) DO UPDATE SET used = usage.used + EXCLUDED.used
   WHERE coalesce(usage.used + EXCLUDED.used < ${NOTICE_SHARE}::float8 *
           (SELECT min(quota) FROM ${asking} a WHERE a.team_id = usage.team_id AND a.month = usage.month), true)
  RETURNING team_id, month`;

/**
 * Claims one unit of a team's monthly quota for one submission; the claim is idempotent.
 *
 * One statement locks the notification's row, increments the counter only below the limit, and marks the unit
 * on the notification. A limit of null is no limit. The statement also records the notices due to the team's
 * owners: at four fifths of the limit, and when it is reached.
 */
export async function claimQuota(db: Db, claim: Claim): Promise<'within' | 'exceeded'> {
  const { submissionId, teamId, month, limit } = claim;
  const [row] = await db.orm.$queryRaw<{ claimed: boolean }[]>`
    WITH unclaimed AS (
      SELECT submission_id FROM notifications
       WHERE submission_id = ${submissionId}::uuid AND quota_claimed_at IS NULL
         FOR UPDATE
    ), counted AS (
      INSERT INTO quota_usages AS usage (team_id, month, used)
      SELECT ${teamId}::int, ${month}::date, 1 FROM unclaimed
       WHERE ${limit}::int IS NULL OR ${limit}::int > 0
      ON CONFLICT (team_id, month) DO UPDATE SET used = usage.used + 1
       WHERE ${limit}::int IS NULL OR usage.used < ${limit}::int
      RETURNING used
    ), marked AS (
      UPDATE notifications SET quota_claimed_at = now() FROM counted
       WHERE submission_id = ${submissionId}::uuid
      RETURNING 1
    ), noticed AS (
      INSERT INTO quota_notices (team_id, month, percent)
      SELECT ${teamId}::int, ${month}::date, due.percent
        FROM (SELECT used FROM counted
              UNION ALL
              SELECT ${limit}::int FROM unclaimed WHERE NOT EXISTS (SELECT 1 FROM counted)) AS usage,
             LATERAL (SELECT CASE WHEN used < ${limit}::int THEN 80 ELSE 100 END AS percent) AS due
       WHERE ${limit}::int > 0 AND used >= ${limit}::int * ${NOTICE_SHARE}::float8
         -- An insert would wait for a change of the plan that deletes the notice, and with it all e-mails.
         AND NOT EXISTS (SELECT 1 FROM quota_notices n
                          WHERE n.team_id = ${teamId}::int AND n.month = ${month}::date AND n.percent = due.percent)
      ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (SELECT 1 FROM marked) OR NOT EXISTS (SELECT 1 FROM unclaimed) AS claimed`;
  return row?.claimed ? 'within' : 'exceeded';
}

/** A team's counter of a month, locked for a transaction, with the limit of its plan. */
type LockedQuota = Readonly<{ teamId: number; month: Date; used: number; limit: number | null }>;

/** Returns the units that are left of a quota. */
export const unitsLeft = ({ used, limit }: Pick<LockedQuota, 'used' | 'limit'>): number =>
  limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);

/** Locks a team's counter of a month until the transaction ends. Several are locked in the order of teams. */
export async function lockQuota(tx: Transaction, teamId: number, month: Date): Promise<LockedQuota> {
  const [row] = await tx.$queryRaw<Pick<LockedQuota, 'used' | 'limit'>[]>`
    WITH counter AS (
      INSERT INTO quota_usages AS usage (team_id, month, used) VALUES (${teamId}, ${month}::date, 0)
      ON CONFLICT (team_id, month) DO UPDATE SET used = usage.used
      RETURNING used
    )
    SELECT used, (SELECT notifications_per_month FROM plans JOIN teams ON plan_id = plans.id
                   WHERE teams.id = ${teamId}) AS limit
      FROM counter`;
  return { teamId, month, ...row! };
}

/**
 * Takes units of a locked quota, no more than are left, and records the notice due to the team's owners.
 *
 * @param isWanting Whether more were wanted, so that the quota counts as reached.
 */
export async function takeUnits(
  tx: Transaction,
  { teamId, month, used, limit }: LockedQuota,
  { units, isWanting }: Readonly<{ units: number; isWanting: boolean }>,
): Promise<void> {
  const after = used + units;
  await tx.quotaUsage.update({ where: { teamId_month: { teamId, month } }, data: { used: after } });
  if (!limit || (after < limit * NOTICE_SHARE && !isWanting)) return;
  const percent = after < limit && !isWanting ? 80 : 100;
  const notice = { teamId, month, percent };
  // An insert would wait for a change of the plan that deletes the notice.
  if ((await tx.quotaNotice.count({ where: notice })) > 0) return;
  await tx.quotaNotice.createMany({ data: notice, skipDuplicates: true });
}

/**
 * Deletes the notices of the present month (UTC) that are no longer true since a plan, or the plan of a team, has room
 * again, so that owners are told when that is used up in turn.
 */
export async function deleteOutgrownNotices(
  tx: Transaction,
  whose: Readonly<{ planId: number } | { teamId: number }>,
): Promise<void> {
  const teams =
    'planId' in whose ? Prisma.sql`t.plan_id = ${whose.planId}` : Prisma.sql`t.id = ${whose.teamId}`;
  await tx.$executeRaw`
    DELETE FROM quota_notices n USING teams t JOIN plans p ON p.id = t.plan_id
     WHERE n.team_id = t.id AND ${teams} AND n.month >= date_trunc('month', now() AT TIME ZONE 'UTC')
       AND coalesce((SELECT used FROM quota_usages u WHERE u.team_id = n.team_id AND u.month = n.month)
             < p.notifications_per_month * CASE n.percent WHEN 80 THEN ${NOTICE_SHARE}::float8 ELSE 1 END, true)`;
}
