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

/** The failed steps of each cause, as JSON paths. A step that was broken off has failed for none. */
const FAILED_STEPS = {
  script: `$[*] ? (@.ok == false && ${isOfScript})`,
  other: `$[*] ? (@.ok == false && !(@.finding == "interrupted") && !${isOfScript})`,
};

/** A website whose latest probes have failed for one cause, all of those since the last one that did not. */
export type FailingWebsite = Readonly<{
  websiteId: string;
  teamId: number;
  cause: keyof typeof FAILED_STEPS;
  failures: number;
  /** When the first of them ran. */
  since: Date;
  /** The first step that failed for this cause in the last of them. */
  step: ProbeStep;
}>;

/**
 * Reads the websites whose last probes have failed, once for each cause, as far back as probes are kept: a page without
 * its script is tested to the end, and what else fails on it has its own row.
 */
export const readFailing = (
  db: Db,
  scope: AttentionScope,
  { atLeast }: Readonly<{ atLeast: number }>,
): Promise<FailingWebsite[]> => db.orm.$queryRaw`
  SELECT w.id::text AS "websiteId", w.team_id AS "teamId", cause.name AS cause, failed.failures, failed.since,
         jsonb_path_query_first(last.steps, cause.steps) AS step
    FROM websites w JOIN teams t ON t.id = w.team_id AND t.active
    CROSS JOIN LATERAL (
      SELECT p.ok, p.steps FROM probes p WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED}
       ORDER BY p.started_at DESC, p.id DESC LIMIT 1) last
    JOIN jsonb_each_text(${JSON.stringify(FAILED_STEPS)}::jsonb) AS causes (name, path) ON NOT last.ok
    CROSS JOIN LATERAL (SELECT causes.name, causes.path::jsonpath AS steps) cause
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS failures, min(p.started_at) AS since FROM probes p
       WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED}
         AND p.started_at > coalesce((SELECT p.started_at FROM probes p
                                       WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED}
                                         AND NOT jsonb_path_exists(p.steps, cause.steps)
                                       ORDER BY p.started_at DESC LIMIT 1), '-infinity')) failed
   WHERE NOT w.disabled AND jsonb_path_exists(last.steps, cause.steps) AND failed.failures >= ${atLeast}::int
     AND ${inTeams(scope.teamIds, 'w.team_id')}`;

/** A website whose certificate expires, as its last probe over https has seen it. */
export type ExpiringCertificate = Readonly<{
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
