import { StartError } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';
import { type Clock, systemClock } from '../lib/clock.js';
import { HOUR_MS } from '../lib/durations.js';
import type { Db } from './client.js';

/** Milliseconds by which the clocks may differ. One that nothing has set yet is wrong by days or years. */
const MAX_SKEW_MS = HOUR_MS;

/** Reads by how many milliseconds a clock differs at least from PostgreSQL's; negative: it is behind. */
export async function readClockSkewMs(db: Db, clock: Clock = systemClock): Promise<number> {
  const before = clock().getTime();
  // Through the driver, whose errors are PostgreSQL's own.
  const [row] = await db.sql<{ now: Date }>(Prisma.sql`SELECT clock_timestamp() AS now`);
  const after = clock().getTime();
  const now = row!.now.getTime();
  return before > now ? before - now : Math.min(after - now, 0);
}

/**
 * Requires that a clock can be trusted with what happens by the date: a deletion by a clock that is years ahead cannot
 * be taken back, and what it marks as done is not done in those years.
 *
 * @throws StartError when it is not within an hour of PostgreSQL's.
 */
export async function requireRightClock(db: Db, clock: Clock = systemClock): Promise<void> {
  const skewMs = await readClockSkewMs(db, clock);
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return;
  const difference = `${(Math.abs(skewMs) / HOUR_MS).toFixed(1)} h ${skewMs > 0 ? 'ahead of' : 'behind'}`;
  throw new StartError(`The clock of this process is ${difference} that of PostgreSQL.`);
}
