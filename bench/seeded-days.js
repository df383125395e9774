import { until } from '../faults/processes.js';

async function countStale(database) {
  const [{ counted, stale }] = await database.query(
    'SELECT count(*)::int AS counted, count(*) FILTER (WHERE is_stale)::int AS stale FROM daily_counts',
  );
  return counted === 0 ? Number.POSITIVE_INFINITY : stale;
}

/** Waits until a worker has counted the days of the leads that were seeded, which the first one does once. */
export const seededDaysAreCounted = (database) =>
  until('the seeded days are counted', async () => (await countStale(database)) === 0, 120_000);
