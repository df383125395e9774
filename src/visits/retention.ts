import { z } from 'zod';
import type { Db } from '../db/client.js';
import { changeInPortions } from '../db/portions.js';
import { defineJob } from '../queue/define-job.js';
import { countVisits } from './daily-visits.service.js';
import { deleteOldVisits } from './visits.queries.js';

/** Job that deletes the salts of past days, for days without a visitor. */
export const deletePastSaltsJob = defineJob('visits-destroy-salts', z.object({}));

/** Job that deletes expired visits. */
export const purgeVisitsJob = defineJob('visits-purge', z.object({}));

/** Retention of visits: a month can still be compared with the same month of last year. */
export const KEPT_MONTHS = 13;

/**
 * Deletes expired visits, oldest first, in batches, after they are counted. Concurrent runs take different rows.
 *
 * @returns how many there were.
 */
export async function purgeVisits(db: Db, now: Date, portion?: number): Promise<number> {
  await countVisits(db, now);
  return changeInPortions((limit) => deleteOldVisits(db, { now, months: KEPT_MONTHS, limit }), portion);
}
