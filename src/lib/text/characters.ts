/*
 * Lengths in characters, which are code points, as PostgreSQL counts. JavaScript's own `length` counts an emoji twice.
 * Server and browser script share this module.
 */

/** Tells whether a text has more than a number of characters. */
export const isLongerThan = (text: string, characters: number): boolean =>
  text.length > characters && [...text].length > characters;

/** Cuts a text to a number of characters. */
export const firstCharacters = (text: string, characters: number): string =>
  // A character takes two UTF-16 units at most.
  text.length > characters ? [...text.slice(0, 2 * characters)].slice(0, characters).join('') : text;
