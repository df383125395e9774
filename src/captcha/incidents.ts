import { v7 as uuid } from 'uuid';
import type { Db } from '../db/client.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { FailureReason, RefusalReason } from './providers/provider.js';

const MINUTE_MS = 60_000;

/** A provider's failure, a refusal that blames our secret, or a submission let through without a verdict. */
export type IncidentReason = FailureReason | RefusalReason | 'pass_through';

export type Incident = Readonly<{
  websiteId: string;
  stepKey: string;
  reason: IncidentReason;
  requestId: string;
}>;

type Counted = Incident & { at: Date; count: number };

export type Incidents = ReturnType<typeof createIncidents>;

export function createIncidents({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  let pending = new Map<string, Counted>();
  let writing: Promise<void> | null = null;
  const logged = new Map<string, { at: number; since: number }>();

  async function write({ websiteId, stepKey, reason, requestId, at, count }: Counted): Promise<void> {
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

  /** Writes the pending incidents row by row until none is left, so that they use one connection at most. */
  async function drain(): Promise<void> {
    while (pending.size > 0) {
      const batch = [...pending.values()];
      pending = new Map();
      for (const incident of batch) {
        await write(incident).catch((error: Error) =>
          log.warn({ reason: error.message }, 'Captcha incident not recorded'),
        );
      }
    }
    // In the same tick as the last check, or an incident in between would stay unwritten until the next one.
    writing = null;
  }

  /** Logs an incident at once, then at most once a minute per step and reason, with the count since the last entry. */
  function logIncident({ websiteId, stepKey, reason, requestId }: Incident, key: string, now: number): void {
    const last = logged.get(key);
    const count = (last?.since ?? 0) + 1;
    if (last && now - last.at < MINUTE_MS) {
      last.since = count;
      return;
    }
    logged.set(key, { at: now, since: 0 });
    log.warn({ websiteId, stepKey, reason, requestId, count }, 'Captcha incident');
  }

  return {
    /** Records and logs an incident. Returns at once and never fails: no submission waits for it. */
    record(incident: Incident): void {
      const at = clock();
      const key = `${incident.websiteId} ${incident.stepKey} ${incident.reason}`;
      logIncident(incident, key, at.getTime());
      const minuteKey = `${key} ${Math.floor(at.getTime() / MINUTE_MS)}`;
      const known = pending.get(minuteKey);
      if (known) {
        known.count += 1;
        known.at = at;
      } else pending.set(minuteKey, { ...incident, at, count: 1 });
      writing ??= drain();
    },

    /** Resolves when everything recorded so far is written. */
    async settled(): Promise<void> {
      await writing;
    },
  };
}
