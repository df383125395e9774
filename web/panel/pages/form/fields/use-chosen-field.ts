import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { FieldDraft } from '../form-draft.js';

const route = getRouteApi('/shell/forms/$formId');

/** Returns the field that is edited, which the address names, and what chooses another one. */
export function useChosenField(fields: readonly FieldDraft[]) {
  const { field: named } = route.useSearch();
  const navigate = useNavigate();
  const [successor, setSuccessor] = useState<Readonly<{ of: string; name: string | undefined }> | null>(null);
  // The address changes a moment after the draft; without its field the panel would close and lose the focus.
  const isNamed = fields.some(({ name }) => name === named);
  const chosen = !isNamed && successor?.of === named ? successor?.name : named;

  const list = useRef<HTMLDivElement>(null);
  /** The field whose panel was closed; empty when the last one was deleted. */
  const [left, setLeft] = useState<string | null>(null);
  // To the row of the field whose panel was closed, or to what adds one.
  useEffect(() => {
    if (left === null || chosen !== undefined) return;
    const row = list.current?.querySelector<HTMLElement>(`[role=row][data-key="${CSS.escape(left)}"]`);
    (row ?? list.current?.querySelector('button'))?.focus();
    setLeft(null);
  }, [left, chosen]);

  const show = useCallback(
    (name: string | undefined, replace: boolean) =>
      void navigate({ to: '.', search: (given) => ({ ...given, field: name }), replace }),
    [navigate],
  );

  /** The field that was opened last, other than by an address that was followed. */
  const [opened, setOpened] = useState<string | undefined>();

  return {
    chosen,
    opened,
    /** For the element around the list and what adds a field, where the focus goes from a closed panel. */
    list,
    choose: useCallback(
      (name: string | undefined) => {
        setOpened(name);
        show(name, false);
      },
      [show],
    ),
    /** Goes on to another field, or to none, when one was renamed or deleted. */
    succeed: useCallback(
      (of: string, name: string | undefined) => {
        setSuccessor({ of, name });
        if (name === undefined) setLeft('');
        // *Back* leads to no field that is gone.
        show(name, true);
      },
      [show],
    ),
    /** Closes the panel of a field. */
    leave(name: string): void {
      setLeft(name);
      show(undefined, false);
    },
  };
}
