import type { Db, Transaction } from '../../db/client.js';

/** A finished notification that was made pending again, with its team. */
type Reopened = Readonly<{ submissionId: string; teamId: number }>;

/**
 * Withholds the notifications of submissions that have become spam, where no attempt has begun or the last one has
 * ended without reaching a recipient. An attempt in flight is not interrupted.
 */
export async function withholdUnsent(tx: Transaction, submissionIds: readonly string[]): Promise<void> {
  await tx.$executeRaw`
    WITH unsent AS (
      SELECT submission_id FROM notifications n
       WHERE submission_id = ANY (${[...submissionIds]}::uuid[]) AND state = 'pending' AND delivered_to = '{}'
         -- A lease looks like the pause before a retry, but its attempt has no record yet.
         AND (attempts = 0 OR next_attempt_at <= now()
              OR EXISTS (SELECT FROM notification_attempts a
                          WHERE a.submission_id = n.submission_id AND a.number = n.attempts))
       ORDER BY submission_id FOR UPDATE
    )
    UPDATE notifications n SET state = 'withheld' FROM unsent WHERE n.submission_id = unsent.submission_id`;
}

/**
 * Withholds the due notifications of submissions that became spam while they were claimed or held back, which
 * `withholdUnsent` takes for attempts in flight. It locks submissions before notifications, as a change of state does.
 */
export async function withholdDueSpam(db: Db, submissionIds: readonly string[]): Promise<void> {
  await db.orm.$executeRaw`
    WITH spam AS MATERIALIZED (
      SELECT id FROM submissions
       WHERE id = ANY (${[...submissionIds]}::uuid[]) AND state = 'spam'
       ORDER BY id FOR NO KEY UPDATE
    ), due AS MATERIALIZED (
      SELECT submission_id FROM notifications
       WHERE submission_id IN (SELECT id FROM spam) AND state = 'pending' AND delivered_to = '{}'
         AND next_attempt_at <= now()
       ORDER BY submission_id FOR NO KEY UPDATE
    )
    UPDATE notifications n SET state = 'withheld' FROM due WHERE n.submission_id = due.submission_id`;
}

/** Makes withheld notifications pending, for submissions that are no spam after all. @returns their submissions. */
export async function releaseWithheld(tx: Transaction, submissionIds: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH withheld AS (
      SELECT submission_id FROM notifications
       WHERE submission_id = ANY (${[...submissionIds]}::uuid[]) AND state = 'withheld'
       ORDER BY submission_id FOR UPDATE
    )
    UPDATE notifications n SET state = 'pending', retrying_since = now(), next_attempt_at = now()
      FROM withheld WHERE n.submission_id = withheld.submission_id
    RETURNING n.submission_id::text AS id`;
  return rows.map(({ id }) => id);
}

/**
 * Makes finished notifications pending again that no recipient got, but those of spam. One that was set aside when a
 * backup was restored may have reached some, who do not get it twice. One that was sent twice and came back twice takes
 * another unit of the quota, since a report that it came back may be forged.
 *
 * @returns those that it has reopened.
 */
export function reopenNotifications(tx: Transaction, submissionIds: readonly string[]): Promise<Reopened[]> {
  return tx.$queryRaw`
    WITH finished AS (
      SELECT submission_id FROM notifications n JOIN submissions s ON s.id = n.submission_id AND s.state <> 'spam'
       WHERE submission_id = ANY (${[...submissionIds]}::uuid[])
         AND n.state IN ('failed', 'skipped_quota', 'no_recipient', 'bounced')
       ORDER BY submission_id FOR UPDATE OF n
    )
    UPDATE notifications n
       SET state = 'pending', refused = '{}', retries = 0, unconfirmed = 0, retrying_since = now(), next_attempt_at = now(),
           delivered_to = CASE WHEN n.state = 'bounced' THEN '{}' ELSE n.delivered_to END,
           quota_claimed_at = CASE WHEN n.state = 'bounced'
                                    AND (SELECT count(*) FROM notification_attempts a
                                          WHERE a.submission_id = n.submission_id AND a.outcome = 'sent') > 1
                                   THEN NULL ELSE n.quota_claimed_at END
      FROM finished JOIN submissions s ON s.id = finished.submission_id
     WHERE n.submission_id = finished.submission_id
    RETURNING n.submission_id::text AS "submissionId", s.team_id AS "teamId"`;
}
