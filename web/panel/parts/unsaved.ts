import { useEffect } from 'react';

/** How many parts of the panel have changes that are not saved. */
let count = 0;

/** Whether something is not saved, and would be lost with this document. */
export const hasUnsaved = (): boolean => count > 0;

/** Counts a part as not saved, so that what replaces the document can ask first. @returns what takes that back. */
export function countUnsaved(): () => void {
  count += 1;
  return () => {
    count -= 1;
  };
}

/** Counts a part of the page as not saved, for as long as it stands there. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => (isDirty ? countUnsaved() : undefined), [isDirty]);
}
