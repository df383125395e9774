import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { ProbeStep } from '../../probes/probe-step.js';
import type { AttentionScope } from '../attention-item.js';

const { sql, raw } = Prisma;

/** Days whose probes count. */
const RECENT_DAYS = 7;

/** Probes of a website that are looked at. */
const LOOKED_AT = 20;

const ofTeams = ({ teamIds }: AttentionScope) =>
  teamIds ? sql`w.team_id = ANY (${[...teamIds]}::int[])` : sql`TRUE`;

/** A probe that was not broken off: some step of it failed, or all passed. */
const HAS_ENDED = raw(
  `p.ok OR jsonb_path_exists(p.steps, '$[*] ? (@.ok == false && @.finding != "interrupted")')`,
);

/** The latest probes of a website that have ended, the newest first. */
export type ProbedLately = Readonly<{
  websiteId: string;
  teamId: number;
  probes: readonly Readonly<{ ok: boolean; startedAt: string; steps: readonly ProbeStep[] }>[];
}>;

/** Reads the latest probes of the websites whose last one failed. */
export const readFailing = (db: Db, scope: AttentionScope, now: Date): Promise<ProbedLately[]> => {
  const since = new Date(now.getTime() - RECENT_DAYS * 86_400_000);
  return db.orm.$queryRaw`
    SELECT w.id::text AS "websiteId", w.team_id AS "teamId", latest.probes
      FROM websites w JOIN teams t ON t.id = w.team_id AND t.active
      CROSS JOIN LATERAL (
        SELECT p.ok FROM probes p
         WHERE p.website_id = w.id AND p.started_at >= ${since} AND (${HAS_ENDED})
         ORDER BY p.started_at DESC, p.id DESC LIMIT 1) last
      CROSS JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('ok', ok, 'startedAt', started_at, 'steps', steps)) AS probes
          FROM (SELECT p.ok, p.started_at, p.steps FROM probes p
                 WHERE p.website_id = w.id AND p.started_at >= ${since} AND (${HAS_ENDED})
                 ORDER BY p.started_at DESC, p.id DESC LIMIT ${LOOKED_AT}) recent) latest
     WHERE NOT w.disabled AND NOT last.ok AND ${ofTeams(scope)}`;
};

/** A website whose certificate expires, as its last probe over https has seen it. */
export type ExpiringCertificate = Readonly<{
  websiteId: string;
  teamId: number;
  expiresAt: Date;
}>;

/** Reads the certificates that expire before a moment, of the latest probes. */
export const readExpiring = (
  db: Db,
  scope: AttentionScope,
  { now, before }: Readonly<{ now: Date; before: Date }>,
): Promise<ExpiringCertificate[]> => {
  const since = new Date(now.getTime() - RECENT_DAYS * 86_400_000);
  return db.orm.$queryRaw`
    SELECT w.id::text AS "websiteId", w.team_id AS "teamId", last.expires_at AS "expiresAt"
      FROM websites w JOIN teams t ON t.id = w.team_id AND t.active
      CROSS JOIN LATERAL (
        SELECT p.certificate_expires_at AS expires_at FROM probes p
         WHERE p.website_id = w.id AND p.started_at >= ${since} AND p.ok IS NOT NULL
           AND p.certificate_expires_at IS NOT NULL
         ORDER BY p.started_at DESC, p.id DESC LIMIT 1) last
     WHERE NOT w.disabled AND last.expires_at < ${before} AND ${ofTeams(scope)}`;
};
