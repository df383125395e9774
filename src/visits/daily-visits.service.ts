import { z } from 'zod';
import type { Db } from '../db/client.js';
import { runPortions } from '../db/portions.js';
import { DAY_MS } from '../lib/durations.js';
import { defineJob } from '../queue/define-job.js';
import { areVisitsCounted, countNextDay } from './daily-visits.queries.js';

/** Job that counts the visits of days that have passed. */
export const countVisitsJob = defineJob('daily-visits', z.object({}));

/** How long after its end a day is counted, for gateways whose clocks are slow. */
const SETTLED_MS = DAY_MS;

/**
 * Counts the visits of each website and day (UTC) that ended a day ago, the oldest first, once.
 *
 * A day and the mark behind it are one transaction, so that a run which is killed is repeated without a trace. The
 * first runs after an upgrade count what there is already. A mark that a clock far ahead has left in the future is set
 * back, and the last day that was counted is counted again.
 */
export async function countVisits(db: Db, now: Date): Promise<void> {
  const settled = now.getTime() - SETTLED_MS;
  const until = new Date(settled - (settled % DAY_MS));
  if (await areVisitsCounted(db, { until, now })) return;
  await runPortions(() => db.orm.$transaction((tx) => countNextDay(tx, { until, now })));
}
