import { isLongerThan } from '../lib/characters.js';

/** Most characters of a token's name. */
export const MAX_NAME_LENGTH = 255;

/** Control characters, U+0000 among them, and halves of surrogate pairs: nothing that belongs in a name. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** What is wrong with a trimmed value as the name of a token; null when nothing is. */
export function nameFault(name: unknown): string | null {
  if (name === undefined || name === null || name === '') return 'The name is required.';
  if (typeof name !== 'string') return 'The name must be a string.';
  if (UNPRINTABLE.test(name)) return 'The name must not contain control characters.';
  if (isLongerThan(name, MAX_NAME_LENGTH)) return `The name must have at most ${MAX_NAME_LENGTH} characters.`;
  return null;
}
