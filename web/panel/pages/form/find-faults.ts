import { formFaults } from '../../../../src/forms/definition/form-faults.js';
import { isBlank } from '../../../../src/forms/definition/form-texts.js';
import { recipientRuleFaults } from '../../../../src/forms/recipients/rule-faults.js';
import { type Faults, NO_FAULTS } from './faults.js';
import type { FormDraft } from './form-draft.js';

/** Finds the labels without which visitors see a field or an option and do not know what it is. The gateway takes them. */
const missingLabels = (fields: FormDraft['fields']) =>
  fields.flatMap(({ type, label, options }, index) => {
    if (type === 'hidden') return [];
    const labels = [
      { path: ['label'], label },
      ...options.map((option, at) => ({ path: ['options', at, 'label'], label: option.label })),
    ];
    return labels
      .filter((one) => isBlank(one.label))
      .map(({ path }) => ({ path: ['fields', index, ...path], message: 'must not be empty' }));
  });

/** Finds what is to be mended in the fields and the rules of a draft, all but their patterns. */
export function findFaults(draft: FormDraft): Faults {
  const { fields, sourceLocale, recipientRules } = draft;
  const found = [
    ...formFaults({ fields, sourceLocale, translations: {} }, { faults: [] }),
    ...missingLabels(fields),
    ...recipientRuleFaults(recipientRules, fields).map(({ path, message }) => ({
      path: ['recipientRules', ...path],
      message,
    })),
  ];
  if (found.length === 0) return NO_FAULTS;
  return Object.fromEntries(found.map(({ path, message }) => [path.join('.'), [message]]));
}
