import { useEffect } from 'react';

/** How many parts of the panel have changes that are not saved. */
let count = 0;

/** Whether something is not saved, and would be lost with this document. */
export const hasUnsaved = (): boolean => count > 0;

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/** Counts a part as not saved, so that the browser asks before the document is left. @returns what takes that back. */
export function countUnsaved(): () => void {
  count += 1;
  addEventListener('beforeunload', ask);
  return () => {
    count -= 1;
    if (count === 0) removeEventListener('beforeunload', ask);
  };
}

/** Counts a part of the page as not saved, for as long as it stands there. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => (isDirty ? countUnsaved() : undefined), [isDirty]);
}
