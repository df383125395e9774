import type { FormContent } from '../forms/definition/form.mapper.js';
import type { FieldDefinition, FieldTranslation, FormTexts } from '../forms/definition/form-definition.js';
import type { FormFault } from '../forms/definition/form-faults.js';
import { given } from '../lib/changes.js';
import type { FieldEntry, FormEntry, TranslationEntry } from './form.schema.js';

const NEW_FORM: Omit<FormContent, 'slug'> = {
  version: 1,
  name: '',
  active: true,
  recipients: [],
  recipientRules: [],
  sourceLocale: '',
  texts: { submitButtonText: '', confirmationMessage: '', privacyNoticeText: null, privacyNoticeUrl: null },
  fields: [],
  translations: {},
};

/** The required settings of a new form, by their names in the document. */
export const REQUIRED_OF_FORM = [
  'name',
  'source_locale',
  'submit_button_text',
  'confirmation_message',
] as const;

/**
 * Merges an entry of the document into a stored form.
 *
 * Omitted settings are kept, fields replace the stored ones, translations are merged for the fields that remain, and
 * null clears. A stored translation into what becomes the source language goes with the fields that it is of.
 *
 * @returns the form, and the translations that name no field or option of it.
 */
export function mergeForm(
  stored: FormContent | null,
  entry: FormEntry,
): { content: FormContent; faults: FormFault[] } {
  const base = stored ?? { ...NEW_FORM, slug: entry.slug };
  const content: FormContent = {
    ...base,
    ...given({
      name: entry.name,
      active: entry.active,
      sourceLocale: entry.source_locale,
      recipients: entry.recipients === null ? [] : entry.recipients,
      recipientRules: entry.recipient_rules === null ? [] : entry.recipient_rules,
    }),
    texts: { ...base.texts, ...givenTexts(entry) } as FormTexts,
    fields: entry.fields?.map((field) => fieldDefinition(field, base.fields)) ?? base.fields.map(copyOf),
    translations: { ...base.translations },
  };
  // A stored translation stays a fault where the entry has no texts that take its place.
  const replaced = entry.fields ? { [content.sourceLocale]: null } : {};
  const translated = { ...replaced, ...entry.translations };
  const faults = Object.entries(translated).flatMap(([locale, translation]) => {
    if (translation) return translate(content, locale, translation);
    delete content.translations[locale];
    for (const { translations } of content.fields) delete translations[locale];
    return [];
  });
  return { content, faults };
}

function givenTexts(entry: Omit<TranslationEntry, 'fields'>) {
  return given({
    submitButtonText: entry.submit_button_text,
    confirmationMessage: entry.confirmation_message,
    privacyNoticeText: entry.privacy_notice?.text,
    privacyNoticeUrl: entry.privacy_notice?.url,
  });
}

const copyOf = (field: FieldDefinition): FieldDefinition => ({
  ...field,
  translations: { ...field.translations },
});

/** Builds a field of the document with the stored translations of a field of its name that still fit. */
function fieldDefinition(entry: FieldEntry, stored: readonly FieldDefinition[]): FieldDefinition {
  const before = stored.find(({ name }) => name === entry.name);
  const values = new Set(entry.options.map(({ value }) => value));
  const translations = Object.entries(before?.translations ?? {}).map(([locale, { options, ...texts }]) => [
    locale,
    compact({ ...texts, options: pick(options ?? {}, values) }),
  ]);
  return {
    name: entry.name,
    type: entry.type,
    label: entry.label,
    isRequired: entry.is_required,
    showLabel: entry.show_label,
    isMultiple: entry.is_multiple,
    placeholder: entry.placeholder,
    helpText: entry.help_text,
    linkUrl: entry.link_url,
    options: entry.options,
    attributes: entry.attributes,
    visibility: entry.visibility,
    translations: compact(Object.fromEntries(translations)),
  };
}

/** Merges a translation into those of a form and its fields, which it changes. */
function translate(content: FormContent, locale: string, entry: TranslationEntry): FormFault[] {
  content.translations[locale] = compact({ ...content.translations[locale], ...givenTexts(entry) });
  const faults: FormFault[] = [];
  for (const [name, texts] of Object.entries(entry.fields ?? {})) {
    const path = ['translations', locale, 'fields', name];
    const field = content.fields.find((candidate) => candidate.name === name);
    if (!field) {
      faults.push({ path, message: 'is not a field of the form' });
      continue;
    }
    const before = field.translations[locale] ?? {};
    for (const value of Object.keys(texts.options ?? {})) {
      if (field.options.some((option) => option.value === value)) continue;
      faults.push({ path: [...path, 'options', value], message: `is not an option of ${name}` });
    }
    const merged: FieldTranslation = compact({
      ...before,
      ...given({
        label: texts.label,
        placeholder: texts.placeholder,
        helpText: texts.help_text,
        linkUrl: texts.link_url,
      }),
      options: compact({ ...before.options, ...texts.options }),
    });
    field.translations = compact({ ...field.translations, [locale]: merged });
  }
  return faults;
}

type Texts = Record<string, unknown>;

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);

/** Removes empty texts, so that equal translations compare equal. */
function compact<T extends Texts>(texts: T): { [Key in keyof T]: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => !isEmpty(value))) as {
    [Key in keyof T]: NonNullable<T[Key]>;
  };
}

const pick = <T>(record: Record<string, T>, keys: ReadonlySet<string>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([key]) => keys.has(key)));
