/** Entries of a page when nobody says how many. */
export const DEFAULT_PAGE = 50;

/** Most fields of one answer: an entry of a list counts one, and one for each field that is asked of it. */
export const MAX_ANSWER = 100_000;

/**
 * Most rows that one statement loads for lists without pages. As entries they are more than an answer may have, so the
 * rows beyond them are never missed.
 */
export const MAX_LOADED = MAX_ANSWER / 2 + 1;
