import { isLongerThan } from '../lib/text/characters.js';

/** Maximum length of a token's name, in characters. */
export const MAX_NAME_LENGTH = 255;

/** Matches control characters, U+0000 included, and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}]/u;

/** Returns the error of a trimmed value as the name of a token; null when it is valid. */
export function nameFault(name: unknown): string | null {
  if (name === undefined || name === null || name === '') return 'The name is required.';
  if (typeof name !== 'string') return 'The name must be a string.';
  if (UNPRINTABLE.test(name)) return 'The name must not contain control characters.';
  if (isLongerThan(name, MAX_NAME_LENGTH)) return `The name must have at most ${MAX_NAME_LENGTH} characters.`;
  return null;
}
