import type { Db } from '../db/client.js';
import { visitsCountedUntil } from '../db/daily-visits-mark.js';

/**
 * Reads the salt of today (UTC), and deletes those of past days; null when today has none yet. The day is that of the
 * database's clock, the same for all processes.
 */
export async function readTodaysSalt(db: Db): Promise<Uint8Array | null> {
  const [row] = await db.orm.$queryRaw<{ salt: Uint8Array }[]>`
    WITH today AS (
      SELECT (now() AT TIME ZONE 'UTC')::date AS day
    ), destroyed AS (
      DELETE FROM daily_salts USING today WHERE daily_salts.day < today.day
    )
    SELECT salt FROM daily_salts JOIN today USING (day)`;
  return row?.salt ?? null;
}

/** Stores the salt of today. @returns the salt that was stored first, if there is one. */
export async function storeTodaysSalt(db: Db, salt: Uint8Array): Promise<Uint8Array> {
  const [row] = await db.orm.$queryRaw<[{ salt: Uint8Array }]>`
    INSERT INTO daily_salts (day, salt) VALUES ((now() AT TIME ZONE 'UTC')::date, ${salt})
    ON CONFLICT (day) DO UPDATE SET salt = daily_salts.salt
    RETURNING salt`;
  return row.salt;
}

/** Deletes the salts of past days. @returns how many there were. */
export const deletePastSalts = (db: Db): Promise<number> =>
  db.orm.$executeRaw`DELETE FROM daily_salts WHERE day < (now() AT TIME ZONE 'UTC')::date`;

/** Deletes the oldest of the visits that are older than some months and counted. @returns how many. */
export const deleteOldVisits = (
  db: Db,
  { now, months, limit }: Readonly<{ now: Date; months: number; limit: number }>,
): Promise<number> =>
  db.orm.$executeRaw`
    DELETE FROM visits WHERE id = ANY (ARRAY(
      SELECT id FROM visits
       WHERE created_at < ${now}::timestamptz - make_interval(months => ${months}::int)
         AND created_at < ${visitsCountedUntil}
       ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ))`;
