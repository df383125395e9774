import type { Db } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import type { QuotaNoticeKey } from './quota-notice/quota-notice.job.js';
import type { TokenNoticeKey } from './token-notice/token-notice.job.js';

/**
 * Lifetime of the lease on an e-mail that is not about one submission, in seconds. It is renewed once, when the message
 * is built.
 */
export const UNBATCHED_LEASE_S = 120;

/**
 * A claim to one attempt at a message: attempts including this one, by which a renewal knows the lease as its own, and
 * those that were never confirmed.
 */
export type UnbatchedClaim = Readonly<{ attempts: number; unconfirmed: number }>;

type DatedClaim = UnbatchedClaim & Readonly<{ createdAt: Date }>;

const { raw, sql } = Prisma;

/** Claims the e-mail of a row; null when it is not due. */
async function take(
  db: Db,
  table: 'quota_notices' | 'token_notices' | 'webhook_notices' | 'account_links',
  key: Prisma.Sql,
): Promise<DatedClaim | null> {
  const [row] = await db.orm.$queryRaw<DatedClaim[]>`
    UPDATE ${raw(table)}
       SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${UNBATCHED_LEASE_S})
     WHERE ${key} AND state = 'pending' AND next_attempt_at <= now()
    RETURNING attempts, unconfirmed, created_at AS "createdAt"`;
  return row ?? null;
}

/** Claims a quota notice; null when it is not due. */
export const takeQuotaNotice = (db: Db, { teamId, month, percent }: QuotaNoticeKey) =>
  take(
    db,
    'quota_notices',
    sql`team_id = ${teamId} AND month = ${`${month}-01`}::date AND percent = ${percent}`,
  );

/** Claims a notice about a token; null when it is not due. */
export const takeTokenNotice = (db: Db, { tokenId, reason }: TokenNoticeKey) =>
  take(db, 'token_notices', sql`token_id = ${tokenId} AND reason = ${reason}::token_notice_reason`);

/** Claims the notice that a webhook was disabled; null when it is not due. */
export const takeWebhookNotice = (db: Db, id: string) => take(db, 'webhook_notices', sql`id = ${id}::uuid`);

/**
 * Claims the e-mail of a one-time link; null when it is not due, the link has been used, or it would arrive too late.
 */
export const takeAccountEmail = (db: Db, linkId: string): Promise<UnbatchedClaim | null> =>
  take(db, 'account_links', sql`id = ${linkId}::uuid AND expires_at > now()`);
