import { z } from 'zod';
import { recordAudits } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';
import { purgeTraces } from './judging.queries.js';
import { deleteOldSpam } from './purge.queries.js';

/** The job that deletes the spam that teams keep no longer, and what was remembered of submissions for a day. */
export const purgeSpamJob = defineJob('spam-purge', z.object({}));

/** Maximum number of submissions that one transaction deletes. */
const PORTION = 500;

/** Deletes spam that is older than its team keeps it, in portions, and records it in the audit trail. */
export async function purgeSpam(db: Db): Promise<number> {
  await purgeTraces(db);
  let purged = 0;
  for (;;) {
    const portion = await db.orm.$transaction(async (tx) => {
      const deleted = await deleteOldSpam(tx, PORTION);
      await recordAudits(
        tx,
        { userId: null, channel: 'system' },
        deleted.map(({ id, teamId }) => ({
          teamId,
          action: 'submission.deleted',
          subject: ['submission', id],
          detail: { spam: true },
        })),
      );
      return deleted.length;
    });
    purged += portion;
    if (portion < PORTION) return purged;
  }
}
