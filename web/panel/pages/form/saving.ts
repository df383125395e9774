import { isConflict } from '../../graphql.js';
import { refusedFields } from '../../parts/form/refused-fields.js';
import type { Choices, Collision } from '../../parts/merge/merge.js';
import { isSame } from '../../parts/merge/same.js';
import { blankTexts, type Faults, faultsOf, NO_FAULTS } from './faults.js';
import { mergeDrafts } from './merge-forms.js';
import { type FormDraft, readForm, type SavedForm, saveForm } from './queries.js';

/** A draft, over the form that it began with. */
export type Edited = Readonly<{ form: SavedForm; draft: FormDraft }>;

/** A draft and a version that was saved meanwhile, which changed the same things differently. */
export type SaveConflict = Edited & Readonly<{ theirs: SavedForm; collisions: readonly Collision[] }>;

/** What came of a save. `edited` is what was sent last: the draft, with what another has changed meanwhile. */
export type Saving =
  | Readonly<{ outcome: 'saved'; saved: SavedForm; isMerged: boolean }>
  | Readonly<{ outcome: 'refused'; faults: Faults; edited: Edited }>
  | Readonly<{ outcome: 'conflict'; conflict: SaveConflict }>;

/** Maximum number of saves of a draft, each merged with a newer version, before it gives up. */
const MAX_ATTEMPTS = 3;

/**
 * Saves a draft in which no text is blank that visitors need. What was saved meanwhile is merged into it, and it is
 * sent again, unless both have changed the same.
 */
export async function saveEdited(edited: Edited): Promise<Saving> {
  let { form, draft } = edited;
  for (let attempt = 1; ; attempt += 1) {
    const blank = blankTexts(draft);
    if (blank !== NO_FAULTS) return { outcome: 'refused', faults: blank, edited: { form, draft } };
    try {
      const saved = await saveForm(form.id, form.version, draft);
      return { outcome: 'saved', saved, isMerged: attempt > 1 };
    } catch (error) {
      const refused = refusedFields(error);
      if (refused) return { outcome: 'refused', faults: faultsOf(refused), edited: { form, draft } };
      if (!isConflict(error) || attempt === MAX_ATTEMPTS) throw error;
      const theirs = await readForm(form.id);
      if (theirs.version === form.version) throw error;
      const { merged, collisions } = mergeDrafts({ base: form.content, mine: draft, theirs: theirs.content });
      if (collisions.length > 0)
        return { outcome: 'conflict', conflict: { form, draft, theirs, collisions } };
      form = theirs;
      draft = merged;
    }
  }
}

/** Carries what was typed since a draft was sent over to what came of it: the same object where nothing was. */
export function rebase(sent: FormDraft, now: FormDraft, saved: FormDraft): FormDraft {
  if (now === sent) return saved;
  const { merged } = mergeDrafts({ base: sent, mine: now, theirs: saved });
  return isSame(merged, saved) ? saved : merged;
}

/** Returns the draft with the chosen side of each collision, over what was saved meanwhile. */
export const resolveConflict = ({ form, draft, theirs }: SaveConflict, choices: Choices): Edited => ({
  form: theirs,
  draft: mergeDrafts({ base: form.content, mine: draft, theirs: theirs.content }, choices).merged,
});
