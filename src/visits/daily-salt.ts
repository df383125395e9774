import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';

const SALT_BYTES = 32;

/** Job that deletes the salts of past days. */
export const destroySaltsJob = defineJob('visits-destroy-salts', z.object({}));

/**
 * Returns the salt of today (UTC), and creates it on the first request of the day.
 *
 * That request also deletes the salts of past days, so that no two are in use however late the job is. The day is that
 * of the database's clock, the same for all processes. No process keeps the salt, so that its deletion is final.
 */
export async function todaysSalt(db: Db): Promise<Uint8Array> {
  const [row] = await db.orm.$queryRaw<{ salt: Uint8Array }[]>`
    WITH today AS (
      SELECT (now() AT TIME ZONE 'UTC')::date AS day
    ), destroyed AS (
      DELETE FROM daily_salts USING today WHERE daily_salts.day < today.day
    )
    SELECT salt FROM daily_salts JOIN today USING (day)`;
  return row?.salt ?? generateSalt(db);
}

/** Creates the salt of today; concurrent calls all get the one that was stored first. */
async function generateSalt(db: Db): Promise<Uint8Array> {
  const drawn = new Uint8Array(randomBytes(SALT_BYTES));
  const [row] = await db.orm.$queryRaw<[{ salt: Uint8Array }]>`
    INSERT INTO daily_salts (day, salt) VALUES ((now() AT TIME ZONE 'UTC')::date, ${drawn})
    ON CONFLICT (day) DO UPDATE SET salt = daily_salts.salt
    RETURNING salt`;
  return row.salt;
}

/**
 * Deletes the salts of past days, for days without a visitor.
 *
 * @returns how many there were.
 */
export const destroyPastSalts = (db: Db): Promise<number> =>
  db.orm.$executeRaw`DELETE FROM daily_salts WHERE day < (now() AT TIME ZONE 'UTC')::date`;
