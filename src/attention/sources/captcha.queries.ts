import type { Db } from '../../db/client.js';
import { inTeams } from '../../db/team-filter.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { AttentionScope } from '../attention-item.js';
import { latestSubmissions } from './latest-submissions.queries.js';

const { sql } = Prisma;

/** The failures of a captcha step. */
export type StepFailures = Readonly<{
  websiteId: string;
  teamId: number;
  step: string;
  since: Date;
  failures: number;
}>;

type Reasons = Readonly<{
  reasons: readonly string[];
  since: Date;
  atLeast: number;
  /** Whether a token that the step's provider accepts ends the failures before it. */
  endsWithSuccess: boolean;
}>;

/**
 * Selects when the step of `failing` last accepted a token, if it did: by its submission, and where that was deleted
 * since, or is not among the latest 2,000 of the website, by the first moment of the day on which it was counted.
 */
const lastSuccess = (since: Date) => sql`
  greatest(
    (SELECT s.created_at
       FROM ${latestSubmissions(sql`website_id = failing.website_id AND created_at >= ${since}`)} s
      WHERE s.captcha_key = failing.step AND s.captcha_ground IN ('first', 'designated')
      ORDER BY s.created_at DESC LIMIT 1),
    (SELECT max(c.day)::timestamp AT TIME ZONE 'UTC' FROM captcha_counts c
      WHERE c.website_id = failing.website_id AND c.day >= (${since}::timestamptz AT TIME ZONE 'UTC')::date
        AND c.link_key = failing.step AND c.verdict = 'accepted'))`;

/**
 * Reads the steps with incidents of some kinds. Those before the chain was last saved no longer count: whether it works
 * now, the next submission tells.
 */
export const readStepFailures = (
  db: Db,
  { teamIds }: AttentionScope,
  { reasons, since, atLeast, endsWithSuccess }: Reasons,
): Promise<StepFailures[]> => db.orm.$queryRaw`
  WITH seen AS MATERIALIZED (
    SELECT i.website_id, w.team_id, i.link_key AS step, i.first_seen_at, i.last_seen_at, i.count
      FROM incidents i JOIN websites w ON w.id = i.website_id JOIN teams ON teams.id = w.team_id
     WHERE i.minute >= ${since} AND i.reason = ANY (${[...reasons]}::text[])
       AND NOT w.disabled AND teams.active
       AND ${inTeams(teamIds, 'w.team_id')}),
  mended AS MATERIALIZED (
    SELECT website_id, step, greatest(
             (SELECT max(e.created_at) FROM audit_events e
               WHERE e.subject_type = 'website' AND e.subject_id = failing.website_id::text
                 AND e.action = 'captcha_chain.updated'),
             ${endsWithSuccess ? lastSuccess(since) : sql`NULL`}) AS at
      FROM (SELECT DISTINCT website_id, step FROM seen) failing)
  SELECT seen.website_id::text AS "websiteId", seen.team_id AS "teamId", seen.step,
         min(seen.first_seen_at) AS since, sum(seen.count)::int AS failures
    FROM seen JOIN mended USING (website_id, step)
   WHERE mended.at IS NULL OR seen.last_seen_at >= mended.at
   GROUP BY 1, 2, 3
  HAVING sum(seen.count) >= ${atLeast}::int`;
