import type { Db, Transaction } from '../db/client.js';
import { DAILY_VISITS_MARK, visitsCountedUntil } from '../db/daily-visits-mark.js';

/** A count of the days before that of `until`, an instant before the present one. */
type Count = Readonly<{ until: Date; now: Date }>;

/** Tells whether all visits before an instant are counted. A mark in the future tells nothing. */
export async function areVisitsCounted(db: Db, { until, now }: Count): Promise<boolean> {
  const mark = await db.orm.rollupMark.findUnique({ where: { name: DAILY_VISITS_MARK } });
  return mark !== null && mark.countedUntil >= until && mark.countedUntil <= now;
}

/**
 * Counts the visits of the next day (UTC) that has some, and moves the mark behind it. The mark's row is locked first,
 * so that concurrent counts take different days.
 *
 * A mark in the future goes back to the last day that was counted, which may not have been over.
 *
 * @returns whether there was such a day.
 */
export async function countNextDay(tx: Transaction, { until, now }: Count): Promise<boolean> {
  await tx.$executeRaw`
    INSERT INTO rollup_marks AS known (name, counted_until)
    VALUES (${DAILY_VISITS_MARK}, '1970-01-01T00:00:00Z')
    ON CONFLICT (name) DO UPDATE SET counted_until = CASE
      WHEN known.counted_until <= ${now} THEN known.counted_until
      ELSE least(coalesce((SELECT max(day)::timestamp AT TIME ZONE 'UTC' FROM daily_visits), EXCLUDED.counted_until),
                 ${until}) END`;
  const [next] = await tx.$queryRaw<[{ begins: Date | null }]>`
    SELECT date_trunc('day', min(created_at), 'UTC') AS begins FROM visits
     WHERE created_at >= ${visitsCountedUntil} AND created_at < ${until}`;
  const { begins } = next;
  if (begins !== null) {
    await tx.$executeRaw`
      INSERT INTO daily_visits (website_id, day, page_views, visitors)
      SELECT website_id, (${begins}::timestamptz AT TIME ZONE 'UTC')::date, count(*)::int,
             count(DISTINCT visitor_hash COLLATE "C")::int
        FROM visits
       WHERE created_at >= ${begins} AND created_at < ${begins}::timestamptz + interval '24 hours'
       GROUP BY 1 ORDER BY 1
      ON CONFLICT (website_id, day) DO UPDATE
        SET page_views = EXCLUDED.page_views, visitors = EXCLUDED.visitors`;
  }
  await tx.$executeRaw`
    UPDATE rollup_marks
       SET counted_until = greatest(counted_until, coalesce(${begins}::timestamptz + interval '24 hours', ${until}))
     WHERE name = ${DAILY_VISITS_MARK}`;
  return begins !== null;
}
