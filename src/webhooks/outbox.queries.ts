import type { Transaction } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import type { WebhookEvent } from './webhook-events.js';

/**
 * Builds the part of a statement that writes a delivery for each subject and each active endpoint that is told of it.
 *
 * It stands in the statement that causes the event, so that neither exists without the other. Without an endpoint it
 * reads one index and writes nothing.
 *
 * @param subjects A relation with `team_id`, `website_id` (null: of no website in particular), `form_id`,
 *   `submission_id` (null: about no submission that there still is) and `payload`.
 */
export const insertDeliveries = (type: WebhookEvent, subjects: Prisma.Sql): Prisma.Sql => Prisma.sql`
      INSERT INTO webhook_deliveries (webhook_id, type, submission_id, website_id, form_id, payload)
      SELECT w.id, ${type}, subject.submission_id, subject.website_id, subject.form_id, subject.payload
        FROM ${subjects} subject
        JOIN webhooks w ON w.team_id = subject.team_id AND w.state = 'active' AND ${type} = ANY (w.events)
         AND (w.website_ids = '{}' OR subject.website_id IS NULL OR subject.website_id = ANY (w.website_ids))
         AND (w.form_ids = '{}' OR subject.form_id = ANY (w.form_ids))`;

/**
 * The part of a statement that tells of the submissions which it deletes.
 *
 * Their rows are those of its relation `deleted`, with `id`, `team_id`, `website_id`, `form_id` and `test_recipient`.
 */
export const DELETION_DELIVERIES = insertDeliveries(
  'submission.deleted',
  Prisma.sql`(
          SELECT team_id, website_id, form_id, NULL::uuid AS submission_id,
                 jsonb_build_object('lead_id', id, 'website', jsonb_build_object('id', website_id),
                                    'form', jsonb_build_object('id', form_id)) AS payload
            FROM deleted WHERE test_recipient IS NULL)`,
);

/** What an event about a form says. */
export type FormChange = Readonly<{
  teamId: number;
  formId: number;
  slug: string;
  name: string;
  /** The version that the form has now; null: it is deleted. */
  version: number | null;
  change: 'created' | 'updated' | 'restored' | 'deleted';
}>;

/** Writes the deliveries of a change of a form, in the transaction of the change. */
export async function recordFormChange(tx: Transaction, { teamId, formId, ...payload }: FormChange) {
  const subject = Prisma.sql`(SELECT ${teamId}::int AS team_id, NULL::uuid AS website_id, ${formId}::int AS form_id,
               NULL::uuid AS submission_id, ${JSON.stringify(payload)}::jsonb AS payload)`;
  await tx.$executeRaw(insertDeliveries('form.changed', subject));
}
