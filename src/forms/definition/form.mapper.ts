import type { Prisma } from '../../generated/prisma/client.js';
import { groupBy } from '../../lib/group-by.js';
import type { RecipientRule } from '../recipients/recipient-rules.js';
import type { Condition } from './conditions.js';
import type { FieldDefinition, FormDefinition } from './form-definition.js';

/** A form with all its editable content: its definition and the settings that visitors never see. */
export interface FormContent extends FormDefinition {
  /** The name shown in the panel. */
  name: string;
  active: boolean;
  /** Recipients of notifications, unless the placement names its own. */
  recipients: string[];
  /** Recipients by answer, before those; a placement with rules of its own has these no longer. */
  recipientRules: RecipientRule[];
}

/** In one order, because the entity tag of forms/config stands for the content as it is read. */
const BY_LOCALE = { orderBy: { locale: 'asc' } } as const;

/** The relations to load with a form's row so that it maps to a `FormContent`. */
export const FORM_INCLUDE = {
  fields: {
    orderBy: { position: 'asc' },
    include: {
      translations: BY_LOCALE,
      options: { orderBy: { position: 'asc' }, include: { translations: BY_LOCALE } },
    },
  },
  translations: BY_LOCALE,
} as const satisfies Prisma.FormInclude;

export type StoredForm = Prisma.FormGetPayload<{ include: typeof FORM_INCLUDE }>;

type StoredField = StoredForm['fields'][number];

/** An option as it is mapped: its value, its label and the label's translations. */
export type StoredOption = Pick<StoredField['options'][number], 'value' | 'label'> &
  Readonly<{ translations: readonly Readonly<{ locale: string; label: string }>[] }>;

/** A form as it is mapped, whose options may have been read apart. */
type MappedForm = Omit<StoredForm, 'fields'> &
  Readonly<{ fields: readonly (Omit<StoredField, 'options'> & { options: readonly StoredOption[] })[] }>;

/** Maps a stored form to a `FormContent`. */
export function formContent(form: MappedForm): FormContent {
  return {
    slug: form.slug,
    version: form.version,
    name: form.name,
    active: form.active,
    recipients: form.recipients,
    recipientRules: storedRules(form.recipientRules),
    sourceLocale: form.sourceLocale,
    texts: {
      submitButtonText: form.submitButtonText,
      confirmationMessage: form.confirmationMessage,
      privacyNoticeText: form.privacyNoticeText,
      privacyNoticeUrl: form.privacyNoticeUrl,
    },
    fields: form.fields.map(fieldDefinition),
    translations: Object.fromEntries(
      form.translations.map(({ formId, locale, ...texts }) => [locale, present(texts)]),
    ),
  };
}

function fieldDefinition(field: MappedForm['fields'][number]): FieldDefinition {
  const translations: FieldDefinition['translations'] = {};
  for (const { fieldId, locale, ...texts } of field.translations) translations[locale] = present(texts);
  addOptionLabels(
    translations,
    field.options.flatMap((option) =>
      option.translations.map(({ locale, label }) => ({ locale, value: option.value, label })),
    ),
  );
  return {
    name: field.name,
    type: field.type,
    label: field.label,
    isRequired: field.isRequired,
    showLabel: field.showLabel,
    isMultiple: field.isMultiple,
    placeholder: field.placeholder,
    helpText: field.helpText,
    linkUrl: field.linkUrl,
    options: field.options.map(({ value, label }) => ({ value, label })),
    attributes: textsOnly(field.attributes),
    visibility: field.visibility as Condition | null,
    translations,
  };
}

type OptionLabel = Readonly<{ locale: string; value: string; label: string }>;

/** Adds the labels of options to the translations of their field, all of a language at once: there may be thousands. */
export function addOptionLabels(
  translations: FieldDefinition['translations'],
  labels: readonly OptionLabel[],
): void {
  for (const [locale, ofLocale] of groupBy(labels, ({ locale }) => locale)) {
    const options = Object.fromEntries(ofLocale.map(({ value, label }) => [value, label]));
    translations[locale] = { ...translations[locale], options };
  }
}

/** Reads a JSON column of recipient rules; they were checked when they were saved. */
export const storedRules = (json: Prisma.JsonValue): RecipientRule[] => json as unknown as RecipientRule[];

/** Reads a JSON column of texts by name, dropping values of any other type. */
export function textsOnly(json: Prisma.JsonValue): Record<string, string> {
  const entries = Object.entries(json ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Removes the texts that are not translated. */
function present<T extends Record<string, string | null>>(texts: T): { [Key in keyof T]?: string } {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)) as {
    [Key in keyof T]?: string;
  };
}
