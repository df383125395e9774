import type { FormDefinition } from './form-definition.js';
import { offeredLocales } from './locales.js';

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

const FIELD_TEXTS = ['label', 'placeholder', 'helpText', 'linkUrl'] as const;

const entry = <T>(record: Record<string, T> | undefined, key: string): T | undefined =>
  record && Object.hasOwn(record, key) ? record[key] : undefined;

/** Lists the texts of a form that fall back on the source in a language, except empty source texts. */
function missingTexts(form: FormDefinition, locale: string): MissingText[] {
  const translated: Partial<Record<string, unknown>> = entry(form.translations, locale) ?? {};
  const own = Object.entries(form.texts).flatMap(([text, source]) =>
    source && !translated[text] ? [{ field: null, option: null, text, source }] : [],
  );
  return [
    ...own,
    ...form.fields.flatMap((field) => {
      const texts = entry(field.translations, locale) ?? {};
      return [
        ...FIELD_TEXTS.flatMap((text) => {
          const source = field[text];
          return source && !texts[text] ? [{ field: field.name, option: null, text, source }] : [];
        }),
        ...field.options.flatMap(({ value, label }) =>
          label && !entry(texts.options, value)
            ? [{ field: field.name, option: value, text: 'label', source: label }]
            : [],
        ),
      ];
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
