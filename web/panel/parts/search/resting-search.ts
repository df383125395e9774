import { useEffect, useRef } from 'react';
import { REST_MS } from './search-text.js';

/** Returns a function that searches for a trimmed text when typing rests; an empty text does not wait. */
export function useRestingSearch(search: ((text: string) => void) | undefined): (text: string) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => () => clearTimeout(timer.current), []);
  return (text) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current?.(text.trim()), text ? REST_MS : 0);
  };
}
