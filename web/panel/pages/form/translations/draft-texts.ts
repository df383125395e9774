import {
  FIELD_TEXT_NAMES,
  type FieldPlace,
  type FieldTextName,
  FORM_TEXT_NAMES,
  type FormTextName,
  fieldTexts,
  formTexts,
  isBlank,
  type OwnPlace,
  type SourceText,
  type TextPlace,
} from '../../../../../src/forms/definition/form-texts.js';

type Texts<Name extends string> = Readonly<Record<Name, string | null>>;
type Translations<Name extends string> = readonly (Readonly<{ locale: string }> & Texts<Name>)[];

/** A field as far as its texts and their translations go. */
type TranslatedField = Omit<Texts<FieldTextName>, 'label'> &
  Readonly<{
    name: string;
    label: string;
    options: readonly Readonly<{ value: string; label: string; translations: OptionTranslations }>[];
    translations: Translations<FieldTextName>;
  }>;

type OptionTranslations = readonly Readonly<{ locale: string; label: string }>[];

/** A draft as far as its texts and their translations go. */
export type TranslatedForm = Texts<FormTextName> &
  Readonly<{
    sourceLocale: string;
    fields: readonly TranslatedField[];
    translations: Translations<FormTextName>;
  }>;

/** A text with the key that names it in files: `submitButtonText`, `topic/label`, `topic/option/quote`. */
export type DraftText<Place = TextPlace> = SourceText<Place> & Readonly<{ key: string }>;

type Located = Readonly<{ locale: string }>;

const inLocale = <Entry extends Located>(entries: readonly Entry[], locale: string): Entry | undefined =>
  entries.find((entry) => entry.locale === locale);

/** Lists the languages of a draft beside its source. */
export const targetLocales = ({ translations }: TranslatedForm): string[] =>
  translations.map(({ locale }) => locale);

/** Lists the texts of the form itself, in the source language. */
export const ownTexts = (draft: TranslatedForm): DraftText<OwnPlace>[] =>
  formTexts(draft).map((text) => ({ ...text, key: text.place.text }));

/** Lists the texts of a field and its options, in the source language. */
export const textsOfField = (field: TranslatedField, position: number): DraftText<FieldPlace>[] =>
  fieldTexts(field, position).map((text) => ({
    ...text,
    // The name of a field has no slash, so no two keys are the same whatever the option's value.
    key:
      text.place.option === null
        ? `${field.name}/${text.place.text}`
        : `${field.name}/option/${field.options[text.place.option]!.value}`,
  }));

/** Lists every text of a draft, in the order of the form. */
export const textsOf = (draft: TranslatedForm): DraftText[] => [
  ...ownTexts(draft),
  ...draft.fields.flatMap((field, position) => textsOfField(field, position)),
];

/** Returns the translation of a text of the form itself; empty where there is none. */
export const ownTranslation = (draft: TranslatedForm, text: FormTextName, locale: string): string =>
  inLocale(draft.translations, locale)?.[text] ?? '';

/** Returns the translation of a text of a field or of one of its options; empty where there is none. */
export const fieldTranslation = (
  field: TranslatedField,
  { option, text }: Readonly<{ option: number | null; text: FieldTextName }>,
  locale: string,
): string =>
  (option === null
    ? inLocale(field.translations, locale)?.[text]
    : inLocale(field.options[option]?.translations ?? [], locale)?.label) ?? '';

/** Returns the translation of a text; empty where there is none. */
export function translationOf(draft: TranslatedForm, place: TextPlace, locale: string): string {
  if (place.field === null) return ownTranslation(draft, place.text, locale);
  const field = draft.fields[place.field];
  return field ? fieldTranslation(field, place, locale) : '';
}

/** Lists the texts that visitors of a language read in the source language. */
export const missingTexts = (draft: TranslatedForm, locale: string): DraftText[] =>
  textsOf(draft).filter(({ place, source }) => source && !translationOf(draft, place, locale));

/** Replaces the entry of a language; at the end where there was none, and without it where it is null. */
function withEntry<Entry extends Located>(
  entries: readonly Entry[],
  locale: string,
  entry: Entry | null,
): Entry[] {
  const isThere = entries.some((each) => each.locale === locale);
  if (!isThere) return entry ? [...entries, entry] : [...entries];
  return entries.flatMap((each) => {
    if (each.locale !== locale) return [each];
    return entry ? [entry] : [];
  });
}

