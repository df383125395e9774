import { DAILY_VISITS_MARK } from '../../src/db/daily-visits-mark.js';
import type { Services } from '../../src/services.js';
import { countVisits } from '../../src/visits/daily-visits.service.js';

/**
 * Counts the visits of all past days anew, also of days that the worker had counted before a test wrote their visits.
 */
export async function countAllVisits({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  await db.orm.rollupMark.deleteMany({ where: { name: DAILY_VISITS_MARK } });
  await countVisits(db, clock());
}
