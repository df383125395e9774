import { CONTEXT_FIELDS } from '../../../../../src/forms/validation/context-fields.js';

/** Names of fields that the gateway takes. */
const NAME = /^[A-Za-z_][\w.-]{0,99}$/;

/** Room that a proposed name leaves for a number behind it. */
const MAX_STEM = 90;

/** Why a name cannot be that of a field; null when it can. */
export function nameFault(name: string, taken: readonly string[]): 'form' | 'reserved' | 'taken' | null {
  if (!NAME.test(name)) return 'form';
  if (CONTEXT_FIELDS.has(name)) return 'reserved';
  return taken.includes(name) ? 'taken' : null;
}

/** Adds a number to a text that is taken. */
export function unique(stem: string, isTaken: (text: string) => boolean): string {
  let text = stem;
  for (let number = 2; isTaken(text); number += 1) text = `${stem}_${number}`;
  return text;
}

/** Writes a text in small letters of the alphabet, digits and underscores. */
export const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, MAX_STEM);

/** Proposes the name of a field from its label: short, plain, and not that of another one. */
export function proposeName(label: string, taken: readonly string[]): string {
  const written = plain(label);
  const stem = /^[a-z]/.test(written) ? written : `field${written && `_${written}`}`;
  return unique(stem, (name) => nameFault(name, taken) !== null);
}
