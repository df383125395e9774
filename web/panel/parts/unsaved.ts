import { useEffect } from 'react';

/** How many parts of the page have changes that are not saved. */
let count = 0;

/** Whether something on the page is not saved, and would be lost with it. */
export const hasUnsaved = (): boolean => count > 0;

/** Counts a part of the page as not saved, so that what replaces the page can ask first. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    count += 1;
    return () => {
      count -= 1;
    };
  }, [isDirty]);
}
