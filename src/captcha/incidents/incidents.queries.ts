import { v7 as uuid } from 'uuid';
import type { Db } from '../../db/client.js';
import { MINUTE_MS } from '../../lib/durations.js';
import type { FailureReason, RefusalReason } from '../providers/provider.js';

/** A provider's failure, a refusal that blames our secret, or a submission let through without a verdict. */
export type IncidentReason = FailureReason | RefusalReason | 'pass_through';

export type Incident = Readonly<{
  websiteId: string;
  stepKey: string;
  reason: IncidentReason;
  requestId: string;
}>;

/** Incidents of one minute; `at` is the last one's moment. */
export type Counted = Incident & { at: Date; count: number };

/** Adds incidents to the row of their minute: those that differ in nothing else are one row with a count. */
export async function addIncident(
  db: Db,
  { websiteId, stepKey, reason, requestId, at, count }: Counted,
): Promise<void> {
  const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
  await db.orm.$executeRaw`
    INSERT INTO incidents AS known
           (id, website_id, link_key, reason, minute, count, request_id, first_seen_at, last_seen_at)
    VALUES (${uuid()}::uuid, ${websiteId}::uuid, ${stepKey}, ${reason}, ${minute}, ${count}, ${requestId},
            ${at}, ${at})
    ON CONFLICT (website_id, link_key, reason, minute) DO UPDATE
       SET count = known.count + excluded.count,
           last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at)`;
}
