import { Prisma } from '../../generated/prisma/client.js';

const { raw } = Prisma;

/**
 * The tables of one kind of e-mail about submissions. Both kinds have the same columns, so that the same statements
 * claim and record them; of a row that is `due`, they differ in recipients and wording.
 */
export type EmailSource = Readonly<{
  /** Ends the names of prepared statements. */
  name: string;
  emails: Prisma.Sql;
  attempts: Prisma.Sql;
  /** The column that identifies an e-mail in both tables. */
  key: Prisma.Sql;
  /** Selects the recipients, of the row `due` and its submission `s`. */
  recipients: Prisma.Sql;
  /** Selects who requested it and how, as JSON for `EmailRequest`; null: the submission itself caused it. */
  request: Prisma.Sql;
  /** Whether the e-mail of a submission that is spam is withheld until some recipient has it. */
  withholdsSpam: boolean;
}>;

const DEFAULTS = `
               nullif((SELECT recipients FROM form_links l
                        WHERE l.website_id = s.website_id AND l.form_id = s.form_id), '{}'),
               nullif((SELECT recipients FROM forms WHERE id = s.form_id), '{}'),
               ARRAY[(SELECT email FROM websites WHERE id = s.website_id)]`;

/** Selects the default recipients of a placement `s`: its own, else the form's, else the website's address. */
export const DEFAULT_RECIPIENTS = raw(`coalesce(${DEFAULTS})`);

/**
 * Selects the recipients of a submission `s`: those of the rules that it matched, else the defaults of today. A test
 * lead has its own alone.
 */
export const CHOSEN_RECIPIENTS =
  raw(`CASE WHEN s.test_recipient IS NOT NULL THEN ARRAY[s.test_recipient] ELSE coalesce(
               (SELECT array_agg(address ORDER BY rule.position, added.position)
                  FROM notifications chosen,
                       jsonb_array_elements(chosen.matched_rules) WITH ORDINALITY AS rule (matched, position),
                       jsonb_array_elements_text(matched -> 'recipients') WITH ORDINALITY AS added (address, position)
                 WHERE chosen.submission_id = s.id),${DEFAULTS}) END`);

/** The e-mails that submissions cause, one each; their key is that of the submission. */
export const NOTIFICATIONS: EmailSource = {
  name: 'notifications',
  emails: raw('notifications'),
  attempts: raw('notification_attempts'),
  key: raw('submission_id'),
  recipients: CHOSEN_RECIPIENTS,
  request: raw('NULL::jsonb'),
  withholdsSpam: true,
};

/** The e-mails that accounts request; each took its unit of the quota with the request. */
export const REQUESTED_EMAILS: EmailSource = {
  name: 'requested-emails',
  emails: raw('requested_emails'),
  attempts: raw('requested_email_attempts'),
  key: raw('email_id'),
  recipients: raw('(SELECT recipients FROM requested_emails WHERE email_id = due.id)'),
  request: raw(`(SELECT jsonb_build_object('kind', kind, 'note', note, 'at', created_at,
                         'by', (SELECT nullif(name, '') FROM users WHERE id = requested_by_id))
                  FROM requested_emails WHERE email_id = due.id)`),
  withholdsSpam: false,
};
