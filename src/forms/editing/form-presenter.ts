import type { FormContent } from '../definition/form.mapper.js';

type Locales<Texts> = Record<string, Texts>;

/** Converts a record keyed by language to a list with the language in each entry. */
const listed = <Texts, Entry>(
  texts: Locales<Texts>,
  entryOf: (locale: string, texts: Texts) => Entry,
): Entry[] => Object.entries(texts).map(([locale, entry]) => entryOf(locale, entry));

/** Presents the fields of a form for the panel, with their translations as lists. */
export const presentFields = ({ fields }: Pick<FormContent, 'fields'>) =>
  fields.map((field) => ({
    name: field.name,
    type: field.type,
    label: field.label,
    isRequired: field.isRequired,
    showLabel: field.showLabel,
    isMultiple: field.isMultiple,
    placeholder: field.placeholder,
    helpText: field.helpText,
    linkUrl: field.linkUrl,
    options: field.options.map(({ value, label }) => ({
      value,
      label,
      translations: listed(field.translations, (locale, { options }) => ({
        locale,
        label: options && Object.hasOwn(options, value) ? options[value] : undefined,
      })).filter((entry): entry is { locale: string; label: string } => entry.label !== undefined),
    })),
    attributes: field.attributes,
    visibility: field.visibility,
    translations: listed(field.translations, (locale, texts) => ({
      locale,
      label: texts.label ?? null,
      placeholder: texts.placeholder ?? null,
      helpText: texts.helpText ?? null,
      linkUrl: texts.linkUrl ?? null,
    })).filter(({ locale: _, ...texts }) => Object.values(texts).some((text) => text !== null)),
  }));

/** Presents the translations of the form's own texts for the panel. */
const presentTranslations = ({ translations }: Pick<FormContent, 'translations'>) =>
  listed(translations, (locale, texts) => ({
    locale,
    submitButtonText: texts.submitButtonText ?? null,
    confirmationMessage: texts.confirmationMessage ?? null,
    privacyNoticeText: texts.privacyNoticeText ?? null,
    privacyNoticeUrl: texts.privacyNoticeUrl ?? null,
  }));

/** Presents a whole form as `FormInput` takes it. */
export const presentContent = (content: Omit<FormContent, 'slug' | 'version'>) => ({
  name: content.name,
  active: content.active,
  sourceLocale: content.sourceLocale,
  ...content.texts,
  recipients: content.recipients,
  recipientRules: content.recipientRules,
  fields: presentFields(content),
  translations: presentTranslations(content),
});
