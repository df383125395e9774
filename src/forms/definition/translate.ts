import { httpUrlOrNull } from '../../lib/text/http-url.js';
import { namesWebOnly } from '../placements/placement-markup.js';
import type {
  FieldDefinition,
  FieldTranslation,
  FormDefinition,
  FormTexts,
  FormTranslation,
} from './form-definition.js';

/** A field with all its texts in one language. */
export type LocalizedField = Omit<FieldDefinition, 'translations'>;

/** A form with all its texts in one language; every address in it is http or https. */
interface LocalizedForm {
  slug: string;
  version: number;
  locale: string;
  texts: FormTexts;
  fields: LocalizedField[];
}

/** HTML attributes whose value is an address. */
const ADDRESS_ATTRIBUTES = new Set([
  'action',
  'background',
  'cite',
  'codebase',
  'data',
  'dynsrc',
  'formaction',
  'href',
  'longdesc',
  'lowsrc',
  'manifest',
  'poster',
  'src',
  'usemap',
]);

/** HTML attributes that run script, or hold a page or several addresses; no control of a form needs one. */
const NEVER_SERVED = /^(?:on.*|srcdoc|srcset|ping|archive)$/;

/** Reads an own property of a record: its key may be any name, such as `constructor`. */
export function entry<Value>(record: Record<string, Value> | undefined, key: string): Value | undefined {
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Keeps the attributes that are safe to write into a page: no script, no address with another scheme. */
function safeAttributes(attributes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).filter(([written, value]) => {
      const name = written.toLowerCase();
      if (NEVER_SERVED.test(name)) return false;
      if (name === 'style') return namesWebOnly(value);
      return !ADDRESS_ATTRIBUTES.has(name) || httpUrlOrNull(value) !== null;
    }),
  );
}

function localizeTexts(source: FormTexts, translation: FormTranslation): FormTexts {
  return {
    submitButtonText: translation.submitButtonText || source.submitButtonText,
    confirmationMessage: translation.confirmationMessage || source.confirmationMessage,
    privacyNoticeText: translation.privacyNoticeText || source.privacyNoticeText,
    privacyNoticeUrl: httpUrlOrNull(translation.privacyNoticeUrl) ?? httpUrlOrNull(source.privacyNoticeUrl),
  };
}

function localizeField(field: FieldDefinition, locale: string): LocalizedField {
  const { translations, ...source } = field;
  const translation: FieldTranslation = entry(translations, locale) ?? {};
  return {
    ...source,
    label: translation.label || source.label,
    placeholder: translation.placeholder || source.placeholder,
    helpText: translation.helpText || source.helpText,
    linkUrl: httpUrlOrNull(translation.linkUrl) ?? httpUrlOrNull(source.linkUrl),
    options: source.options.map(({ value, label }) => ({
      value,
      label: entry(translation.options, value) || label || value,
    })),
    attributes: safeAttributes(source.attributes),
  };
}

/** Localizes the texts of a form itself, as `localizeForm` does. */
export const localizedTexts = (form: FormDefinition, locale: string): FormTexts =>
  localizeTexts(form.texts, entry(form.translations, locale) ?? {});

/**
 * Localizes a form for the configuration endpoint. Each text falls back on the source language
 * on its own; null or empty counts as not translated.
 *
 * @param locale One of the form's languages; any other returns the source texts under that locale.
 */
export function localizeForm(form: FormDefinition, locale: string): LocalizedForm {
  return {
    slug: form.slug,
    version: form.version,
    locale,
    texts: localizedTexts(form, locale),
    fields: form.fields.map((field) => localizeField(field, locale)),
  };
}

/**
 * Localizes a field's label, and returns the language it is really in: a label without a translation
 * is in the source language, whatever language was requested.
 */
export function localizedLabel(
  form: FormDefinition,
  field: FieldDefinition,
  locale: string,
): { label: string; locale: string } {
  const translated = entry(field.translations, locale)?.label;
  return translated ? { label: translated, locale } : { label: field.label, locale: form.sourceLocale };
}

/** Names a field for a reader of its value: one that visitors do not see may have no label. */
export const labelOrName = ({ name, label }: Pick<FieldDefinition, 'name' | 'label'>): string =>
  label.trim() || name;

/** Lists the labels of a field's option in every language; none for a value that is none of its options. */
export function everyChoice(field: FieldDefinition, value: string): string[] {
  const option = field.options.find((each) => each.value === value);
  if (!option) return [];
  const translated = Object.keys(field.translations).map((locale) => localizedChoice(field, value, locale));
  return [...new Set([option.label, ...translated])];
}

/** Localizes the label of a field's option; without a label, and for none of its options, the value is returned. */
export function localizedChoice(field: FieldDefinition, value: string, locale: string): string {
  const option = field.options.find((each) => each.value === value);
  return (option && entry(entry(field.translations, locale)?.options, value)) || option?.label || value;
}
