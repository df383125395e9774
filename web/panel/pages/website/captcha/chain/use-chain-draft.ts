import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useIntl } from 'react-intl';
import { GatewayError, isConflict } from '../../../../graphql.js';
import { chainQuery, type StoredChain, saveChain } from '../queries.js';
import {
  draftOf,
  faultsOf,
  fieldAt,
  inputOf,
  isChainChanged,
  rebase,
  type StepDraft,
  type StepField,
} from './draft.js';

/** Changes of a chain, and the version of it that they were made to. */
type Edit = Readonly<{ base: StoredChain; steps: readonly StepDraft[] }>;

/** Makes another chain of the present steps, given those that they are a change of. */
type Recipe = (steps: readonly StepDraft[], before: readonly StepDraft[]) => readonly StepDraft[];

/** A fault in words of the gateway, about the field as it was sent. */
type Refused = Readonly<{ id: string; field: StepField; message: string; sent: StepDraft }>;

function refusedFields(error: Error | null, sent: readonly StepDraft[]): Refused[] {
  if (!(error instanceof GatewayError)) return [];
  return Object.entries(error.fields).flatMap(([path, [message = '']]) => {
    const at = fieldAt(sent, path);
    return at ? [{ ...at, message, sent: sent.find(({ id }) => id === at.id)! }] : [];
  });
}

/** Whether a field still is as it was sent. */
const isUnchanged = (step: StepDraft, { field, sent }: Refused): boolean =>
  field === 'key' ? step.identifier === sent.identifier : step[field] === sent[field];

/**
 * Holds the changes of a chain until they are saved. As long as there are none the stored chain shows, also when
 * another viewer changes it; with changes, the one that they began with.
 */
export function useChainDraft(
  websiteId: string,
  stored: StoredChain,
  onSaved: (sent: readonly StepDraft[]) => void,
) {
  const { formatNumber } = useIntl();
  const client = useQueryClient();
  const [edit, setEdit] = useState<Edit | null>(null);
  const [isTried, setTried] = useState(false);
  const decimal = formatNumber(1.5).charAt(1);
  const base = edit?.base ?? stored;
  const before = useMemo(() => draftOf(base.steps, decimal), [base, decimal]);
  const steps = edit?.steps ?? before;
  /** Returns the chain as it was last read, also to a function that an earlier render has made. */
  const latest = (): StoredChain => client.getQueryData(chainQuery(websiteId).queryKey) ?? stored;

  /** Shows the stored chain. @returns what brings the changes back. */
  const discard = () => {
    setEdit(null);
    setTried(false);
    save.reset();
    return () => setEdit(edit);
  };

  const save = useMutation({
    mutationFn: ({ steps: links, version }: { steps: readonly StepDraft[]; version: string }) =>
      saveChain({ id: websiteId, links: inputOf(links), version }),
    onSuccess: async (_, { steps: sent }) => {
      // Other tabs tell of the chain as well.
      await client.invalidateQueries({ queryKey: ['website', websiteId] });
      // What was typed while the chain was sent is a change of the one that is saved now.
      setEdit((current) =>
        !current || current.steps === sent ? null : { base: latest(), steps: rebase(current.steps, sent) },
      );
      setTried(false);
      save.reset();
      onSaved(sent);
    },
    onError: (error) => {
      // So that it can be told what the other one has made of it.
      if (isConflict(error)) return client.invalidateQueries(chainQuery(websiteId));
    },
  });

  // What is taken back leaves nothing to save; while the chain is sent, it is a change of what is saved then.
  if (edit && !save.isPending && JSON.stringify(edit.steps) === JSON.stringify(before)) setEdit(null);

  return {
    steps,
    before,
    /** The steps as they are stored by now. */
    theirs: useMemo(() => draftOf(stored.steps, decimal), [stored, decimal]),
    /** The version that the changes were made to. */
    version: base.version,
    isDirty: isChainChanged(steps, before),
    save,
    isTried,
    /** Shows from now on what is wrong. @returns the first fault. */
    showFaults() {
      setTried(true);
      return faultsOf(steps)[0];
    },
    faults: isTried ? faultsOf(steps) : [],
    /** What the gateway has refused and is not mended yet. */
    refused: refusedFields(save.error, save.variables?.steps ?? []).filter((one) => {
      const step = steps.find(({ id }) => id === one.id);
      return step && isUnchanged(step, one);
    }),
    hasConflict: isConflict(save.error),
    /** Changes the steps, also long after the render: *Undo* in a message is pressed after others. */
    change(recipe: Recipe) {
      setEdit((current) => {
        const from = current?.base ?? latest();
        const found = draftOf(from.steps, decimal);
        return { base: from, steps: recipe(current?.steps ?? found, found) };
      });
    },
    discard,
  };
}
