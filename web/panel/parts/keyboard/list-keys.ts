import { type RefObject, useRef } from 'react';
import { useText } from '../../language.js';
import { useKeys } from './keys.js';

/** What gets the focus in each row of the table: its link, else its button. */
const focusTargets = (): HTMLElement[] =>
  [...document.querySelectorAll('main tbody tr')].flatMap(
    (row) => row.querySelector<HTMLElement>('a[href], button') ?? [],
  );

/**
 * Gives a page with a table its keys: `j` and `k` go from row to row, `/` to the search.
 *
 * @param search What the search is called.
 * @returns the ref of the text box of the search.
 */
export function useListKeys(search: string): RefObject<HTMLInputElement | null> {
  const t = useText();
  const input = useRef<HTMLInputElement>(null);
  const move = (by: 1 | -1) => {
    const found = focusTargets();
    const row = document.activeElement?.closest('tr');
    const at = found.findIndex((one) => one.closest('tr') === row);
    found[Math.max(0, Math.min(found.length - 1, at + by))]?.focus();
  };
  useKeys([
    { key: 'j', text: t('list.next'), isRepeating: true, run: () => move(1) },
    { key: 'k', text: t('list.previous'), isRepeating: true, run: () => move(-1) },
    { key: '/', text: search, run: () => input.current?.focus() },
  ]);
  return input;
}
