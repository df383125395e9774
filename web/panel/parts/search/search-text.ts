import { useEffect, useRef, useState } from 'react';

/** How long typing rests before it is searched for. */
export const REST_MS = 200;

/** Called with the text to search for, and whether it replaces an earlier one. */
type Search = (wanted: string | undefined, isAnother: boolean) => void;

/** Holds what is typed in a search box whose search stands in the address, and searches when typing rests. */
export function useSearchText(q: string | undefined, search: Search) {
  const [text, setText] = useState(q ?? '');
  const searched = useRef(q);
  const latest = useRef(search);
  latest.current = search;

  // What comes from the address, as by *Back*, and not from typing.
  useEffect(() => {
    if (searched.current === q) return;
    searched.current = q;
    setText(q ?? '');
  }, [q]);

  useEffect(() => {
    const wanted = text.trim() || undefined;
    if (wanted === searched.current) return;
    const timer = setTimeout(() => {
      const isAnother = searched.current !== undefined;
      searched.current = wanted;
      latest.current(wanted, isAnother);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [text]);

  return [text, setText] as const;
}
