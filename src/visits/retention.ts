import { z } from 'zod';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';

/** Delete the visits whose time is over. */
export const purgeVisitsJob = defineJob('visits-purge', z.object({}));

/** So long visits are kept: the month of last year can still be compared with this one. */
const KEPT_MONTHS = 13;

/** Rows of one statement, which commits by itself. */
const PORTION = 5_000;

/** A run ends after this long, so that a worker need not wait for it to stop; the next one goes on. */
const RUN_FOR_MS = 3_000;

/**
 * Deletes visits whose time is over, oldest first, in portions. Two at once take different rows.
 *
 * @returns how many there were.
 */
export async function purgeVisits(db: Db, now: Date, portion = PORTION): Promise<number> {
  const endsAt = performance.now() + RUN_FOR_MS;
  let total = 0;
  for (;;) {
    const count = await db.orm.$executeRaw`
      DELETE FROM visits WHERE id IN (
        SELECT id FROM visits
         WHERE created_at < ${now}::timestamptz - make_interval(months => ${KEPT_MONTHS}::int)
         ORDER BY created_at LIMIT ${portion} FOR UPDATE SKIP LOCKED
      )`;
    total += count;
    if (count < portion || performance.now() > endsAt) return total;
  }
}
