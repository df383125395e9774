import type { Db } from '../../db/client.js';
import { inTeams } from '../../db/team-filter.js';
import { DAY_MS } from '../../lib/durations.js';
import { HAS_ENDED } from '../../probes/probe-days.queries.js';
import type { ProbeStep } from '../../probes/probe-step.js';
import type { AttentionScope } from '../attention-item.js';

/** Days whose probes tell of a certificate. */
const RECENT_DAYS = 7;

/** A website whose latest probes have failed, all of those since the last one that passed. */
export type FailingWebsite = Readonly<{
  websiteId: string;
  teamId: number;
  failures: number;
  /** When the first of them ran. */
  since: Date;
  /** The steps of the last of them. */
  steps: readonly ProbeStep[];
}>;

/** Reads the websites whose last probes have failed, as far back as probes are kept. */
export const readFailing = (
  db: Db,
  scope: AttentionScope,
  { atLeast }: Readonly<{ atLeast: number }>,
): Promise<FailingWebsite[]> => db.orm.$queryRaw`
  SELECT w.id::text AS "websiteId", w.team_id AS "teamId", failed.failures, failed.since, last.steps
    FROM websites w JOIN teams t ON t.id = w.team_id AND t.active
    CROSS JOIN LATERAL (
      SELECT p.ok, p.steps FROM probes p WHERE p.website_id = w.id AND ${HAS_ENDED}
       ORDER BY p.started_at DESC, p.id DESC LIMIT 1) last
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS failures, min(p.started_at) AS since FROM probes p
       WHERE NOT last.ok AND p.website_id = w.id AND ${HAS_ENDED}
         AND p.started_at > coalesce((SELECT passed.started_at FROM probes passed
                                       WHERE passed.website_id = w.id AND passed.ok
                                       ORDER BY passed.started_at DESC LIMIT 1), '-infinity')) failed
   WHERE NOT w.disabled AND NOT last.ok AND failed.failures >= ${atLeast}::int AND ${inTeams(scope.teamIds, 'w.team_id')}`;

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
