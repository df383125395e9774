/** Entries of a page when nobody says how many. */
export const DEFAULT_PAGE = 50;
