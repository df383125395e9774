import type { Db } from '../db/client.js';
import type { QuotaNoticeKey } from './quota-notice/quota-notice.job.js';
import type { TokenNoticeKey } from './token-notice/token-notice.job.js';

/** Lifetime of the lease on an e-mail that is not about one submission, in seconds. It is not renewed. */
export const LEASE_S = 120;

/** A claim to one attempt at a message: attempts including this one, and those that were never confirmed. */
export type UnbatchedClaim = Readonly<{ attempts: number; unconfirmed: number }>;

/** Claims a quota notice; null when it is not due. */
export async function takeQuotaNotice(
  db: Db,
  { teamId, month, percent }: QuotaNoticeKey,
): Promise<(UnbatchedClaim & { createdAt: Date }) | null> {
  const [row] = await db.orm.$queryRaw<(UnbatchedClaim & { createdAt: Date })[]>`
    UPDATE quota_notices
       SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_S})
     WHERE team_id = ${teamId} AND month = ${`${month}-01`}::date AND percent = ${percent}
       AND state = 'pending' AND next_attempt_at <= now()
    RETURNING attempts, unconfirmed, created_at AS "createdAt"`;
  return row ?? null;
}

/** Claims a notice about a token; null when it is not due. */
export async function takeTokenNotice(
  db: Db,
  { tokenId, reason }: TokenNoticeKey,
): Promise<(UnbatchedClaim & { createdAt: Date }) | null> {
  const [row] = await db.orm.$queryRaw<(UnbatchedClaim & { createdAt: Date })[]>`
    UPDATE token_notices
       SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_S})
     WHERE token_id = ${tokenId} AND reason = ${reason}::token_notice_reason
       AND state = 'pending' AND next_attempt_at <= now()
    RETURNING attempts, unconfirmed, created_at AS "createdAt"`;
  return row ?? null;
}

/** Claims the e-mail of a one-time link; null when it is not due, the link has been used, or it would arrive too late. */
export async function takeAccountEmail(db: Db, linkId: string): Promise<UnbatchedClaim | null> {
  const [row] = await db.orm.$queryRaw<UnbatchedClaim[]>`
    UPDATE account_links
       SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_S})
     WHERE id = ${linkId}::uuid AND state = 'pending' AND next_attempt_at <= now() AND expires_at > now()
    RETURNING attempts, unconfirmed`;
  return row ?? null;
}

/** Claims the notice that a webhook was disabled; null when it is not due. */
export async function takeWebhookNotice(
  db: Db,
  id: string,
): Promise<(UnbatchedClaim & { createdAt: Date }) | null> {
  const [row] = await db.orm.$queryRaw<(UnbatchedClaim & { createdAt: Date })[]>`
    UPDATE webhook_notices
       SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_S})
     WHERE id = ${id}::uuid AND state = 'pending' AND next_attempt_at <= now()
    RETURNING attempts, unconfirmed, created_at AS "createdAt"`;
  return row ?? null;
}
