import type { Transaction } from '../db/client.js';
import { DELETED_COLUMNS, DELETION_DELIVERIES } from '../webhooks/outbox.queries.js';

/**
 * Deletes submissions that have been spam for longer than their team keeps it.
 *
 * A state changes after the submission has come, so the bound by `created_at` excludes none, and is read from the index
 * of each team's states. The statement checks the state once more under the lock, so that a submission that was just
 * taken out of the spam stays.
 */
export const deleteOldSpam = (tx: Transaction, limit: number): Promise<{ id: string; teamId: number }[]> =>
  tx.$queryRaw`
    WITH deleted AS (DELETE FROM submissions WHERE state = 'spam' AND id = ANY (ARRAY(
      SELECT old.id FROM teams t CROSS JOIN LATERAL (
        SELECT s.id FROM submissions s
         WHERE s.team_id = t.id AND s.state = 'spam' AND s.legal_hold_at IS NULL
           AND s.created_at < now() - make_interval(days => t.spam_kept_days)
           AND coalesce(s.state_changed_at, s.created_at) < now() - make_interval(days => t.spam_kept_days)
         ORDER BY s.created_at, s.id LIMIT ${limit} FOR UPDATE SKIP LOCKED) old
       WHERE t.spam_kept_days IS NOT NULL LIMIT ${limit}))
      RETURNING ${DELETED_COLUMNS}
    ), webhook AS (${DELETION_DELIVERIES})
    SELECT id::text AS id, team_id AS "teamId" FROM deleted`;
