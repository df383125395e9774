import type { Transaction } from '../../db/client.js';
import type { MatchedRule, RecipientRule } from '../../forms/recipients/recipient-rules.js';

/** A submission whose e-mail rules may choose recipients for, or have chosen them. */
type RuledSubmission = Readonly<{
  id: string;
  formId: number;
  values: Record<string, unknown>;
  formRules: RecipientRule[];
  /** Null: the form is no longer on the website. */
  placementRules: RecipientRule[] | null;
}>;

/** Reads those of the submissions that rules concern, with the rules of today. */
export const readRuled = (tx: Transaction, submissionIds: readonly string[]): Promise<RuledSubmission[]> =>
  tx.$queryRaw`
    SELECT s.id::text AS id, s.form_id AS "formId", s."values", f.recipient_rules AS "formRules",
           l.recipient_rules AS "placementRules"
      FROM submissions s
      JOIN notifications n ON n.submission_id = s.id
      JOIN forms f ON f.id = s.form_id
      LEFT JOIN form_links l ON l.website_id = s.website_id AND l.form_id = s.form_id
     WHERE s.id = ANY (${[...submissionIds]}::uuid[])
       AND (n.matched_rules IS NOT NULL OR f.recipient_rules <> '[]' OR l.recipient_rules <> '[]')`;

/** The rules that choose the recipients of a submission's notification; null: none does. */
export type MatchedSubmission = Readonly<{ id: string; rules: readonly MatchedRule[] | null }>;

/** Writes which rules choose the recipients of notifications. */
export async function writeMatchedRules(tx: Transaction, rows: readonly MatchedSubmission[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE notifications SET matched_rules = matched.rules
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS matched (id uuid, rules jsonb)
     WHERE submission_id = matched.id`;
}
