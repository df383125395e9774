import { createContext, type RefCallback } from 'react';
import type { Changes } from '../changes/changes.js';
import type { Shown } from '../changes/chosen.js';
import type { LeadState } from '../search.js';

/** What the inbox gives the lead that is open in it. */
export const LeadContext = createContext<Readonly<{
  changes: Changes;
  /** Gives a lead a state; where it leaves the folder by that, the next one opens. */
  setState(lead: Shown, state: LeadState): void;
  /** Whether leads are selected. */
  isSelecting: boolean;
  /** Gets the focus when the lead is opened. */
  heading: RefCallback<HTMLHeadingElement>;
  focusHeading(): void;
}> | null>(null);
