import { withoutAccents } from '../lib/text/decompose.js';

/** Characters without a width, which senders put into words to hide them from filters. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+/g;

/** Matches a word of plain text: letters, digits and apostrophes between them. */
const WORD = /[\p{L}\p{N}]+(?:'[\p{L}\p{N}]+)*/gu;

/** Reduces a text to what comparisons look at: lower-case, without accents and invisible characters, single spaces. */
export const plainText = (text: string): string =>
  withoutAccents(text)
    .replace(INVISIBLE, '')
    .toLowerCase()
    .replace(/[’‘`´]/g, "'")
    .replace(/\s+/g, ' ')
    .trim();

/** Splits plain text into words. */
export const wordsOf = (plain: string): string[] => plain.match(WORD) ?? [];

/** Matches a word as it was typed. */
const TYPED_WORD = /[\p{L}\p{M}\p{N}]+(?:['’‘`´][\p{L}\p{M}\p{N}]+)*/gu;

/** Tells how the words of plain text were typed, in lower case. */
export const spellingsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(Array.from(text.match(TYPED_WORD) ?? [], (word) => [plainText(word), word.toLowerCase()]));
