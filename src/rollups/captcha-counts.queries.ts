import type { Db } from '../db/client.js';
import { isLead } from '../db/leads.queries.js';

/** A day (UTC) of a website, as in `2026-11-21`. */
type AdmissionDay = Readonly<{ websiteId: string; day: string }>;

/** Finds the days that have had a lead since a moment which a captcha has admitted. */
export const findAdmissionDays = (db: Db, since: Date): Promise<AdmissionDay[]> => db.orm.$queryRaw`
  SELECT DISTINCT s.website_id::text AS "websiteId", (s.created_at AT TIME ZONE 'UTC')::date::text AS day
    FROM submissions s WHERE s.created_at >= ${since} AND s.captcha_key IS NOT NULL`;

/**
 * Counts the captchas that have admitted the leads of days.
 *
 * A day is counted as a whole, from its leads, so that a killed process takes no count with it and a repeated run
 * changes nothing. Where leads of the day were deleted, the highest count remains.
 *
 * It skips websites that are deleted or locked by a deletion, since waiting for one could deadlock.
 */
export async function countAdmissions(
  db: Pick<Db['orm'], '$executeRaw'>,
  days: readonly AdmissionDay[],
): Promise<void> {
  await db.$executeRaw`
    WITH days AS MATERIALIZED (
      SELECT "websiteId" AS website_id, day
        FROM json_to_recordset(${JSON.stringify(days)}::json) AS days ("websiteId" uuid, day date)
    ), present AS MATERIALIZED (
      SELECT id FROM websites WHERE id IN (SELECT website_id FROM days) FOR KEY SHARE SKIP LOCKED
    )
    INSERT INTO captcha_counts AS known (website_id, day, link_key, verdict, count)
    SELECT days.website_id, days.day, admitted.step, admitted.verdict, count(*)::int
      FROM days JOIN present ON present.id = days.website_id
     CROSS JOIN LATERAL (
       SELECT s.captcha_key AS step,
              (CASE s.captcha_ground WHEN 'pass_through' THEN 'pass_through' ELSE 'accepted' END)::captcha_verdict
                AS verdict
         FROM submissions s
        WHERE s.website_id = days.website_id AND s.captcha_key IS NOT NULL AND ${isLead('s')}
          AND s.created_at >= days.day::timestamp AT TIME ZONE 'UTC'
          AND s.created_at < (days.day + 1)::timestamp AT TIME ZONE 'UTC'
       OFFSET 0) admitted
     GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (website_id, day, link_key, verdict) DO UPDATE SET count = excluded.count
     WHERE known.count < excluded.count
        OR (known.count > excluded.count
            AND NOT EXISTS (SELECT FROM daily_counts d
                             WHERE d.website_id = known.website_id AND d.deleted > 0
                               AND d.day BETWEEN known.day - 1 AND known.day + 1))`;
}
