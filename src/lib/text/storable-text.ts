/** Replaces what PostgreSQL cannot hold, U+0000 and lone surrogates, by U+FFFD. */
export function storableText(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');
}

/** Tells whether PostgreSQL can hold a text. */
export const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);
