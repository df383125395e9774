import type { Transaction } from '../../db/client.js';
import type { Fault } from '../../lib/faults.js';
import { FORM_INCLUDE, formContent } from '../definition/form.mapper.js';
import type { RecipientRule } from '../recipients/recipient-rules.js';
import { recipientRuleFaults } from '../recipients/rule-faults.js';

/**
 * Checks the recipient rules of a placement against the fields of its form. A rule whose field is deleted later does
 * not keep the form from being saved: it no longer matches.
 *
 * @returns every fault, its path starting at the list of rules.
 */
export async function placementRuleFaults(
  tx: Pick<Transaction, 'form'>,
  formId: number,
  rules: readonly RecipientRule[],
): Promise<Fault[]> {
  if (rules.length === 0) return [];
  const form = await tx.form.findUnique({ where: { id: formId }, include: FORM_INCLUDE });
  return form ? recipientRuleFaults(rules, formContent(form).fields) : [];
}
