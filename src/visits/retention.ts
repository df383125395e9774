import { z } from 'zod';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';
import { deleteOldVisits } from './visits.queries.js';

/** Job that deletes the salts of past days, for days without a visitor. */
export const destroySaltsJob = defineJob('visits-destroy-salts', z.object({}));

/** Job that deletes expired visits. */
export const purgeVisitsJob = defineJob('visits-purge', z.object({}));

/** Retention of visits: a month can still be compared with the same month of last year. */
const KEPT_MONTHS = 13;

/** Maximum number of rows in one statement, which commits by itself. */
const PORTION = 5_000;

/** Maximum duration of a run, so that a worker stops in time; the next run continues. */
const RUN_FOR_MS = 3_000;

/**
 * Deletes expired visits, oldest first, in batches. Concurrent runs take different rows.
 *
 * @returns how many there were.
 */
export async function purgeVisits(db: Db, now: Date, portion = PORTION): Promise<number> {
  const endsAt = performance.now() + RUN_FOR_MS;
  let total = 0;
  for (;;) {
    const count = await deleteOldVisits(db, { now, months: KEPT_MONTHS, limit: portion });
    total += count;
    if (count < portion || performance.now() > endsAt) return total;
  }
}
