import { v7 as uuid } from 'uuid';
import { type Actor, recordAudits } from '../../audit/audit.js';
import type { Db } from '../../db/client.js';
import type { SubmissionState } from '../../generated/prisma/client.js';
import type { Clock } from '../../lib/clock.js';
import type { Notifications } from '../../notifications/notifications.service.js';
import { type ListedNote, STATE_CHANGED } from './submission-log.service.js';

/** The outcome of a request to send an e-mail again. */
export type SentAgain = Readonly<{ submissionId: string; outcome: 'handed_over' | 'nothing_to_send' }>;

type Services = {
  db: Db;
  notifications: Pick<Notifications, 'sendAgain'>;
  clock: Clock;
};

export type Handling = ReturnType<typeof createHandling>;

/** Changes submissions for the panel. The caller checks that the viewer may manage all of them. */
export function createHandling({ db, notifications, clock }: Services) {
  return {
    /**
     * Sets the state of submissions and records the changes in the audit trail, in one statement.
     *
     * Submissions that already have the state stay unchanged.
     *
     * @returns how many have changed.
     */
    async setState(ids: readonly string[], state: SubmissionState, actor: Actor): Promise<number> {
      const eventIds = ids.map(() => uuid());
      return db.orm.$executeRaw`
        WITH before AS (
          SELECT id, team_id, state FROM submissions
           WHERE id = ANY (${[...ids]}::uuid[]) AND state <> ${state}::submission_state
           ORDER BY id FOR NO KEY UPDATE
        ), changed AS (
          UPDATE submissions s
             SET state = ${state}::submission_state, state_changed_at = ${clock()},
                 state_changed_by_id = ${actor.userId}::int
            FROM before WHERE s.id = before.id
          RETURNING s.id, s.team_id, before.state
        )
        INSERT INTO audit_events
          (id, team_id, actor_id, channel, action, subject_type, subject_id, ip, detail, created_at)
        SELECT event.id, team_id, ${actor.userId}::int, ${actor.channel}::audit_channel, ${STATE_CHANGED},
               'submission', changed.id::text, ${actor.ip ?? null},
               jsonb_build_object('from', state, 'to', ${state}::text), ${clock()}
          FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM changed) changed
          JOIN unnest(${eventIds}::uuid[]) WITH ORDINALITY AS event (id, n) USING (n)`;
    },

    /** Writes a note about a submission. */
    async addNote(
      submissionId: string,
      author: { userId: number; name: string },
      text: string,
    ): Promise<ListedNote> {
      const note = await db.orm.submissionNote.create({
        data: { submissionId, authorId: author.userId, text, createdAt: clock() },
      });
      return { ...note, authorName: author.name };
    },

    /** Reads a note; null when there is none. */
    findNote: (id: string): Promise<{ submissionId: string; authorId: number | null } | null> =>
      db.orm.submissionNote.findUnique({ where: { id }, select: { submissionId: true, authorId: true } }),

    /** Deletes a note. @returns false when there is none. */
    async deleteNote(id: string): Promise<boolean> {
      const { count } = await db.orm.submissionNote.deleteMany({ where: { id } });
      return count > 0;
    },

    /**
     * Requests the e-mails about submissions again.
     *
     * @returns the outcome for each, in the order of the ids.
     */
    async sendAgain(ids: readonly string[], actor: Actor): Promise<SentAgain[]> {
      const again = await notifications.sendAgain(ids, actor);
      return ids.map((submissionId) => ({
        submissionId,
        outcome: again.has(submissionId) ? 'handed_over' : 'nothing_to_send',
      }));
    },

    /**
     * Deletes submissions with everything that belongs to them.
     *
     * @returns how many still existed.
     */
    async delete(ids: readonly string[], actor: Actor): Promise<number> {
      return db.orm.$transaction(async (tx) => {
        const deleted = await tx.$queryRaw<{ id: string; teamId: number }[]>`
          DELETE FROM submissions WHERE id IN (
            SELECT id FROM submissions WHERE id = ANY (${[...ids]}::uuid[]) ORDER BY id FOR UPDATE)
          RETURNING id, team_id AS "teamId"`;
        await recordAudits(
          tx,
          actor,
          deleted.map(({ id, teamId }) => ({
            ...{ teamId, action: 'submission.deleted', subject: ['submission', id] },
          })),
        );
        return deleted.length;
      });
    },
  };
}
