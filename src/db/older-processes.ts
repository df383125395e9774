import { Prisma } from '../generated/prisma/client.js';
import type { Db } from './client.js';

/** Name of the session in which a process listens; versions up to 0.2.0 give it none. */
export const LISTENER_NAME = 'formgate listener';

/** For how long a reading is reused. */
const TRUSTED_MS = 3_000;

/** How long an older process that is no longer seen may be about to connect again, as after a restart of PostgreSQL. */
const RECENT_MS = 60_000;

export type OlderProcesses = ReturnType<typeof createOlderProcesses>;

/**
 * Tells whether processes of 0.2.0 or before run on this database, as during an upgrade, by the session in which each
 * process listens to the changes of the catalogue. They fail on values that later versions have added to a type.
 *
 * @param now Milliseconds of a monotonic clock.
 */
export function createOlderProcesses({ db, now = () => performance.now() }: { db: Db; now?: () => number }) {
  let reading: Promise<boolean> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let seenAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<boolean> {
    const [row] = await db.sql<{ runs: boolean }>(
      Prisma.sql`
      SELECT EXISTS (SELECT FROM pg_stat_activity
                      WHERE datname = current_database() AND query LIKE 'LISTEN%catalogue_changes%'
                        AND application_name <> ${LISTENER_NAME}) AS runs`,
      'find-older-processes',
    );
    if (row?.runs) seenAt = now();
    return now() - seenAt < RECENT_MS;
  }

  return {
    /** Tells whether one runs, or did a minute ago. @throws the database error when PostgreSQL is away. */
    run(): Promise<boolean> {
      if (!reading || now() - readAt >= TRUSTED_MS) {
        readAt = now();
        reading = look().catch((error) => {
          readAt = Number.NEGATIVE_INFINITY;
          throw error;
        });
      }
      return reading;
    },
  };
}
