import type { Db, Transaction } from '../db/client.js';
import type { PanelLanguage } from '../generated/prisma/client.js';
import type { UnbatchedClaim } from '../notifications/unbatched-claims.queries.js';
import { UNBATCHED_LEASE_S } from '../notifications/unbatched-claims.queries.js';
import type { StoredStaffEmail } from './staff-email.js';

/** Maximum e-mails that one run sends. */
const BATCH = 100;

/** Days for which an e-mail is kept, so that nothing is told twice. */
const KEPT_DAYS = 30;

/** An e-mail that was claimed for one attempt. */
export type ClaimedStaffEmail = UnbatchedClaim &
  Readonly<{
    id: string;
    createdAt: Date;
    content: StoredStaffEmail;
    /** Null: the account can no longer log in, or is no longer of staff. */
    recipient: string | null;
    language: PanelLanguage | null;
  }>;

/**
 * Writes an e-mail to each staff account that can log in, unless it was told of the occasion before.
 *
 * @returns how many it has written.
 */
export function writeStaffEmails(
  tx: Transaction,
  { occasion, content, now }: Readonly<{ occasion: string; content: StoredStaffEmail; now: Date }>,
): Promise<number> {
  return tx.$executeRaw`
    INSERT INTO staff_emails (id, user_id, kind, occasion, content, created_at)
    SELECT gen_random_uuid(), id, ${content.kind}::staff_email_kind, ${occasion}, ${JSON.stringify(content)}::jsonb,
           ${now}
      FROM users WHERE staff AND password_hash IS NOT NULL AND disabled_at IS NULL
    ON CONFLICT (user_id, occasion) DO NOTHING`;
}

/** Finds the e-mails that are due. */
export async function findDueStaffEmails(db: Db): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT id::text AS id FROM staff_emails
     WHERE state = 'pending' AND next_attempt_at <= now()
     ORDER BY kind = 'lead_undelivered', next_attempt_at LIMIT ${BATCH}`;
  return rows.map(({ id }) => id);
}

/** Claims an e-mail for one attempt; null when it is not due. */
export async function takeStaffEmail(db: Db, id: string): Promise<ClaimedStaffEmail | null> {
  const [row] = await db.orm.$queryRaw<ClaimedStaffEmail[]>`
    UPDATE staff_emails e
       SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${UNBATCHED_LEASE_S})
      FROM users u
     WHERE e.id = ${id}::uuid AND u.id = e.user_id AND e.state = 'pending' AND e.next_attempt_at <= now()
    RETURNING e.id::text AS id, e.attempts, e.unconfirmed, e.created_at AS "createdAt", e.content,
              CASE WHEN u.staff AND u.password_hash IS NOT NULL AND u.disabled_at IS NULL THEN u.email END AS recipient,
              u.language::text AS language`;
  return row ?? null;
}

/** Deletes the e-mails that have ended and are no longer kept. */
export async function purgeStaffEmails(db: Db, now: Date): Promise<void> {
  await db.orm.$executeRaw`
    DELETE FROM staff_emails
     WHERE state <> 'pending' AND created_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS}::int)`;
}
