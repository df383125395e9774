import type { Db, Transaction } from '../db/client.js';
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
 * @param dueAt When a delivery is due, in terms of `subject`.
 * @param isFor Whether an endpoint `w` is told of a `subject`.
 */
export const insertDeliveries = (
  type: WebhookEvent,
  subjects: Prisma.Sql,
  { dueAt = Prisma.sql`now()`, isFor = Prisma.sql`TRUE` } = {},
): Prisma.Sql => Prisma.sql`
      INSERT INTO webhook_deliveries (webhook_id, type, submission_id, website_id, form_id, payload, next_attempt_at)
      SELECT w.id, ${type}, subject.submission_id, subject.website_id, subject.form_id, subject.payload, ${dueAt}
        FROM ${subjects} subject
        JOIN webhooks w ON w.team_id = subject.team_id AND w.state = 'active' AND ${type} = ANY (w.events)
         AND (w.website_ids = '{}' OR subject.website_id IS NULL OR subject.website_id = ANY (w.website_ids))
         AND (w.form_ids = '{}' OR subject.form_id = ANY (w.form_ids))
       WHERE ${isFor}`;

/** Whether the spam filter has withheld a submission with an id, also when an account has released it since. */
const isQuarantined = (id: Prisma.Sql): Prisma.Sql => Prisma.sql`EXISTS (
           SELECT FROM spam_verdicts v
            WHERE v.submission_id = ${id} AND v.filter = 'quarantine' AND v.score >= v.threshold)`;

/**
 * Whether the e-mail of a submission with an id is withheld, and the spam filter has withheld it before.
 *
 * Every other submission was announced when it came, also one that an account has marked as spam. The deliveries of a
 * quarantined one say to which endpoints it was: those that wait are deleted with the verdict, and the others are kept
 * as long as the submission, since its e-mail may be sent again and withheld again.
 */
const isWithheld = (id: Prisma.Sql): Prisma.Sql => Prisma.sql`(${isQuarantined(id)}
       AND EXISTS (SELECT FROM notifications n WHERE n.submission_id = ${id} AND n.state = 'withheld'))`;

/** Whether the announcement of a submission with an id was not withheld from an endpoint `w`. */
const isAnnounced = (id: Prisma.Sql): Prisma.Sql => Prisma.sql`EXISTS (
           SELECT FROM webhook_deliveries d
            WHERE d.submission_id = ${id} AND d.type = 'submission.created' AND d.webhook_id = w.id)`;

const LEAD_ID = Prisma.sql`subject.lead_id`;

/** What a statement that deletes submissions returns of them, for `DELETION_DELIVERIES`. */
export const DELETED_COLUMNS = Prisma.sql`id, team_id, website_id, form_id, test_recipient, state`;

/**
 * The part of a statement that tells of the submissions which it deletes, those of its relation `deleted`.
 *
 * What is withheld as spam is told to the endpoints that it was announced to. The state is that under the lock of the
 * row, so that a submission which is just released counts as announced.
 */
export const DELETION_DELIVERIES = insertDeliveries(
  'submission.deleted',
  Prisma.sql`(
          SELECT team_id, website_id, form_id, NULL::uuid AS submission_id, id AS lead_id, state,
                 jsonb_build_object('lead_id', id, 'website', jsonb_build_object('id', website_id),
                                    'form', jsonb_build_object('id', form_id)) AS payload
            FROM deleted WHERE test_recipient IS NULL)`,
  { isFor: Prisma.sql`subject.state <> 'spam' OR NOT ${isWithheld(LEAD_ID)} OR ${isAnnounced(LEAD_ID)}` },
);

/** Seconds that the announcement of a submission waits for the verdict of the spam filter, at most. */
const HELD_S = 60;

/**
 * When the announcement of a submission is due: at once, or where a filter may withhold it, with its verdict.
 *
 * The worker that judges makes it due or deletes it. When none does, it is due all the same: a dead worker costs a
 * minute, never the event. `subject` has `is_visitor` beside its columns.
 */
export const DUE_WHEN_JUDGED = Prisma.sql`
        CASE WHEN subject.is_visitor
              AND (SELECT coalesce(f.spam_filter, t.spam_filter) = 'quarantine'
                     FROM forms f JOIN teams t ON t.id = f.team_id WHERE f.id = subject.form_id)
             THEN now() + make_interval(secs => ${HELD_S}) ELSE now() END`;

/** Selects the announcements of submissions that no attempt has begun for, those that a disabled endpoint ended too. */
const unannounced = (submissionIds: Prisma.Sql): Prisma.Sql => Prisma.sql`
  type = 'submission.created' AND attempts = 0 AND submission_id IN ${submissionIds}`;

/** The part of a statement that announces no submission whose e-mail it withholds: those of its relation `withheld`. */
export const WITHHELD_DELIVERIES = Prisma.sql`
      DELETE FROM webhook_deliveries WHERE ${unannounced(Prisma.sql`(SELECT id FROM withheld)`)}`;

/** Makes the announcements of submissions due that have been judged. */
export async function releaseDeliveries(db: Db, submissionIds: readonly string[]): Promise<void> {
  await db.sql(
    Prisma.sql`
    UPDATE webhook_deliveries SET next_attempt_at = now()
     WHERE ${unannounced(Prisma.sql`(SELECT unnest(${[...submissionIds]}::uuid[]))`)}
       AND state = 'pending' AND next_attempt_at > now()`,
    'release-webhook-deliveries',
  );
}

/**
 * The part of a statement that announces withheld submissions which an account takes out of the spam, to the endpoints
 * that they were not announced to: those of its relation `changed`, with `team_id`, `website_id`, `form_id` and the
 * `state` before.
 */
export const releasedDeliveries = (state: string): Prisma.Sql =>
  insertDeliveries(
    'submission.created',
    Prisma.sql`(
          SELECT team_id, website_id, form_id, id AS submission_id, id AS lead_id,
                 jsonb_build_object('state', ${state}::text) AS payload
            FROM changed WHERE state = 'spam' AND ${isWithheld(Prisma.sql`changed.id`)})`,
    { isFor: Prisma.sql`NOT ${isAnnounced(LEAD_ID)}` },
  );

/** Whether a delivery `d` still says to whom a submission was announced that the spam filter withheld, or may yet. */
export const IS_REMEMBERED = Prisma.sql`(d.type = 'submission.created' AND (${isQuarantined(Prisma.sql`d.submission_id`)}
         OR EXISTS (SELECT FROM notifications n WHERE n.submission_id = d.submission_id AND n.state = 'pending')))`;

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
