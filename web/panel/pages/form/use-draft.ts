import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useText } from '../../language.js';
import type { Choices } from '../../parts/merge/merge.js';
import { isSame } from '../../parts/merge/same.js';
import { say } from '../../parts/overlays/toasts.js';
import { useMayManage } from '../../session.js';
import { blankTexts, carryFaults, type Faults, faultsBeside, NO_FAULTS, unenforcedFaults } from './faults.js';
import { type FormDraft, formQuery, type SavedForm } from './queries.js';
import type { Edited, SaveConflict } from './saving.js';

/**
 * Edits the draft: returns a new one, in which what is not changed is the same object as before. Without the right to
 * save it, nothing is edited.
 */
export type Change = (recipe: (draft: FormDraft) => FormDraft) => void;

/** Counts a text that is typed and not in the draft yet as a change, until the function that it returns is called. */
export type Hold = () => () => void;

/** What every tab of the form page is given. */
export type TabProps = Readonly<{
  /** The form as it was last read or saved. */
  form: SavedForm;
  draft: FormDraft;
  change: Change;
  hold: Hold;
  faults: Faults;
}>;

type State = Edited &
  Readonly<{
    faults: Faults;
    /** What another has saved meanwhile, where both have changed the same. */
    conflict: SaveConflict | null;
    /** Counts the refusals, so that each leads to its first fault. */
    refusals: number;
    /** The draft as the last refusal left it. */
    refused: FormDraft | null;
  }>;

const fresh = (form: SavedForm): State => ({
  form,
  draft: form.content,
  faults: unenforcedFaults(form),
  conflict: null,
  refusals: 0,
  refused: null,
});

/** What only edits need, loaded with the first one. */
const loadChecks = () => import('./find-faults.js');
const loadSaving = () => import('./saving.js');

/** Returns the function that finds what visitors would miss and, once something is typed, what would be refused. */
function useFindFaults(isDirty: boolean): (draft: FormDraft) => Faults {
  const [checks, setChecks] = useState<Awaited<ReturnType<typeof loadChecks>> | null>(null);
  useEffect(() => {
    if (!isDirty) return;
    void loadChecks().then(setChecks);
    void Promise.allSettled([loadSaving()]);
  }, [isDirty]);
  return useCallback((draft) => ({ ...blankTexts(draft), ...checks?.findFaults(draft) }), [checks]);
}

/**
 * Holds a form while it is edited. It is saved over the version that was read, and merged with what was saved
 * meanwhile.
 */
export function useDraft(read: SavedForm) {
  const t = useText();
  const client = useQueryClient();
  const mayManage = useMayManage(read.teamId);
  const [state, setState] = useState(() => fresh(read));
  const { form, draft, conflict } = state;
  const [held, setHeld] = useState(0);
  const isDirty = draft !== form.content || held > 0;

  const change = useCallback<Change>(
    (recipe) => {
      if (!mayManage) return;
      setState((before) => {
        const changed = recipe(before.draft);
        const { content } = before.form;
        // What is taken back leaves nothing to save.
        const after = isSame(changed, content) ? content : changed;
        return { ...before, draft: after, faults: carryFaults(before.faults, before.draft, after) };
      });
    },
    [mayManage],
  );

  const hold = useCallback<Hold>(() => {
    setHeld((count) => count + 1);
    return () => setHeld((count) => count - 1);
  }, []);

  // A newer version that came by another way, such as a restored one.
  useEffect(() => {
    setState((before) =>
      read.version > before.form.version && before.draft === before.form.content ? fresh(read) : before,
    );
  }, [read]);

  const find = useFindFaults(isDirty);
  const save = useMutation({
    mutationFn: async (sent: Edited) => {
      const { rebase, saveEdited } = await loadSaving();
      return { saving: await saveEdited(sent), rebase };
    },
    onSuccess: ({ saving, rebase }, sent) => {
      /** Takes over what was saved, or what the draft was merged into, with what was typed since. */
      const adopt = (now: State, { form, draft }: Edited): State => ({
        ...now,
        form,
        draft: rebase(sent.draft, now.draft, draft),
      });
      if (saving.outcome === 'conflict') {
        setState((now) => ({ ...adopt(now, saving.conflict), conflict: saving.conflict }));
        return;
      }
      if (saving.outcome === 'refused') {
        const { edited, faults } = saving;
        setState((now) => {
          const next = adopt(now, edited);
          // What the page finds itself is known as long as it is there, also where it is mended elsewhere.
          const others = faultsBeside(faults, find(edited.draft));
          const carried = carryFaults(others, edited.draft, next.draft);
          return { ...next, faults: carried, refusals: now.refusals + 1, refused: next.draft };
        });
        return;
      }
      const { saved, isMerged } = saving;
      client.setQueryData(formQuery(saved.id).queryKey, saved);
      void client.invalidateQueries({ queryKey: ['form', saved.id, 'fields'] });
      void client.invalidateQueries({ queryKey: ['forms'] });
      setState((now) => ({
        ...adopt(now, { form: saved, draft: saved.content }),
        faults: NO_FAULTS,
      }));
      say(t(isMerged ? 'form.savedMerged' : 'form.saved'));
    },
  });

  const settled = useDeferredValue(draft);
  const faults = useMemo(() => ({ ...state.faults, ...find(settled) }), [state.faults, settled, find]);

  /** Saves again, with the chosen side of each collision. */
  const decide = async (choices: Choices) => {
    if (!conflict) return;
    const { resolveConflict } = await loadSaving();
    const edited = resolveConflict({ ...conflict, draft }, choices);
    setState((now) => ({ ...now, ...edited, conflict: null }));
    save.mutate(edited);
  };

  return {
    form,
    draft,
    change,
    hold,
    faults,
    conflict,
    refusals: state.refusals,
    refused: state.refused,
    isDirty,
    isSaving: save.isPending,
    /** Why nothing came of the last save, when it is not for faults of the draft. */
    error: save.error,
    save: () => save.mutate({ form, draft }),
    decide,
    closeConflict: () => setState((now) => ({ ...now, conflict: null })),
  };
}
