import { z } from 'zod';
import {
  FIELD_SCHEMA,
  FORM_SCHEMA,
  fieldName,
  MAX_COUNTS,
  optionValue,
  paragraph,
  title,
} from '../forms/definition/form.schema.js';
import { recipientRules } from '../forms/recipients/recipient-rule.schema.js';
import { httpUrl, mapping, platformLocale, slug } from '../lib/input.schema.js';
import { spamFilter } from '../spam/settings/spam-settings.schema.js';
import { retentionMonths } from '../submissions/retention/retention.schema.js';

const field = z.strictObject({
  name: FIELD_SCHEMA.name,
  type: FIELD_SCHEMA.type,
  label: FIELD_SCHEMA.label,
  is_required: FIELD_SCHEMA.isRequired,
  show_label: FIELD_SCHEMA.showLabel,
  is_multiple: FIELD_SCHEMA.isMultiple,
  placeholder: FIELD_SCHEMA.placeholder,
  help_text: FIELD_SCHEMA.helpText,
  link_url: FIELD_SCHEMA.linkUrl,
  options: z
    .array(z.strictObject({ value: optionValue, label: title }))
    .max(MAX_COUNTS.options)
    .default([]),
  attributes: FIELD_SCHEMA.attributes,
  visibility: FIELD_SCHEMA.visibility,
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
    name: FORM_SCHEMA.name.optional(),
    active: FORM_SCHEMA.active.optional(),
    source_locale: platformLocale(locales).optional(),
    submit_button_text: FORM_SCHEMA.submitButtonText.optional(),
    confirmation_message: FORM_SCHEMA.confirmationMessage.optional(),
    privacy_notice: privacyNotice.optional(),
    recipients: FORM_SCHEMA.recipients.nullable().optional(),
    recipient_rules: recipientRules.nullable().optional().describe('Recipients by answer, before those'),
    retention_months: retentionMonths
      .nullable()
      .optional()
      .describe("In place of the team's; null: the team's"),
    spam_filter: spamFilter.nullable().optional().describe("In place of the team's; null: the team's"),
    fields: z.array(field).max(MAX_COUNTS.fields).optional(),
    translations: mapping(platformLocale(locales), translation.nullable())
      .optional()
      .describe('By language; null takes a language away'),
  });

export type FormEntry = z.output<ReturnType<typeof formSchema>>;
export type FieldEntry = z.output<typeof field>;
export type TranslationEntry = z.output<typeof translation>;
