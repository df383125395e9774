import type { Transaction } from '../../db/client.js';
import type { RequestedEmailKind } from '../../generated/prisma/client.js';

/** An e-mail about a submission that an account asks for. */
export type WantedEmail = Readonly<{
  submissionId: string;
  kind: RequestedEmailKind;
  /** Sorted. */
  recipients: readonly string[];
  note: string | null;
}>;

/** A submission whose notification was sent, with those whom it addressed, sorted. */
type SentNotification = Readonly<{ submissionId: string; teamId: number; recipients: string[] }>;

/** Reads those of the notifications that were sent, and keeps their submissions from being deleted meanwhile. */
export const lockSent = (tx: Transaction, submissionIds: readonly string[]): Promise<SentNotification[]> =>
  tx.$queryRaw`
    SELECT n.submission_id::text AS "submissionId", s.team_id AS "teamId",
           ARRAY(SELECT DISTINCT unnest(n.delivered_to || n.refused) ORDER BY 1) AS recipients
      FROM notifications n JOIN submissions s ON s.id = n.submission_id
     WHERE n.submission_id = ANY (${[...submissionIds]}::uuid[]) AND n.state = 'sent'
     ORDER BY s.id FOR KEY SHARE OF s`;

/** Reads which submission exists, and keeps it from being deleted meanwhile. */
export const lockSubmission = (tx: Transaction, id: string): Promise<unknown[]> =>
  tx.$queryRaw`SELECT 1 FROM submissions WHERE id = ${id}::uuid FOR KEY SHARE`;

/**
 * Finds the e-mails among those wanted that were requested already since a moment, and have not failed.
 *
 * @returns their submissions, with the ids of the earlier e-mails.
 */
export const findRepeated = (
  tx: Transaction,
  wanted: readonly WantedEmail[],
  since: Date,
): Promise<{ submissionId: string; id: string }[]> => tx.$queryRaw`
  SELECT DISTINCT ON (wanted."submissionId") wanted."submissionId"::text AS "submissionId", email_id::text AS id
    FROM json_to_recordset(${JSON.stringify(wanted)}::json)
           AS wanted("submissionId" uuid, kind requested_email_kind, recipients text[], note text)
    JOIN requested_emails r ON r.submission_id = wanted."submissionId" AND r.kind = wanted.kind
     AND r.recipients = wanted.recipients AND r.note IS NOT DISTINCT FROM wanted.note AND r.created_at > ${since}
     AND r.state <> 'failed'
   ORDER BY wanted."submissionId", r.created_at DESC`;
