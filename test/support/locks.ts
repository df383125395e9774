import type { TestDatabase } from './database.js';

/** Whether statements, one at least, wait for a lock that another transaction holds; like a pattern if one is given. */
export async function isWaitingForLock(
  { db }: Pick<TestDatabase, 'db'>,
  pattern = '%',
  statements = 1,
): Promise<boolean> {
  const [{ waiting }] = await db.orm.$queryRaw<[{ waiting: bigint }]>`
    SELECT count(*) AS waiting FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE ${pattern}`;
  return waiting >= statements;
}

/** Whether statements that record submissions, one at least, wait for a lock that another transaction holds. */
export const isRecordWaiting = (database: Pick<TestDatabase, 'db'>, statements?: number): Promise<boolean> =>
  isWaitingForLock(database, '%live_token%', statements);
