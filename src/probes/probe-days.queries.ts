import type { Db } from '../db/client.js';
import type { Probe } from '../generated/prisma/client.js';
import { Prisma } from '../generated/prisma/client.js';

const { raw } = Prisma;

/** Tells whether a probe `p` has ended and was not broken off: some step of it failed, or all passed. */
export const HAS_ENDED = raw(
  `(p.ok OR jsonb_path_exists(p.steps, '$[*] ? (@.ok == false && @.finding != "interrupted")'))`,
);

/**
 * Reads one probe of each day of a website on which some ended, in its time zone, the newest day first: the latest that
 * failed, else the latest that passed.
 */
export const readProbeDays = (db: Db, websiteId: string): Promise<Probe[]> => db.orm.$queryRaw`
  SELECT DISTINCT ON (local.day) p.id::text AS id, p.website_id::text AS "websiteId", p.steps, p.ok,
         p.started_at AS "startedAt", p.finished_at AS "finishedAt",
         p.certificate_expires_at AS "certificateExpiresAt"
    FROM websites w JOIN probes p ON p.website_id = w.id
    CROSS JOIN LATERAL (SELECT (p.started_at AT TIME ZONE w.time_zone)::date AS day) local
   WHERE w.id = ${websiteId}::uuid AND p.ok IS NOT NULL AND ${HAS_ENDED}
   ORDER BY local.day DESC, p.ok, p.started_at DESC, p.id DESC`;
