import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';

const SALT_BYTES = 32;

/** Destroy the salts of days that are over. */
export const destroySaltsJob = defineJob('visits-destroy-salts', z.object({}));

/**
 * The salt of today (UTC), drawn by whoever asks first. Asking on a new day also destroys the salts of the
 * days before, so that no two of them are ever in use, however late the job is.
 *
 * The day is that of the database's clock, the same for all processes, and the salt is kept nowhere else:
 * what is destroyed there is destroyed.
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

/** Of those who draw at the same moment one wins, and all get the winner's. */
async function generateSalt(db: Db): Promise<Uint8Array> {
  const drawn = new Uint8Array(randomBytes(SALT_BYTES));
  const [row] = await db.orm.$queryRaw<[{ salt: Uint8Array }]>`
    INSERT INTO daily_salts (day, salt) VALUES ((now() AT TIME ZONE 'UTC')::date, ${drawn})
    ON CONFLICT (day) DO UPDATE SET salt = daily_salts.salt
    RETURNING salt`;
  return row.salt;
}

/**
 * Destroys the salts of days that are over: for nights without a visitor.
 *
 * @returns how many there were.
 */
export const destroyPastSalts = (db: Db): Promise<number> =>
  db.orm.$executeRaw`DELETE FROM daily_salts WHERE day < (now() AT TIME ZONE 'UTC')::date`;
