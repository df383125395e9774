import type { FormDraft } from '../form-draft.js';
import { mergeDrafts } from '../merge-forms.js';
import type { Removed } from './recipes.js';

/** Takes a removal back; what was changed since stays as it is. */
export const restoreField =
  ({ field, before, after }: Removed) =>
  (draft: FormDraft): FormDraft => {
    if (draft.fields.some(({ name }) => name === field.name)) return draft;
    return mergeDrafts({ base: after, mine: draft, theirs: before }).merged;
  };
