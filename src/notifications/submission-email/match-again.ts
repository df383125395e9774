import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from '../../db/client.js';
import { FORM_INCLUDE, formContent } from '../../forms/definition/form.mapper.js';
import { decidingRules, matchedRules } from '../../forms/recipients/recipient-rules.js';
import { costlyDriver } from '../../forms/validation/search-budget.js';
import { type MatchedSubmission, readRuled, writeMatchedRules } from './matched-rules.queries.js';

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
  const rows: MatchedSubmission[] = [];
  for (const { id, formId, values, formRules, placementRules } of ruled) {
    const rules = { form: formRules, placement: placementRules ?? [] };
    const fields = fieldsOf.get(formId)!;
    const routing = decidingRules(rules).map(({ when }) => when);
    // The conditions may be newer than the budget that the values were within.
    if (costlyDriver(fields, values, routing) !== null) continue;
    const matched = matchedRules(fields, values, rules);
    rows.push({ id, rules: matched.length > 0 ? matched : null });
    await nextTurn();
  }
  await writeMatchedRules(tx, rows);
}
