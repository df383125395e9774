import type { FormDefinition } from './form-definition.js';
import { offeredLocales } from './locales.js';

/** A text that a visitor of some language reads in the source language. */
export type MissingText = Readonly<{
  /** Name of the field; null: a text of the form itself. */
  field: string | null;
  /** Value of the option; null: a text of the field itself. */
  option: string | null;
  /** Which text it is, as in `submitButtonText` or `label`. */
  text: string;
  /** What stands there instead. */
  source: string;
}>;

export type MissingTranslations = Readonly<{ locale: string; texts: MissingText[] }>;

const FIELD_TEXTS = ['label', 'placeholder', 'helpText', 'linkUrl'] as const;

const entry = <T>(record: Record<string, T> | undefined, key: string): T | undefined =>
  record && Object.hasOwn(record, key) ? record[key] : undefined;

/** The texts of a form that fall back on the source in a language. An empty source text is none to translate. */
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
 * What a form lacks, for each language that lacks anything.
 *
 * @param locales the languages it should be complete in; null: those it offers.
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
