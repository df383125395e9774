import { NIL } from 'uuid';
import type { Db } from '../../db/client.js';
import { firstIdFrom } from '../../db/first-id.js';
import { isNeitherSpamNorArchived } from '../../db/leads.queries.js';
import { inTeams } from '../../db/team-filter.js';
import type { AttentionScope } from '../attention-item.js';

/** A team that has used most of its quota of a month, or whose e-mails a quota holds back. */
export type UsedQuota = Readonly<{
  teamId: number;
  used: number;
  /** Null: as many as there are, of a plan that was chosen after the quota had been used up. */
  limit: number | null;
  /** When its owners were told; null: the notice is still to come. */
  nearSince: Date | null;
  reachedSince: Date | null;
  /** Leads whose e-mail is held back, of whatever month. */
  held: number;
  /** When the first of them came. */
  heldSince: Date | null;
}>;

type Asked = Readonly<{
  month: Date;
  share: number;
  /**
   * E-mails that are held back about leads from this moment on all count; of older ones only the installation's latest.
   */
  since: Date;
}>;

/** Held e-mails of the installation that count whatever their age, the latest ones. */
const HELD_SEEN = 10_000;

/**
 * Reads the active teams that have used a share of their quota in a month, and those with leads whose e-mail is held
 * back, as *Send them* takes them: neither spam nor archived. A plan without e-mails holds nothing back.
 *
 * The held e-mails are read from their index, and the lead of each by its key, which the OFFSET keeps apart: joined,
 * the planner reads every lead that there is.
 */
export const readUsedQuotas = (
  db: Db,
  { teamIds }: AttentionScope,
  { month, share, since }: Asked,
): Promise<UsedQuota[]> => db.orm.$queryRaw`
  WITH held AS MATERIALIZED (
    SELECT s.team_id, count(*)::int AS count, min(s.created_at) AS since
      FROM (SELECT submission_id FROM notifications
             WHERE state = 'skipped_quota' AND submission_id >= least(${firstIdFrom(since)}::uuid, coalesce((
               SELECT submission_id FROM notifications WHERE state = 'skipped_quota'
                ORDER BY submission_id DESC OFFSET ${HELD_SEEN}::int LIMIT 1), ${NIL}::uuid))) n
     CROSS JOIN LATERAL (
       SELECT team_id, state, created_at FROM submissions WHERE id = n.submission_id OFFSET 0) s
     WHERE ${isNeitherSpamNorArchived('s')} AND ${inTeams(teamIds, 's.team_id')}
     GROUP BY 1
  )
  SELECT t.id AS "teamId", coalesce(u.used, 0) AS used, p.notifications_per_month AS "limit",
         near.created_at AS "nearSince", reached.created_at AS "reachedSince",
         coalesce(held.count, 0) AS held, held.since AS "heldSince"
    FROM teams t JOIN plans p ON p.id = t.plan_id
    LEFT JOIN held ON held.team_id = t.id
    LEFT JOIN quota_usages u ON u.team_id = t.id AND u.month = ${month}::date
    LEFT JOIN quota_notices near ON near.team_id = t.id AND near.month = ${month}::date AND near.percent = 80
    LEFT JOIN quota_notices reached ON reached.team_id = t.id AND reached.month = ${month}::date
      AND reached.percent = 100
   WHERE t.active AND coalesce(p.notifications_per_month > 0, true)
     AND (held.count > 0 OR u.used >= p.notifications_per_month * ${share}::float8)
     AND ${inTeams(teamIds, 't.id')}`;
