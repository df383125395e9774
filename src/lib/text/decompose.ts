/**
 * Characters that decompose to marks without a base. Normalisation sorts each run of marks, which takes the square of
 * its length; no word of any language has more than 30 (UAX #15, Stream-Safe Text Format).
 */
const LONG_RUN = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Decomposes a text for comparisons (NFKD): accents stand behind their letters. Of a longer run of marks 30 stay. */
export const decompose = (text: string): string => text.replace(LONG_RUN, '$1').normalize('NFKD');

const ACCENTS = /[\u0300-\u036f]+/g;

/** Decomposes a text and leaves its accents out. */
export const withoutAccents = (text: string): string => decompose(text).replace(ACCENTS, '');
