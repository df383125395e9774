import { formFaults } from '../../../../src/forms/definition/form-faults.js';
import { isBlank } from '../../../../src/forms/definition/form-texts.js';
import { recipientRuleFaults } from '../../../../src/forms/recipients/rule-faults.js';
import { type Faults, NO_FAULTS } from './faults.js';
import type { FormDraft } from './form-draft.js';

type Found = readonly Readonly<{ path: readonly (string | number)[]; message: string }>[];

const byPath = (found: Found): Faults =>
  found.length === 0
    ? NO_FAULTS
    : Object.fromEntries(found.map(({ path, message }) => [path.join('.'), [message]]));

/** Finds the labels without which visitors see a field or an option and do not know what it is. The gateway takes them. */
export function findMissingLabels({ fields }: FormDraft): Faults {
  const found = fields.flatMap(({ type, label, options }, index) => {
    if (type === 'hidden') return [];
    const labels = [
      { path: ['label'], label },
      ...options.map((option, at) => ({ path: ['options', at, 'label'], label: option.label })),
    ];
    return labels
      .filter((one) => isBlank(one.label))
      .map(({ path }) => ({ path: ['fields', index, ...path], message: 'must not be empty' }));
  });
  return byPath(found);
}

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
