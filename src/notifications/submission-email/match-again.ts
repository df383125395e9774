import type { Transaction } from '../../db/client.js';
import { FORM_INCLUDE, formContent } from '../../forms/definition/form.mapper.js';
import { matchedRules } from '../../forms/recipients/recipient-rules.js';
import { readRuled, writeMatchedRules } from './matched-rules.queries.js';

/**
 * Decides by the rules and the form of today who gets the e-mails about submissions that are sent again, so that they
 * reach an address that was put right meanwhile. The caller holds the locks of the notifications.
 */
export async function matchAgain(tx: Transaction, submissionIds: readonly string[]): Promise<void> {
  const ruled = await readRuled(tx, submissionIds);
  if (ruled.length === 0) return;
  const ids = [...new Set(ruled.map(({ formId }) => formId))];
  const forms = await tx.form.findMany({ where: { id: { in: ids } }, include: FORM_INCLUDE });
  const fieldsOf = new Map(forms.map((form) => [form.id, formContent(form).fields]));
  const rows = ruled.map(({ id, formId, values, formRules, placementRules }) => {
    const rules = { form: formRules, placement: placementRules ?? [] };
    const matched = matchedRules(fieldsOf.get(formId)!, values, rules);
    return { id, rules: matched.length > 0 ? matched : null };
  });
  await writeMatchedRules(tx, rows);
}
