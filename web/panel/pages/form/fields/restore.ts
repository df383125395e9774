import type { FieldDraft, FormDraft } from '../form-draft.js';
import { mergeDrafts } from '../merge-forms.js';
import { withTranslatedLanguages } from '../translations/draft-texts.js';
import { takesOptions } from './attributes.js';
import { changeField, type Recipe, type Removed } from './recipes.js';

/** Takes a removal back; what was changed since stays as it is. */
export const restoreField =
  ({ field, before, after }: Removed) =>
  (draft: FormDraft): FormDraft => {
    if (draft.fields.some(({ name }) => name === field.name)) return draft;
    return mergeDrafts({ base: after, mine: draft, theirs: before }).merged;
  };

/** Brings back something of a field, with the languages that its options are translated into. */
const restored =
  (...change: Parameters<typeof changeField>): Recipe =>
  (draft) =>
    withTranslatedLanguages(changeField(...change)(draft));

/** Takes a change of a field's type back, with what it has dropped. */
export const restoreType = (before: FieldDraft): Recipe => {
  const { name, type, options, isMultiple, isRequired, attributes } = before;
  return restored(name, (field) => ({ ...field, type, options, isMultiple, isRequired, attributes }));
};

/** Takes the removal of an option back, given the field before it, unless another option has its value now. */
export const restoreOption = ({ name, options, isMultiple }: FieldDraft, at: number): Recipe =>
  restored(name, (field) => {
    const option = options[at];
    const isTaken = field.options.some(({ value }) => value === option?.value);
    if (!option || isTaken || !takesOptions(field.type)) return field;
    return {
      ...field,
      options: field.options.toSpliced(at, 0, option),
      // A checkbox lost it with its last option.
      isMultiple: field.isMultiple || (field.options.length === 0 && isMultiple),
    };
  });
