import { Prisma } from '../generated/prisma/client.js';

/** Name of the mark in `rollup_marks`: visits before it are counted, and the day after it begins there (UTC). */
export const DAILY_VISITS_MARK = 'daily_visits';

/** The instant until which visits are counted, as a scalar; long ago before the first count. */
export const visitsCountedUntil = Prisma.sql`
  coalesce((SELECT counted_until FROM rollup_marks WHERE name = ${DAILY_VISITS_MARK}), '-infinity')`;
