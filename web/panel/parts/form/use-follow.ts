import { useState } from 'react';

/** Takes over what is stored each time it was read anew and has changed, unless something is typed. */
export function useFollow<Stored>(stored: Stored, isDirty: boolean, take: (stored: Stored) => void): void {
  const [seen, setSeen] = useState(stored);
  if (stored === seen) return;
  setSeen(stored);
  if (!isDirty) take(stored);
}
