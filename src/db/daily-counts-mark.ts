import { MINUTE_MS } from '../lib/durations.js';
import type { Db } from './client.js';

/** Name of the mark in `rollup_marks` until which workers have counted leads. */
export const DAILY_COUNTS_MARK = 'daily_counts';

/** Age from which the counts are no longer trusted: workers count every ten seconds. */
const LATE_MS = 5 * MINUTE_MS;

/** Reads until when workers have counted leads; null: none has yet. */
export async function readCountedUntil(db: Db): Promise<Date | null> {
  const mark = await db.orm.rollupMark.findUnique({ where: { name: DAILY_COUNTS_MARK } });
  return mark?.countedUntil ?? null;
}

/** Tells whether the counts of leads end too long ago to say what has not come. */
export const isTooOld = (countedUntil: Date | null, now: Date): boolean =>
  countedUntil !== null && now.getTime() - countedUntil.getTime() > LATE_MS;
