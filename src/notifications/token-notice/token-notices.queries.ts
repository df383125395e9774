import type { Db } from '../../db/client.js';
import { ENDING_DAYS, UNUSED_DAYS } from '../../tokens/token-warning.js';

/**
 * Records the notices about live tokens that have become due, each once for good.
 *
 * Tokens that do not work are left out: their teams are suspended, or their bearers hold none.
 *
 * @returns how many were recorded.
 */
export const recordTokenNotices = (db: Db, now: Date): Promise<number> => db.orm.$executeRaw`
  WITH live AS (
    SELECT t.id, t.expires_at, coalesce(t.last_used_at, t.created_at) AS used_at
      FROM tokens t
      JOIN teams ON teams.id = t.team_id AND teams.active
      JOIN memberships m ON m.team_id = t.team_id AND m.user_id = t.user_id AND m.role <> 'member'
      JOIN users u ON u.id = t.user_id AND u.disabled_at IS NULL
     WHERE t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now})
  ), due AS (
    SELECT id, 'ending'::token_notice_reason AS reason FROM live
     WHERE expires_at <= ${now}::timestamptz + make_interval(days => ${ENDING_DAYS})
    UNION ALL
    SELECT id, 'unused' FROM live
     WHERE used_at <= ${now}::timestamptz - make_interval(days => ${UNUSED_DAYS})
  )
  INSERT INTO token_notices (token_id, reason) SELECT id, reason FROM due
  ON CONFLICT DO NOTHING`;
