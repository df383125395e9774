import { DEMO_ACTION } from '../../audit/demo-mark.js';
import type { Db } from '../../db/client.js';

/** What has been kept for longer than so many months, so many rows at once. */
type Expired = Readonly<{ now: Date; months: number; limit: number }>;

/**
 * Deletes the attempts of notifications that ended before the period. Attempts have no index by age: the ids of
 * submissions sort by time, so those of older submissions stand at the beginning of the primary key.
 *
 * @returns how many.
 */
export const deleteOldAttempts = (db: Db, { now, months, limit }: Expired): Promise<number> =>
  db.orm.$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT submission_id, number
        FROM notification_attempts, (
          SELECT end_of_period, (lpad(to_hex((extract(epoch FROM end_of_period) * 1000)::bigint), 12, '0')
                                 || repeat('0', 20))::uuid AS first_id
            FROM (SELECT ${now}::timestamptz - make_interval(months => ${months}::int) AS end_of_period) period
        ) period
       WHERE submission_id < first_id AND finished_at < end_of_period
       ORDER BY submission_id LIMIT ${limit} FOR UPDATE OF notification_attempts SKIP LOCKED
    )
    DELETE FROM notification_attempts a USING old
     WHERE a.submission_id = old.submission_id AND a.number = old.number`;

/** Deletes the attempts of requested e-mails that ended before the period, as `deleteOldAttempts` does. */
export const deleteOldRequestedAttempts = (db: Db, { now, months, limit }: Expired): Promise<number> =>
  db.orm.$executeRaw`
    WITH old AS MATERIALIZED (
      SELECT email_id, number FROM requested_email_attempts
       WHERE finished_at < ${now}::timestamptz - make_interval(months => ${months}::int)
       ORDER BY email_id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM requested_email_attempts a USING old
     WHERE a.email_id = old.email_id AND a.number = old.number`;

/** Deletes the oldest of the incidents from before the period. @returns how many. */
export const deleteOldIncidents = (db: Db, { now, months, limit }: Expired): Promise<number> =>
  db.orm.$executeRaw`
    DELETE FROM incidents WHERE id = ANY (ARRAY(
      SELECT id FROM incidents
       WHERE minute < ${now}::timestamptz - make_interval(months => ${months}::int)
       ORDER BY minute, id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;

/**
 * Deletes the oldest of the audit trail's events from before the period, but the mark of the demo, without which it
 * would be filled in again.
 *
 * @returns how many.
 */
export const deleteOldEvents = (db: Db, { now, months, limit }: Expired): Promise<number> =>
  db.orm.$executeRaw`
    DELETE FROM audit_events WHERE id = ANY (ARRAY(
      SELECT id FROM audit_events
       WHERE created_at < ${now}::timestamptz - make_interval(months => ${months}::int) AND action <> ${DEMO_ACTION}
       ORDER BY created_at, id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`;
