import type { FormDefinition, FormTranslation } from './form-definition.js';
import { fieldTexts, formTexts } from './form-texts.js';
import { offeredLocales } from './locales.js';
import { entry } from './translate.js';

/** A text without a translation, which visitors read in the source language. */
export type MissingText = Readonly<{
  /** Name of the field; null for a text of the form itself. */
  field: string | null;
  /** Value of the option; null for a text of the field itself. */
  option: string | null;
  /** Key of the text, as in `submitButtonText` or `label`. */
  text: string;
  /** The source text that is shown instead. */
  source: string;
}>;

export type MissingTranslations = Readonly<{ locale: string; texts: MissingText[] }>;

/** Lists the texts of a form that fall back on the source in a language, except empty source texts. */
function missingTexts(form: FormDefinition, locale: string): MissingText[] {
  const own: FormTranslation = entry(form.translations, locale) ?? {};
  return [
    ...formTexts(form.texts).flatMap(({ place, source }): MissingText[] =>
      source && !own[place.text] ? [{ field: null, option: null, text: place.text, source }] : [],
    ),
    ...form.fields.flatMap((field, position) => {
      const translation = entry(field.translations, locale) ?? {};
      return fieldTexts(field, position).flatMap(({ place, source }): MissingText[] => {
        const option = place.option === null ? null : field.options[place.option]!.value;
        const translated = option === null ? translation[place.text] : entry(translation.options, option);
        return source && !translated ? [{ field: field.name, option, text: place.text, source }] : [];
      });
    }),
  ];
}

/**
 * Lists a form's missing translations, for each language that has any.
 *
 * @param locales the languages to check; null means those the form offers.
 */
export function missingTranslations(
  form: FormDefinition,
  locales: readonly string[] | null,
): MissingTranslations[] {
  return (locales ?? offeredLocales(form))
    .filter((locale) => locale !== form.sourceLocale)
    .map((locale) => ({ locale, texts: missingTexts(form, locale) }))
    .filter(({ texts }) => texts.length > 0);
}
