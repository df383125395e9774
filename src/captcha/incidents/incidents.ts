import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { MINUTE_MS } from '../../lib/durations.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { addIncident, type Counted, type Incident } from './incidents.queries.js';

export type Incidents = ReturnType<typeof createIncidents>;

/** Records and logs incidents: captcha steps that fail for another reason than the visitor. */
export function createIncidents({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const warn = limitLog(log);
  let pending = new Map<string, Counted>();
  let writing: Promise<void> | null = null;
  const logged = new Map<string, { at: number; since: number }>();

  /** Writes the pending incidents row by row until none is left, so that they use one connection at most. */
  async function drain(): Promise<void> {
    while (pending.size > 0) {
      const batch = [...pending.values()];
      pending = new Map();
      for (const incident of batch) {
        await addIncident(db, incident).catch((error: Error) => warn(error, 'Captcha incident not recorded'));
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
