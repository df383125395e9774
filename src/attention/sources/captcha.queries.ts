import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AttentionScope } from '../attention-item.js';

const { sql } = Prisma;

/** The failures of a captcha step. */
export type StepFailures = Readonly<{
  websiteId: string;
  teamId: number;
  step: string;
  since: Date;
  failures: number;
}>;

type Reasons = Readonly<{ reasons: readonly string[]; since: Date; atLeast: number }>;

/**
 * Reads the steps with incidents of some kinds. Those before the chain was last saved no longer count: whether it works
 * now, the next submission tells.
 */
export const readStepFailures = (
  db: Db,
  { teamIds }: AttentionScope,
  { reasons, since, atLeast }: Reasons,
): Promise<StepFailures[]> => db.orm.$queryRaw`
  SELECT i.website_id::text AS "websiteId", w.team_id AS "teamId", i.link_key AS step,
         min(i.first_seen_at) AS since, sum(i.count)::int AS failures
    FROM incidents i JOIN websites w ON w.id = i.website_id JOIN teams ON teams.id = w.team_id
   WHERE i.minute >= ${since} AND i.reason = ANY (${[...reasons]}::text[])
     AND NOT w.disabled AND teams.active
     AND ${teamIds ? sql`w.team_id = ANY (${[...teamIds]}::int[])` : sql`TRUE`}
     AND NOT EXISTS (SELECT 1 FROM audit_events e
                      WHERE e.subject_type = 'website' AND e.subject_id = w.id::text
                        AND e.action = 'captcha_chain.updated' AND e.created_at > i.last_seen_at)
   GROUP BY 1, 2, 3
  HAVING sum(i.count) >= ${atLeast}::int`;
