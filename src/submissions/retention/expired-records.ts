import { z } from 'zod';
import type { Db } from '../../db/client.js';
import { changeInPortions } from '../../db/portions.js';
import { defineJob } from '../../queue/define-job.js';
import {
  deleteOldAttempts,
  deleteOldEvents,
  deleteOldIncidents,
  deleteOldRequestedAttempts,
} from './expired-records.queries.js';

/** Job that deletes expired attempts, incidents and events of the audit trail. */
export const purgeRecordsJob = defineJob('records-purge', z.object({}));

/** For how many months each kind of record is kept, and the statement that deletes the older ones. */
const KINDS = [
  { months: 12, deletePortion: deleteOldAttempts },
  { months: 12, deletePortion: deleteOldRequestedAttempts },
  { months: 12, deletePortion: deleteOldIncidents },
  { months: 36, deletePortion: deleteOldEvents },
] as const;

/** Deletes expired attempts, incidents and events of the audit trail. @returns how many there were. */
export async function purgeRecords(db: Db, now: Date, portion?: number): Promise<number> {
  let total = 0;
  for (const { months, deletePortion } of KINDS) {
    total += await changeInPortions((limit) => deletePortion(db, { now, months, limit }), portion);
  }
  return total;
}
