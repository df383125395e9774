import { formFaults } from '../../../../src/forms/definition/form-faults.js';
import { recipientRuleFaults } from '../../../../src/forms/recipients/rule-faults.js';
import { type Faults, NO_FAULTS } from './faults.js';
import type { FormDraft } from './form-draft.js';

type Found = readonly Readonly<{ path: readonly (string | number)[]; message: string }>[];

const byPath = (found: Found): Faults =>
  found.length === 0
    ? NO_FAULTS
    : Object.fromEntries(found.map(({ path, message }) => [path.join('.'), [message]]));

/** Finds what the gateway would refuse in the fields and the rules of a draft, all but their patterns. */
export function findFaults(draft: FormDraft): Faults {
  const { fields, sourceLocale, recipientRules } = draft;
  return byPath([
    ...formFaults({ fields, sourceLocale, translations: {} }, { faults: [] }),
    ...recipientRuleFaults(recipientRules, fields).map(({ path, message }) => ({
      path: ['recipientRules', ...path],
      message,
    })),
  ]);
}
