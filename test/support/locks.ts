import type { TestDatabase } from './database.js';

/** Whether a statement that records submissions waits for a lock that somebody else has. */
export async function isRecordWaiting({ db }: Pick<TestDatabase, 'db'>): Promise<boolean> {
  const [{ waiting }] = await db.orm.$queryRaw<[{ waiting: bigint }]>`
    SELECT count(*) AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%live_token%'`;
  return waiting > 0n;
}
