/**
 * Creates the function that returns the words in a language.
 *
 * @param fallback Those of every language that is not known.
 */
export function wordsByLocale<Words extends Readonly<{ language: string }>>(
  fallback: Words,
  others: readonly Words[],
): (locale: string) => Words {
  const known = new Map([fallback, ...others].map((words) => [words.language, words]));
  return (locale) => known.get(locale) ?? fallback;
}
