import type { Db } from '../db/client.js';

/**
 * How far the feed has been read: to the changes that this snapshot of the database shows.
 *
 * `server` is when the server that took it started. Another one may know fewer transactions, and give their ids anew.
 */
export type Position = Readonly<{ snapshot: string; server: string; at: Date }>;

/** The part of the database client that the change feed needs. */
export type FeedDb = Readonly<{ orm: Pick<Db['orm'], '$queryRaw'> }>;

/**
 * Reads the teams whose changes were committed after a snapshot, and the position to read from the next time.
 *
 * It compares the ids of transactions, because a transaction that began earlier may commit later. Rows with ids that
 * are yet to be given come from the server that the database was restored from.
 *
 * @param since null: no changes are read, only the position.
 */
export async function readChanges(
  db: FeedDb,
  since: string | null,
): Promise<Position & Readonly<{ teams: number[] }>> {
  const [row] = await db.orm.$queryRaw<[Position & { teams: number[] }]>`
    SELECT pg_current_snapshot()::text AS snapshot, pg_postmaster_start_time()::text AS server, now() AS at, ARRAY(
      SELECT DISTINCT team_id FROM catalogue_changes
      WHERE transaction_id >= pg_snapshot_xmin(${since}::pg_snapshot)::text::bigint
        AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
        AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, ${since}::pg_snapshot)
    ) AS teams`;
  return row;
}
