import type { Message } from '../message.js';

/** Maximum number of a word's characters that are looked at, which bounds what its patterns may go back over. */
const MAX_WORD = 64;

const LONG = /^\w{8,}$/;

/** Consonants in a row at the begin of a word. */
const CONSONANTS = /^[b-df-hj-np-tv-z]{7}/;

/** A capital that follows a small letter; `isRandom` asks for three of them. */
const CAPITAL_WITHIN = /[a-z][A-Z]/g;

/** Capitals within a word, and two in a row later. */
const CAPITALS = /[a-z][A-Z]+[a-z]\w*[A-Z]{2}/;

/** Tells whether a word was drawn at random: capitals again and again within it, or consonants in a row. */
function isRandom(whole: string): boolean {
  const word = whole.slice(0, MAX_WORD);
  if (!LONG.test(word)) return false;
  return CONSONANTS.test(word) || (word.match(CAPITAL_WITHIN)?.length ?? 0) >= 3 || CAPITALS.test(word);
}

/** Tells whether at least half of a text's words were drawn at random. */
export function isGibberish({ text }: Pick<Message, 'text'>): boolean {
  const words = text.split(/\s+/).filter((word) => word.length > 0);
  const random = words.filter(isRandom);
  return random.length > 0 && random.length * 2 >= words.length;
}
