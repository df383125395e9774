import type { Db } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import type { QuotaNoticeKey } from './quota-notice/quota-notice.job.js';
import type { EmailSource } from './submission-email/email-source.queries.js';
import type { TokenNoticeKey } from './token-notice/token-notice.job.js';

/** The backlog of notifications, requested e-mails included, in the whole installation. */
export type Backlog = Readonly<{
  /** Number of notifications that are neither sent nor ended otherwise. */
  pending: number;
  /** Age of the oldest pending one in seconds; 0 when there is none. */
  oldestPendingS: number;
  /** Number of pending ones that wait for a recipient; the others are the backlog of the workers. */
  deferred: number;
  /** Age of the oldest in the backlog in seconds; 0 when there is none. */
  oldestBacklogS: number;
}>;

/** Maximum rows of each kind that one statement finds. */
const BATCH = 5_000;

/**
 * Returns the condition that a pending e-mail waits for a mailbox or its domain, and not for a worker or the mail
 * server: it was deferred or not confirmed, or is held back untried. Workers claim it within a minute after that.
 */
export const isDeferred = (alias: string): Prisma.Sql =>
  Prisma.raw(`(${alias}.retries > 0 OR ${alias}.unconfirmed > 0
    OR coalesce(${alias}.held_back_until > now() - interval '1 minute', false))`);

/**
 * Returns since when a pending e-mail has waited: it was recorded, or released or requested again long after that.
 * Where its message was deferred it is since the first time.
 */
export const waitingSince = (alias: string): Prisma.Sql =>
  Prisma.raw(`greatest(${alias}.created_at, ${alias}.retrying_since)`);

/**
 * Tells a pending e-mail that an attempt or a wait for its domain has put off, or that failed or was held and is sent
 * again, from one that waits for its first attempt.
 */
const IS_RETRY = Prisma.sql`(attempts > 0 OR held_back_until IS NOT NULL OR retrying_since > created_at)`;

/** Finds e-mails of one kind whose first attempt has been due for some seconds, those that are due longest first. */
export async function findDueFirstAttempts(
  db: Db,
  { emails, key }: EmailSource,
  forS: number,
): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT ${key} AS id FROM ${emails}
     WHERE state = 'pending' AND next_attempt_at <= now() - make_interval(secs => ${forS}) AND NOT ${IS_RETRY}
     ORDER BY next_attempt_at LIMIT ${BATCH}`;
  return rows.map(({ id }) => id);
}

/**
 * Finds e-mails of one kind that have been due again for some seconds, those that are due longest first. Of what is due
 * only the oldest rows are read: what waits for a first attempt was not due before those.
 */
export async function findDueRetries(
  db: Db,
  { emails, key }: EmailSource,
  forS: number,
  limit = BATCH,
): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT id FROM (
      SELECT ${key} AS id, next_attempt_at, ${IS_RETRY} AS is_retry
        FROM ${emails} WHERE state = 'pending' AND next_attempt_at <= now() - make_interval(secs => ${forS})
       ORDER BY next_attempt_at LIMIT ${BATCH}) due
     WHERE is_retry ORDER BY next_attempt_at LIMIT ${limit}`;
  return rows.map(({ id }) => id);
}

/** Finds quota notices that are due. */
export const findDueQuotaNotices = (db: Db): Promise<QuotaNoticeKey[]> => db.orm.$queryRaw`
  SELECT team_id AS "teamId", to_char(month, 'YYYY-MM') AS month, percent FROM quota_notices
   WHERE state = 'pending' AND next_attempt_at <= now()
   ORDER BY next_attempt_at LIMIT ${BATCH}`;

/** Finds notices about disabled webhooks that are due. */
export const findDueWebhookNotices = (db: Db): Promise<{ noticeId: string }[]> => db.orm.$queryRaw`
  SELECT id AS "noticeId" FROM webhook_notices WHERE state = 'pending' AND next_attempt_at <= now()
   ORDER BY next_attempt_at LIMIT ${BATCH}`;

/** Finds notices about tokens that are due. */
export const findDueTokenNotices = (db: Db): Promise<TokenNoticeKey[]> => db.orm.$queryRaw`
  SELECT token_id AS "tokenId", reason::text AS reason FROM token_notices
   WHERE state = 'pending' AND next_attempt_at <= now()
   ORDER BY next_attempt_at LIMIT ${BATCH}`;

/** Finds one-time links whose e-mails are due. */
export const findDueLinks = (db: Db): Promise<{ linkId: string }[]> => db.orm.$queryRaw`
  SELECT id AS "linkId" FROM account_links
   WHERE state = 'pending' AND next_attempt_at <= now() AND expires_at > now()
   ORDER BY next_attempt_at LIMIT ${BATCH}`;

/** Measures the backlog of notifications. */
export async function readBacklog(db: Db): Promise<Backlog> {
  const [row] = await db.orm.$queryRaw<[Backlog]>`
    SELECT count(*)::int AS pending, count(*) FILTER (WHERE is_deferred)::int AS deferred,
           coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS "oldestPendingS",
           coalesce(extract(epoch FROM now() - min(waiting_since) FILTER (WHERE NOT is_deferred)), 0)::float8
             AS "oldestBacklogS"
      FROM (SELECT created_at, ${waitingSince('n')} AS waiting_since, ${isDeferred('n')} AS is_deferred
              FROM notifications n WHERE state = 'pending'
            UNION ALL
            SELECT created_at, ${waitingSince('r')}, ${isDeferred('r')}
              FROM requested_emails r WHERE state = 'pending') pending`;
  return row;
}
