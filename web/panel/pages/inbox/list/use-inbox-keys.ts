import { useQueryClient } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { useText } from '../../../language.js';
import { useKeys } from '../../../parts/keyboard/keys.js';
import type { Changes } from '../changes/changes.js';
import type { Shown } from '../changes/chosen.js';
import { leadQuery } from '../lead/lead-queries.js';
import type { LeadState } from '../search.js';
import type { Selection } from '../selection/selection.js';
import type { Cursor } from './use-cursor.js';
import type { LeadListing } from './use-lead-list.js';

type Props = {
  listing: LeadListing;
  cursor: Cursor;
  /** The lead that is open. */
  open: string | null;
  selection: Selection;
  changes: Changes;
  mayManage: boolean;
  searchInput: RefObject<HTMLInputElement | null>;
  /** Gives a lead a state, and goes on to the next one. */
  setStateOf(lead: Shown, state: LeadState): void;
};

/**
 * Gives the inbox its keys. Those of a state are about the selection, else the lead at the cursor, else the open one.
 */
export function useInboxKeys(props: Props): void {
  const { listing, cursor, open, selection, changes, mayManage, searchInput, setStateOf } = props;
  const t = useText();
  const client = useQueryClient();
  const { at } = cursor;

  const setState = (state: LeadState) => {
    if (selection.chosen) {
      // As the buttons, which are off meanwhile.
      if (changes.progress !== null) return;
      void changes.setState(selection.chosen, state);
      selection.clear();
      return;
    }
    // A lead that was opened by its address may be further down than the list was read, or in another one.
    const lead = listing.rows[at] ?? (open && client.getQueryData(leadQuery(open).queryKey));
    if (lead && selection.isSelectable(lead)) setStateOf(lead, state);
  };

  useKeys([
    { key: 'j', text: t('keys.next'), isRepeating: true, run: () => cursor.move(1) },
    { key: 'k', text: t('keys.previous'), isRepeating: true, run: () => cursor.move(-1) },
    { key: 'Enter', text: t('keys.open'), run: cursor.enter },
    { key: 'Escape', text: t('keys.leave'), run: cursor.leave },
    { key: '/', text: t('keys.search'), run: () => searchInput.current?.focus() },
    ...(mayManage
      ? [
          { key: 'x', text: t('keys.select'), run: () => at >= 0 && selection.toggle(at, false) },
          { key: 'X', text: t('keys.selectTo'), run: () => at >= 0 && selection.toggle(at, true) },
          { key: 'e', text: t('keys.done'), run: () => setState('done') },
          { key: 'i', text: t('keys.inProgress'), run: () => setState('in_progress') },
          { key: '!', text: t('keys.spam'), run: () => setState('spam') },
          { key: 'u', text: t('spam.notSpam'), run: () => setState('new') },
          { key: 'a', text: t('keys.archive'), run: () => setState('archived') },
        ]
      : []),
  ]);
}
