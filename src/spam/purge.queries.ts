import type { Transaction } from '../db/client.js';
import { DELETION_DELIVERIES } from '../webhooks/outbox.queries.js';

/**
 * Deletes submissions that have been spam for longer than their team keeps it.
 *
 * It looks for the state once more when it has the lock, so that one that is just taken out of the spam stays.
 */
export const deleteOldSpam = (tx: Transaction, limit: number): Promise<{ id: string; teamId: number }[]> =>
  tx.$queryRaw`
    WITH deleted AS (DELETE FROM submissions WHERE state = 'spam' AND id IN (
      SELECT s.id FROM teams t JOIN submissions s ON s.team_id = t.id AND s.state = 'spam'
       WHERE s.legal_hold_at IS NULL AND coalesce(s.state_changed_at, s.created_at) < now() - make_interval(days => t.spam_kept_days)
       ORDER BY s.id LIMIT ${limit} FOR UPDATE OF s SKIP LOCKED)
      RETURNING id, team_id, website_id, form_id, test_recipient
    ), webhook AS (${DELETION_DELIVERIES})
    SELECT id::text AS id, team_id AS "teamId" FROM deleted`;
