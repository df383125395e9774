import type { Db } from '../db/client.js';
import { HAS_ENDED } from './probe-days.queries.js';

/** Reads whether the latest probe of each website passed, by its id; one without a probe has no entry. */
export async function readLastProbes(db: Db, websiteIds: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await db.orm.$queryRaw<{ id: string; ok: boolean }[]>`
    SELECT w.id::text AS id, last.ok
      FROM unnest(${[...websiteIds]}::uuid[]) AS w (id)
      JOIN LATERAL (SELECT p.ok FROM probes p
                     WHERE p.website_id = w.id AND p.ok IS NOT NULL AND ${HAS_ENDED}
                     ORDER BY p.started_at DESC, p.id DESC LIMIT 1) last ON true`;
  return new Map(rows.map(({ id, ok }) => [id, ok]));
}
