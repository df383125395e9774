import { v7 as uuid } from 'uuid';
import { type Actor, recordAudits } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import { isForeignKeyViolation } from '../../db/database-errors.js';
import { markDaysOf } from '../../db/stale-days.queries.js';
import { retryTransaction } from '../../db/transaction-retry.js';
import type { SubmissionState } from '../../generated/prisma/client.js';
import type { Clock } from '../../lib/clock.js';
import type { Notifications } from '../../notifications/notifications.service.js';
import type { Requested, RequestedEmails } from '../../notifications/requested/requested-emails.service.js';
import { releaseWithheld, withholdUnsent } from '../../notifications/submission-email/reopening.queries.js';
import { monthText } from '../../plans/quota.queries.js';
import type { Teaching } from '../../spam/teaching/teaching.service.js';
import type { ListedNote } from '../inbox/submission-log.service.js';
import {
  deleteSubmissions,
  lockSubmissions,
  type PreviousState,
  type StateOf,
  setStates,
} from './handling.queries.js';

/** The outcome of a request to send an e-mail again. */
type SentAgain = Readonly<{
  submissionId: string;
  outcome: Requested['outcome'] | 'nothing_to_send';
  /** The month whose quota is used up, as in 2026-11; null with another outcome. */
  month: string | null;
}>;

/** The outcome of setting states. */
type StatesSet = Readonly<{
  /** How many of the submissions still were there. */
  found: number;
  /** The submissions that have changed, with the state that they had. */
  changed: readonly PreviousState[];
  /** Those that were no longer in the expected state, with the state that they keep. */
  skipped: readonly StateOf[];
}>;

type Services = {
  db: Db;
  notifications: Pick<Notifications, 'sendAgain' | 'handOver'>;
  requestedEmails: Pick<RequestedEmails, 'sendAgain'>;
  teaching: Pick<Teaching, 'learn'>;
  clock: Clock;
};

export type Handling = ReturnType<typeof createHandling>;

/** Changes submissions for the panel. The caller checks that the viewer may manage all of them. */
export function createHandling({ db, notifications, requestedEmails, teaching, clock }: Services) {
  return {
    /**
     * Sets the state of submissions and records the changes in the audit trail. What becomes spam has its e-mail
     * withheld if it has not gone yet, what leaves the spam has its withheld e-mail sent, and the classifier learns
     * what the change says.
     *
     * Submissions that already have the state stay unchanged.
     *
     * @param expected The state that they must still be in, compared under their lock; null: any.
     */
    async setState(
      ids: readonly string[],
      state: SubmissionState,
      actor: Actor,
      expected: SubmissionState | null = null,
    ): Promise<StatesSet> {
      const set = async (tx: Transaction) => {
        const locked = await lockSubmissions(tx, ids);
        // After the lock, so that the history of a submission is in the order of its changes.
        const change = { state, actor, at: clock(), eventIds: ids.map(() => uuid()) };
        const skipped = expected
          ? locked.filter((found) => found.state !== expected && found.state !== state)
          : [];
        const kept = new Set(skipped.map(({ id }) => id));
        const changed = await setStates(tx, { ...change, ids: ids.filter((id) => !kept.has(id)) });
        const isSpam = state === 'spam';
        const moved = changed.filter(({ from }) => isSpam || from === 'spam').map(({ id }) => id);
        if (isSpam) await withholdUnsent(tx, moved);
        const released = isSpam || moved.length === 0 ? [] : await releaseWithheld(tx, moved);
        // Spam is no last lead, which tells how long a website has been silent.
        if (moved.length > 0) await markDaysOf(tx, moved);
        // After the days, as a deletion counts the day before its lesson is deleted: otherwise the two could deadlock.
        await teaching.learn(tx, changed, state, actor);
        return { found: locked.length, changed, skipped, released };
      };
      const { released, ...outcome } = await retryTransaction(() => db.orm.$transaction(set));
      for (const id of released) notifications.handOver(id);
      return outcome;
    },

    /** Writes a note about a submission. @returns null when the submission, or the author's account, is gone. */
    async addNote(
      submissionId: string,
      author: { userId: number; name: string },
      text: string,
    ): Promise<ListedNote | null> {
      try {
        const note = await db.orm.submissionNote.create({
          data: { submissionId, authorId: author.userId, text, createdAt: clock() },
        });
        return { ...note, authorName: author.name };
      } catch (error) {
        if (isForeignKeyViolation(error)) return null;
        throw error;
      }
    },

    /** Reads a note; null when there is none. */
    async findNote(id: string): Promise<{ teamId: number; authorId: number | null } | null> {
      const found = await db.orm.submissionNote.findUnique({
        where: { id },
        select: { authorId: true, submission: { select: { teamId: true } } },
      });
      return found && { teamId: found.submission.teamId, authorId: found.authorId };
    },

    /** Deletes a note. @returns false when there is none. */
    async deleteNote(id: string): Promise<boolean> {
      const { count } = await db.orm.submissionNote.deleteMany({ where: { id } });
      return count > 0;
    },

    /**
     * Requests the e-mails about submissions again.
     *
     * @param sent To whom e-mails that were sent go again, as new messages: `recipients`, of those that had it, null
     *   being all. Without it they are nothing to send.
     * @returns the outcome for each, in the order of the ids.
     */
    async sendAgain(
      ids: readonly string[],
      actor: Actor,
      sent: Readonly<{ recipients: readonly string[] | null }> | null = null,
    ): Promise<SentAgain[]> {
      const { reopened, beyondQuota } = await notifications.sendAgain(ids, actor);
      const heldIn = new Map(beyondQuota.map(({ submissionId, month }) => [submissionId, month]));
      const others = sent ? ids.filter((id) => !reopened.has(id) && !heldIn.has(id)) : [];
      const outcomes = await requestedEmails.sendAgain(others, sent?.recipients ?? null, actor);
      const present = monthText(clock());
      return ids.map((submissionId) => {
        if (reopened.has(submissionId)) return { submissionId, outcome: 'handed_over', month: null };
        const month = heldIn.get(submissionId);
        if (month) return { submissionId, outcome: 'quota_used_up', month };
        const outcome = outcomes.get(submissionId) ?? 'nothing_to_send';
        return { submissionId, outcome, month: outcome === 'quota_used_up' ? present : null };
      });
    },

    /**
     * Deletes submissions with everything that belongs to them, but for those under legal hold.
     *
     * @returns how many it has deleted.
     */
    async delete(ids: readonly string[], actor: Actor): Promise<number> {
      const remove = async (tx: Transaction) => {
        const deleted = await deleteSubmissions(tx, ids);
        await recordAudits(
          tx,
          actor,
          deleted.map(({ id, teamId }) => ({
            teamId,
            action: 'submission.deleted',
            subject: ['submission', id],
          })),
        );
        return deleted.length;
      };
      return retryTransaction(() => db.orm.$transaction(remove));
    },
  };
}