const untranslated = <Name extends string>(names: readonly Name[], locale: string) =>
  ({ locale, ...Object.fromEntries(names.map((name) => [name, null])) }) as Translations<Name>[number];

const replaced = <Entry>(list: readonly Entry[], index: number, change: (entry: Entry) => Entry): Entry[] =>
  list.map((entry, at) => (at === index ? change(entry) : entry));

function translatedField<Field extends TranslatedField>(
  field: Field,
  { option, text }: Readonly<{ option: number | null; text: FieldTextName }>,
  locale: string,
  translation: string,
): Field {
  if (option !== null) {
    const entry = translation ? { locale, label: translation } : null;
    const options = replaced(field.options, option, (each) => ({
      ...each,
      translations: withEntry(each.translations, locale, entry),
    }));
    return { ...field, options };
  }
  const before = inLocale(field.translations, locale) ?? untranslated(FIELD_TEXT_NAMES, locale);
  const entry = { ...before, [text]: translation || null };
  const isEmpty = FIELD_TEXT_NAMES.every((name) => !entry[name]);
  return { ...field, translations: withEntry(field.translations, locale, isEmpty ? null : entry) };
}

/** Translates a text into a language of the draft; a blank translation takes it away. */
export function withTranslation<Draft extends TranslatedForm>(
  draft: Draft,
  place: TextPlace,
  locale: string,
  written: string,
): Draft {
  const translation = isBlank(written) ? '' : written;
  if (place.field !== null) {
    const fields = replaced(draft.fields, place.field, (field) =>
      translatedField(field, place, locale, translation),
    );
    return { ...draft, fields };
  }
  const before = inLocale(draft.translations, locale) ?? untranslated(FORM_TEXT_NAMES, locale);
  const entry = { ...before, [place.text]: translation || null };
  return { ...draft, translations: withEntry(draft.translations, locale, entry) };
}

/** Adds a language into which nothing is translated yet. */
export const withLanguage = <Draft extends TranslatedForm>(draft: Draft, locale: string): Draft =>
  inLocale(draft.translations, locale) || locale === draft.sourceLocale
    ? draft
    : { ...draft, translations: [...draft.translations, untranslated(FORM_TEXT_NAMES, locale)] };

/**
 * Adds the languages into which a field or an option is translated and the form is not, so that no such text is lost.
 * What is translated into the source language is dropped: its texts are those of the form itself.
 */
export function withTranslatedLanguages<Draft extends TranslatedForm>(draft: Draft): Draft {
  const translated = draft.fields.flatMap(({ translations, options }) => [
    ...translations,
    ...options.flatMap((option) => option.translations),
  ]);
  const targets = targetLocales(draft);
  const strays = [...new Set(translated.map(({ locale }) => locale))].filter((one) => !targets.includes(one));
  const kept = [...targets, ...strays].includes(draft.sourceLocale)
    ? withoutLanguage(draft, draft.sourceLocale)
    : draft;
  return strays.reduce(withLanguage, kept);
}

/** Removes a language with every text that is translated into it. */
export function withoutLanguage<Draft extends TranslatedForm>(draft: Draft, locale: string): Draft {
  const without = <Entry extends Located>(entries: readonly Entry[]): readonly Entry[] =>
    inLocale(entries, locale) ? entries.filter((entry) => entry.locale !== locale) : entries;
  return {
    ...draft,
    translations: without(draft.translations),
    fields: draft.fields.map((field) => ({
      ...field,
      translations: without(field.translations),
      options: field.options.map((option) => ({ ...option, translations: without(option.translations) })),
    })),
  };
}

/** Returns the path at which the gateway reports faults of a translation of the form itself. */
export const ownFaultPath = (draft: TranslatedForm, text: FormTextName, locale: string): string =>
  `translations.${targetLocales(draft).indexOf(locale)}.${text}`;

/** Returns the path at which the gateway reports faults of a translation of a field. */
export function fieldFaultPath(field: TranslatedField, place: FieldPlace, locale: string): string {
  const { option, text } = place;
  const translated = option === null ? field : field.options[option];
  const index = translated?.translations.findIndex((entry) => entry.locale === locale);
  const path = option === null ? '' : `options.${option}.`;
  return `fields.${place.field}.${path}translations.${index}.${text}`;
}
