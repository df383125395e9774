/** Replaces what PostgreSQL cannot hold, U+0000 and lone surrogates, by U+FFFD. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').replace(/\p{Surrogate}/gu, '\uFFFD');
}
