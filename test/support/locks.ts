import type { TestDatabase } from './database.js';

/** Whether a statement, like a pattern of LIKE if one is given, waits for a lock that another transaction holds. */
export async function isWaitingForLock({ db }: Pick<TestDatabase, 'db'>, statement = '%'): Promise<boolean> {
  const [{ waiting }] = await db.orm.$queryRaw<[{ waiting: bigint }]>`
    SELECT count(*) AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${statement}`;
  return waiting > 0n;
}

/** Whether a statement that records submissions waits for a lock that another transaction holds. */
export const isRecordWaiting = (database: Pick<TestDatabase, 'db'>): Promise<boolean> =>
  isWaitingForLock(database, '%live_token%');
