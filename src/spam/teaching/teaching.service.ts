import type { Actor } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import type { SubmissionState } from '../../generated/prisma/client.js';
import { featuresOf, MIN_SAMPLES, SAMPLES, type SampleCounts } from '../classifier.js';
import { readMessage } from '../message.js';
import { readTaught, writeLessons } from './teaching.queries.js';

/** A submission and the state that it had before an account changed it. */
type Change = Readonly<{ id: string; from: SubmissionState }>;

/** How far the classifier is trained. */
export type Training = SampleCounts & Readonly<{ needed: number }>;

export type Teaching = ReturnType<typeof createTeaching>;

/** What a change of state does to what was learnt from the submission; archiving says nothing about spam. */
function effectOf(from: SubmissionState, to: SubmissionState): 'teaches' | 'forgets' | 'keeps' {
  if (to === 'archived') return 'keeps';
  return to !== 'new' || from === 'spam' ? 'teaches' : 'forgets';
}

/** Teaches the classifier of the installation what the staff decide about submissions. */
export function createTeaching({ db }: { db: Db }) {
  return {
    /**
     * Learns from a change of states, inside its transaction: what is marked as spam is spam, what is handled or taken
     * out of the spam is a lead, and what goes back to where nothing was decided is forgotten.
     *
     * Only the agency's staff teach, since what is learnt from one team judges the submissions of all. A client who
     * decides otherwise has the staff's verdict forgotten.
     */
    async learn(
      tx: Transaction,
      changes: readonly Change[],
      to: SubmissionState,
      actor: Actor,
    ): Promise<void> {
      if (changes.length === 0 || actor.userId === null) return;
      const account = await tx.user.findUnique({ where: { id: actor.userId }, select: { staff: true } });
      if (!account) return;
      const isSpam = to === 'spam';
      const idsThat = (effect: ReturnType<typeof effectOf>) =>
        changes.filter(({ from }) => effectOf(from, to) === effect).map(({ id }) => id);
      const decided = idsThat('teaches');
      if (!account.staff) {
        await tx.spamSample.deleteMany({ where: { submissionId: { in: decided }, isSpam: !isSpam } });
        return;
      }
      await tx.spamSample.deleteMany({ where: { submissionId: { in: idsThat('forgets') } } });
      const taught = await readTaught(tx, decided);
      await writeLessons(
        tx,
        taught.map((submission) => ({
          id: submission.id,
          isSpam,
          features: featuresOf(readMessage(submission, submission.fields)),
        })),
      );
    },

    /** Reads how many verdicts the classifier has learnt, and how many of each kind it needs for a say. */
    async training(): Promise<Training> {
      const row = await db.orm.spamFeature.findUnique({ where: { feature: SAMPLES } });
      return { spam: row?.spam ?? 0, leads: row?.leads ?? 0, needed: MIN_SAMPLES };
    },
  };
}
