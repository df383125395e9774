import { type Actor, LEGAL_HOLD_RELEASED, LEGAL_HOLD_SET, recordAudit } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { lockSubmissions } from './handling.queries.js';

export type LegalHolds = ReturnType<typeof createLegalHolds>;

/**
 * Sets and releases legal holds: nothing deletes a submission under one. The caller checks that the viewer may manage
 * the submission.
 */
export function createLegalHolds({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /**
     * Sets a hold, or gives the one there is another reason.
     *
     * @param unlessHeld Leaves a hold that there is as it is, as one that a colleague has set meanwhile.
     * @returns whether the submission is held for this reason; null when it is gone.
     */
    set: (id: string, reason: string, actor: Actor, unlessHeld = false): Promise<boolean | null> =>
      db.orm.$transaction(async (tx) => {
        await lockSubmissions(tx, [id]);
        const stored = await tx.submission.findUnique({
          where: { id },
          select: { teamId: true, legalHoldAt: true, legalHoldReason: true },
        });
        if (!stored) return null;
        const { teamId, legalHoldAt, legalHoldReason } = stored;
        if (legalHoldAt && legalHoldReason === reason) return true;
        if (legalHoldAt && unlessHeld) return false;
        await tx.submission.update({
          where: { id },
          data: { legalHoldAt: legalHoldAt ?? clock(), legalHoldReason: reason },
        });
        await recordAudit(tx, actor, {
          teamId,
          action: LEGAL_HOLD_SET,
          subject: ['submission', id],
          // Without the reason, which may name a person.
          ...(legalHoldAt && { detail: { changed: ['reason'] } }),
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
        await recordAudit(tx, actor, { teamId, action: LEGAL_HOLD_RELEASED, subject: ['submission', id] });
      }),
  };
}
