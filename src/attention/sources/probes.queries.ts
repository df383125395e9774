import type { Db } from '../../db/client.js';
import { inTeams } from '../../db/team-filter.js';
import { DAY_MS } from '../../lib/durations.js';
import { HAS_ENDED } from '../../probes/probe-days.queries.js';
import type { ProbeFinding, ProbeStep } from '../../probes/probe-step.js';
import type { AttentionScope } from '../attention-item.js';

/** Days whose probes tell of a certificate. */
const RECENT_DAYS = 7;

/** Findings about the script in the page, which the website's maker mends. */
const SCRIPT_FINDINGS: readonly ProbeFinding[] = [
  'page_without_script',
  'page_other_website',
  'page_other_gateway',
];

const isOfScript = `(${SCRIPT_FINDINGS.map((finding) => `@.finding == "${finding}"`).join(' || ')})`;

/**
 * The failed steps of each cause, and those after which a probe tells nothing of it, as JSON paths. A step that was
 * broken off has failed for none; a page that does not open has not been looked at for its script.
 */
const CAUSES = {
  script: {
    failed: `$[*] ? (@.ok == false && ${isOfScript})`,
    inconclusive: `$[*] ? (@.name == "page" && @.ok == false && !${isOfScript})`,
  },
  other: {
    failed: `$[*] ? (@.ok == false && !(@.finding == "interrupted") && !${isOfScript})`,
    inconclusive: '$[*] ? (1 == 0)',
  },
};

/** A website whose latest probes have failed for a cause, all of those since the last one that told it had not. */
type FailingWebsite = Readonly<{
  websiteId: string;
  teamId: number;
  cause: keyof typeof CAUSES;
  failures: number;
  /** When the first of them ran. */
  since: Date;
  /** The first step that failed for this cause in the last of them that tells of it. */
  step: ProbeStep;
}>;

/**
 * Reads the websites whose last probes have failed, once for each cause, as far back as probes are kept: a page without
 * its script is tested to the end, and what else fails on it has its own row. Failures in a row that are each of
 * another cause count together, for the causes of the last.
 */
export const readFailing = (
  db: Db,
  scope: AttentionScope,
  { atLeast }: Readonly<{ atLeast: number }>,
): Promise<FailingWebsite[]> => db.orm.$queryRaw`
  SELECT "websiteId", "teamId", cause, step,
         CASE WHEN most_of_one < ${atLeast}::int THEN of_any ELSE of_cause END AS failures,
         CASE WHEN most_of_one < ${atLeast}::int THEN any_since ELSE cause_since END AS since
    FROM (
      SELECT w.id::text AS "websiteId", w.team_id AS "teamId", cause.name AS cause,
             jsonb_path_query_first(conclusive.steps, cause.failed) AS step,
             of_any.failures AS of_any, of_any.since AS any_since,
             of_cause.failures AS of_cause, of_cause.since AS cause_since,
             jsonb_path_exists(last.steps, cause.failed) AS is_latest,
             max(of_cause.failures) OVER (PARTITION BY w.id) AS most_of_one
        FROM websites w JOIN teams t ON t.id = w.team_id AND t.active
        CROSS JOIN LATERAL (
          SELECT p.ok, p.steps FROM probes p WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED}
           ORDER BY p.started_at DESC, p.id DESC LIMIT 1) last
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS failures, min(p.started_at) AS since FROM probes p
           WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED}
             AND p.started_at > coalesce((SELECT max(p.started_at) FROM probes p WHERE p.website_id = w.id AND p.ok),
                                         '-infinity')) of_any
        JOIN jsonb_each(${JSON.stringify(CAUSES)}::jsonb) AS causes (name, paths) ON NOT last.ok
        CROSS JOIN LATERAL (SELECT causes.name, (causes.paths->>'failed')::jsonpath AS failed,
                                   (causes.paths->>'inconclusive')::jsonpath AS inconclusive) cause
        CROSS JOIN LATERAL (
          SELECT p.steps FROM probes p
           WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED} AND NOT jsonb_path_exists(p.steps, cause.inconclusive)
           ORDER BY p.started_at DESC, p.id DESC LIMIT 1) conclusive
        CROSS JOIN LATERAL (
          SELECT count(*)::int AS failures, min(p.started_at) AS since FROM probes p
           WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED} AND jsonb_path_exists(p.steps, cause.failed)
             AND p.started_at > coalesce((SELECT p.started_at FROM probes p
                                           WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED}
                                             AND NOT jsonb_path_exists(p.steps, cause.failed)
                                             AND NOT jsonb_path_exists(p.steps, cause.inconclusive)
                                           ORDER BY p.started_at DESC LIMIT 1), '-infinity')) of_cause
       WHERE NOT w.disabled AND jsonb_path_exists(conclusive.steps, cause.failed)
         AND ${inTeams(scope.teamIds, 'w.team_id')}) failing
   WHERE of_cause >= ${atLeast}::int OR (is_latest AND most_of_one < ${atLeast}::int AND of_any >= ${atLeast}::int)`;

/** A website whose certificate expires, as its last probe over https has seen it. */
type ExpiringCertificate = Readonly<{
  websiteId: string;
  teamId: number;
  expiresAt: Date;
}>;

/**
 * Reads the certificates that expire before a moment, of the latest probes. One is forgotten once the page is seen over
 * http, as when the address of the website has changed.
 */
export const readExpiring = (
  db: Db,
  scope: AttentionScope,
  { now, before }: Readonly<{ now: Date; before: Date }>,
): Promise<ExpiringCertificate[]> => {
  const since = new Date(now.getTime() - RECENT_DAYS * DAY_MS);
  return db.orm.$queryRaw`
    SELECT w.id::text AS "websiteId", w.team_id AS "teamId", last.expires_at AS "expiresAt"
      FROM websites w JOIN teams t ON t.id = w.team_id AND t.active
      CROSS JOIN LATERAL (
        SELECT p.certificate_expires_at AS expires_at FROM probes p
         WHERE p.website_id = w.id AND p.started_at >= ${since} AND p.ok IS NOT NULL
           AND (p.certificate_expires_at IS NOT NULL
                OR jsonb_path_exists(p.steps, '$[*] ? (@.name == "page" && @.ok == true && @.detail starts with "http:")'))
         ORDER BY p.started_at DESC, p.id DESC LIMIT 1) last
     WHERE NOT w.disabled AND last.expires_at < ${before} AND ${inTeams(scope.teamIds, 'w.team_id')}`;
};
