import { z } from 'zod';
import {
  FIELD_VALUES,
  FORM_VALUES,
  fieldName,
  MOST,
  optionValue,
  paragraph,
  title,
} from '../forms/definition/form.schema.js';
import { httpUrl, mapping, platformLocale, slug } from '../lib/schemas.js';

const field = z.strictObject({
  name: FIELD_VALUES.name,
  type: FIELD_VALUES.type,
  label: FIELD_VALUES.label,
  is_required: FIELD_VALUES.isRequired,
  show_label: FIELD_VALUES.showLabel,
  is_multiple: FIELD_VALUES.isMultiple,
  placeholder: FIELD_VALUES.placeholder,
  help_text: FIELD_VALUES.helpText,
  link_url: FIELD_VALUES.linkUrl,
  options: z
    .array(z.strictObject({ value: optionValue, label: title }))
    .max(MOST.options)
    .default([]),
  attributes: FIELD_VALUES.attributes,
  visibility: FIELD_VALUES.visibility,
});

const privacyNotice = z
  .strictObject({ text: paragraph.nullable().optional(), url: httpUrl.nullable().optional() })
  .describe('A key left out keeps what is stored; null clears it');

const fieldTranslation = z.strictObject({
  label: title.nullable().optional(),
  placeholder: title.nullable().optional(),
  help_text: paragraph.nullable().optional(),
  link_url: httpUrl.nullable().optional(),
  options: mapping(optionValue, title.nullable()).optional(),
});

const translation = z.strictObject({
  submit_button_text: title.nullable().optional(),
  confirmation_message: paragraph.nullable().optional(),
  privacy_notice: privacyNotice.optional(),
  fields: mapping(fieldName, fieldTranslation).optional(),
});

/** A form: what is left out keeps what is stored, or takes its default when the form is new. */
export const formSchema = (locales: readonly string[]) =>
  z.strictObject({
    slug,
    name: FORM_VALUES.name.optional(),
    active: FORM_VALUES.active.optional(),
    source_locale: platformLocale(locales).optional(),
    submit_button_text: FORM_VALUES.submitButtonText.optional(),
    confirmation_message: FORM_VALUES.confirmationMessage.optional(),
    privacy_notice: privacyNotice.optional(),
    recipients: FORM_VALUES.recipients.nullable().optional(),
    fields: z.array(field).max(MOST.fields).optional(),
    translations: mapping(platformLocale(locales), translation.nullable())
      .optional()
      .describe('By language; null takes a language away'),
  });

export type FormEntry = z.output<ReturnType<typeof formSchema>>;
export type FieldEntry = z.output<typeof field>;
export type TranslationEntry = z.output<typeof translation>;
