import { z } from 'zod';
import { recordAudits, SYSTEM_ACTOR } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { changeInPortions } from '../db/portions.js';
import { defineJob } from '../queue/define-job.js';
import { purgeTraces } from './judging.queries.js';
import { deleteOldSpam } from './purge.queries.js';

/** The job that deletes the spam that teams keep no longer, and the traces of submissions after a day. */
export const purgeSpamJob = defineJob('spam-purge', z.object({}));

/** Maximum number of submissions that one transaction deletes. */
const PORTION = 500;

/** Deletes spam that is older than its team keeps it, in portions, and records it in the audit trail. */
export async function purgeSpam(db: Db): Promise<number> {
  await changeInPortions((limit) => purgeTraces(db, limit));
  const deletePortion = (limit: number) =>
    db.orm.$transaction(async (tx) => {
      const deleted = await deleteOldSpam(tx, limit);
      await recordAudits(
        tx,
        SYSTEM_ACTOR,
        deleted.map(({ id, teamId }) => ({
          teamId,
          action: 'submission.deleted',
          subject: ['submission', id],
          detail: { spam: true },
        })),
      );
      return deleted.length;
    });
  return changeInPortions(deletePortion, PORTION);
}
