import { countUnsaved } from './form/unsaved.js';

/** Notes that are begun and not added yet, by account and lead. They outlast the page, not the document. */
const drafts = new Map<string, string>();

let takeBack: (() => void) | null = null;

/** The text of a note that is begun; empty for none. */
export const noteDraft = (key: string): string => drafts.get(key) ?? '';

/** Keeps the text of a note that is begun, of which the browser then asks before the document is left. */
export function keepNoteDraft(key: string, text: string): void {
  if (text === '') drafts.delete(key);
  else drafts.set(key, text);
  if (drafts.size > 0) takeBack ??= countUnsaved();
  else stopAsking();
}

/** Drops the notes that are begun, after their loss was agreed to. */
export function dropNoteDrafts(): void {
  drafts.clear();
  stopAsking();
}

function stopAsking(): void {
  takeBack?.();
  takeBack = null;
}
