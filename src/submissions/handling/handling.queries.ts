import { type Actor, STATE_CHANGED } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import { Prisma, type SubmissionState } from '../../generated/prisma/client.js';
import {
  DELETED_COLUMNS,
  DELETION_DELIVERIES,
  insertDeliveries,
  releasedDeliveries,
} from '../../webhooks/outbox.queries.js';

/** A submission and its state. */
export type StateOf = Readonly<{ id: string; state: SubmissionState }>;

/** A submission and the state that it had before a change. */
export type PreviousState = Readonly<{ id: string; from: SubmissionState }>;

type Change = Readonly<{
  ids: readonly string[];
  state: SubmissionState;
  actor: Actor;
  at: Date;
  /** An id for each event of the audit trail. */
  eventIds: readonly string[];
}>;

/** The submissions of which a statement has changed the state, as subjects of an event. */
const changedTo = (state: SubmissionState) => Prisma.sql`(
          SELECT team_id, website_id, form_id, id AS submission_id,
                 jsonb_build_object('state', ${state}::text, 'previous_state', state) AS payload FROM changed)`;

/**
 * Locks submissions until the end of the transaction. A statement of its own: what follows then sees what the
 * transaction that held a lock has written elsewhere, such as the verdict of the spam filter.
 *
 * @returns their states under the lock.
 */
export const lockSubmissions = (tx: Transaction, ids: readonly string[]): Promise<StateOf[]> => tx.$queryRaw`
  SELECT id, state FROM submissions WHERE id = ANY (${[...ids]}::uuid[]) ORDER BY id FOR NO KEY UPDATE`;

/** Sets the state of locked submissions that have another one, and records each change in the audit trail. */
export const setStates = (
  tx: Transaction,
  { ids, state, actor, at, eventIds }: Change,
): Promise<PreviousState[]> => tx.$queryRaw`
  WITH before AS (
    SELECT id, team_id, state FROM submissions
     WHERE id = ANY (${[...ids]}::uuid[]) AND state <> ${state}::submission_state
  ), changed AS (
    UPDATE submissions s
       SET state = ${state}::submission_state, state_changed_at = ${at},
           state_changed_by_id = ${actor.userId}::int
      FROM before WHERE s.id = before.id
    RETURNING s.id, s.team_id, s.website_id, s.form_id, before.state
  ), webhook AS (${insertDeliveries('submission.state_changed', changedTo(state))}
  ), announced AS (${releasedDeliveries(state)}
  )
  INSERT INTO audit_events
    (id, team_id, actor_id, channel, action, subject_type, subject_id, ip, detail, created_at)
  SELECT event.id, team_id, ${actor.userId}::int, ${actor.channel}::audit_channel, ${STATE_CHANGED},
         'submission', changed.id::text, ${actor.ip ?? null},
         jsonb_build_object('from', state, 'to', ${state}::text), ${at}
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM changed) changed
    JOIN unnest(${[...eventIds]}::uuid[]) WITH ORDINALITY AS event (id, n) USING (n)
  RETURNING subject_id AS id, detail ->> 'from' AS "from"`;

/** Deletes submissions with everything that belongs to them, and returns them. Those under legal hold stay. */
export const deleteSubmissions = (
  tx: Pick<Db['orm'], '$queryRaw'>,
  ids: readonly string[],
): Promise<{ id: string; teamId: number }[]> => tx.$queryRaw`
  WITH deleted AS (
    DELETE FROM submissions WHERE id IN (
      SELECT id FROM submissions WHERE id = ANY (${[...ids]}::uuid[]) AND legal_hold_at IS NULL
       ORDER BY id FOR UPDATE)
    RETURNING ${DELETED_COLUMNS}
  ), webhook AS (${DELETION_DELIVERIES}
  )
  SELECT id::text, team_id AS "teamId" FROM deleted`;
