/** The part of a form that determines its languages. */
interface Translated {
  sourceLocale: string;
  translations: Record<string, unknown>;
}

/** The inputs of every choice of a language. Locales are lower-case, as in the configuration. */
interface LocaleChoice {
  /** Languages of the form, including its source language. */
  offered: readonly string[];
  source: string;
  websiteLocale: string;
  platformLocales: readonly string[];
}

/** Reduces a language tag to its base language: `en-GB` and `EN_gb` give `en`. */
export function baseLocale(tag: string): string {
  return tag.trim().toLowerCase().split(/[-_]/, 1)[0] ?? '';
}

/** Lists the languages of a form: its source first, then those it has a translation in. */
export function offeredLocales(form: Translated): string[] {
  return [...new Set([form.sourceLocale, ...Object.keys(form.translations)])];
}

/** Finds the offered language that a tag names, exactly or by its base; null when there is none. */
function offeredMatch(tag: string, offered: readonly string[]): string | null {
  const exact = tag.trim().toLowerCase();
  const base = baseLocale(tag);
  return (
    offered.find((locale) => locale.toLowerCase() === exact) ??
    offered.find((locale) => locale.toLowerCase() === base) ??
    null
  );
}

/**
 * Chooses the language of a form definition: the requested one if offered; else, when it is empty or no
 * platform language, the website's if offered; else the source.
 */
export function configurationLocale(requested: string, choice: LocaleChoice): string {
  const match = offeredMatch(requested, choice.offered);
  if (match !== null) return match;
  if (choice.platformLocales.includes(baseLocale(requested))) return choice.source;
  return offeredMatch(choice.websiteLocale, choice.offered) ?? choice.source;
}

/**
 * Chooses the language of a submission and of its answer (guide: What wins over what): that of the rendered form if
 * offered; else the page's if it is a platform language, or the source when the form does not offer it;
 * else the website's if offered; else the source.
 *
 * @param formLocale `form_locale` as sent, or null.
 * @param pageLocale `page_locale` as sent, or null.
 */
export function submissionLocale(
  formLocale: string | null,
  pageLocale: string | null,
  choice: LocaleChoice,
): string {
  const rendered = offeredMatch(formLocale ?? '', choice.offered);
  if (rendered !== null) return rendered;
  const page = baseLocale(pageLocale ?? '');
  if (choice.platformLocales.includes(page)) return offeredMatch(page, choice.offered) ?? choice.source;
  return offeredMatch(choice.websiteLocale, choice.offered) ?? choice.source;
}

/**
 * Chooses the confirmation message of an answer (guide: What wins over what). The placement's own message applies only
 * in the website's language; in any other language the form's translated message applies.
 *
 * @param locale Language of the submission.
 * @param override The placement's message; null or empty means none.
 * @param translated The form's message in `locale`.
 */
export function confirmationMessage(
  locale: string,
  websiteLocale: string,
  override: string | null,
  translated: string,
): string {
  return override && offeredMatch(websiteLocale, [locale]) ? override : translated;
}

/** The languages of the built-in texts of server and browser script. */
export const SPOKEN = ['en', 'fr', 'de', 'es', 'it', 'nl', 'pt'];

/** Index in `SPOKEN` of the language for a locale's built-in texts; English for any other language. */
export const spokenIndex = (locale: string): number => Math.max(0, SPOKEN.indexOf(baseLocale(locale)));
