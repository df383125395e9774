import type { Db, Transaction } from '../../db/client.js';
import { markDaysOf } from '../../db/stale-days.queries.js';
import type { BounceKind } from '../../generated/prisma/client.js';

/** An e-mail about a submission, with the recipients for whom a mail server has accepted it. */
export type ReportedEmail = Readonly<{
  submissionId: string;
  websiteId: string;
  /** The id of the request that sent the submission; null when an earlier version recorded it. */
  requestId: string | null;
  isTestLead: boolean;
  deliveredTo: readonly string[];
  /** Every recipient of an earlier attempt: one whose address was corrected since can still be reported. */
  attempted: readonly string[];
}>;

/** What was reported of an e-mail to a recipient. */
export type ReportedBounce = Readonly<{
  address: string;
  kind: BounceKind;
  status: string | null;
  detail: string;
}>;

/** Finds the e-mail that an envelope sender belongs to; null when its submission is gone. */
export async function findReportedEmail(db: Db, emailId: string): Promise<ReportedEmail | null> {
  const [row] = await db.orm.$queryRaw<ReportedEmail[]>`
    SELECT s.id::text AS "submissionId", s.website_id::text AS "websiteId", s.request_id AS "requestId",
           s.test_recipient IS NOT NULL AS "isTestLead", email.delivered_to AS "deliveredTo",
           ARRAY(SELECT DISTINCT unnest(recipients) FROM notification_attempts
                  WHERE submission_id = ${emailId}::uuid) AS attempted
      FROM (SELECT submission_id, delivered_to FROM notifications WHERE submission_id = ${emailId}::uuid
            UNION ALL
            SELECT submission_id, delivered_to FROM requested_emails WHERE email_id = ${emailId}::uuid) email
      JOIN submissions s ON s.id = email.submission_id LIMIT 1`;
  return row ?? null;
}

/**
 * Records what was reported of an e-mail. A recipient that has bounced stays so, whatever comes later; the latest
 * bounce counts, since the e-mail may have been sent again. What does not say whom it is about replaces no report.
 *
 * @returns how many rows it has changed.
 */
export function recordBounces(
  tx: Transaction,
  email: Readonly<{ emailId: string; submissionId: string; now: Date }>,
  bounces: readonly ReportedBounce[],
): Promise<number> {
  return tx.$executeRaw`
    INSERT INTO bounces (email_id, address, kind, submission_id, status, detail, reported_at)
    SELECT ${email.emailId}::uuid, address, kind::bounce_kind, ${email.submissionId}::uuid, status, detail, ${email.now}
      FROM json_to_recordset(${JSON.stringify(bounces)}::json)
             AS reported (address text, kind text, status text, detail text)
    ON CONFLICT (email_id, address) DO UPDATE
       SET kind = excluded.kind, status = excluded.status, detail = excluded.detail,
           reported_at = excluded.reported_at
     WHERE excluded.kind = 'bounced' OR bounces.kind = 'unreadable'
        OR (bounces.kind = 'delayed' AND excluded.kind = 'delayed')`;
}

/** Locks the notification of a submission, so that concurrent reports about it come one after the other. */
export async function lockNotification(tx: Transaction, submissionId: string): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM notifications WHERE submission_id = ${submissionId}::uuid FOR NO KEY UPDATE`;
}

/** A lead that none of its recipients got, with what staff need to find it. */
export type UndeliveredLead = Readonly<{
  submissionId: string;
  websiteName: string;
  addresses: readonly string[];
  /** Attempts at its notification so far. */
  attempts: number;
  /** Whether an e-mail that was requested may still reach a recipient. */
  isAwaited: boolean;
}>;

/**
 * Finds a submission whose notification has ended, and whose e-mails have all bounced for every recipient that they had
 * reached. What was reported before the latest attempt at a recipient says nothing about that attempt.
 */
export async function findUndelivered(
  tx: Pick<Transaction, '$queryRaw'>,
  submissionId: string,
): Promise<UndeliveredLead | null> {
  const [row] = await tx.$queryRaw<UndeliveredLead[]>`
    WITH delivered AS (
      SELECT submission_id AS email_id, address,
             (SELECT max(started_at) FROM notification_attempts a
               WHERE a.submission_id = n.submission_id AND address = ANY (a.recipients)) AS attempted_at
        FROM notifications n CROSS JOIN unnest(delivered_to) AS address
       WHERE submission_id = ${submissionId}::uuid
      UNION ALL
      SELECT email_id, address, NULL FROM requested_emails CROSS JOIN unnest(delivered_to) AS address
       WHERE submission_id = ${submissionId}::uuid
    )
    SELECT s.id::text AS "submissionId", w.name AS "websiteName",
           ARRAY(SELECT DISTINCT address FROM delivered ORDER BY 1) AS addresses, n.attempts,
           EXISTS (SELECT 1 FROM requested_emails r
                    WHERE r.submission_id = s.id AND r.state = 'pending') AS "isAwaited"
      FROM submissions s JOIN websites w ON w.id = s.website_id JOIN notifications n ON n.submission_id = s.id
     WHERE s.id = ${submissionId}::uuid AND s.test_recipient IS NULL AND EXISTS (SELECT 1 FROM delivered)
       AND n.state <> 'pending'
       AND NOT EXISTS (SELECT 1 FROM delivered d
                        WHERE NOT EXISTS (SELECT 1 FROM bounces b
                                           WHERE b.email_id = d.email_id AND b.address = d.address
                                             AND b.kind = 'bounced'
                                             AND (d.attempted_at IS NULL OR b.reported_at > d.attempted_at)))`;
  return row ?? null;
}

/** Marks the notification of a submission that no recipient got, and its day to be counted anew. */
export async function markBounced(tx: Transaction, submissionId: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE notifications SET state = 'bounced' WHERE submission_id = ${submissionId}::uuid AND state = 'sent'`;
  await markDaysOf(tx, [submissionId]);
}
