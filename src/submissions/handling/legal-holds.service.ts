import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';

export type LegalHolds = ReturnType<typeof createLegalHolds>;

/**
 * Sets and releases legal holds: nothing deletes a submission under one. The caller checks that the viewer may manage
 * the submission.
 */
export function createLegalHolds({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** Sets a hold, or gives the one there is another reason. @returns false when the submission is gone. */
    set: (id: string, reason: string, actor: Actor): Promise<boolean> =>
      db.orm.$transaction(async (tx) => {
        const begun = await tx.submission.updateManyAndReturn({
          where: { id, legalHoldAt: null },
          data: { legalHoldAt: clock(), legalHoldReason: reason },
          select: { teamId: true },
        });
        if (begun[0]) {
          const { teamId } = begun[0];
          await recordAudit(tx, actor, { teamId, action: 'legal_hold.set', subject: ['submission', id] });
          return true;
        }
        const changed = await tx.submission.updateManyAndReturn({
          where: { id, NOT: { legalHoldReason: reason } },
          data: { legalHoldReason: reason },
          select: { teamId: true },
        });
        if (!changed[0]) return (await tx.submission.count({ where: { id } })) > 0;
        await recordAudit(tx, actor, {
          teamId: changed[0].teamId,
          action: 'legal_hold.set',
          subject: ['submission', id],
          // Without the reason, which may name a person.
          detail: { changed: ['reason'] },
        });
        return true;
      }),

    /** Releases a hold, if there is one. */
    release: (id: string, actor: Actor): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        const ended = await tx.submission.updateManyAndReturn({
          where: { id, legalHoldAt: { not: null } },
          data: { legalHoldAt: null, legalHoldReason: null },
          select: { teamId: true },
        });
        if (!ended[0]) return;
        const { teamId } = ended[0];
        await recordAudit(tx, actor, { teamId, action: 'legal_hold.released', subject: ['submission', id] });
      }),
  };
}
