import type { Condition } from '../../../../src/forms/definition/conditions.js';
import type { FieldType } from '../../../../src/forms/definition/form-definition.js';
import type { RecipientRule } from '../../../../src/forms/recipients/recipient-rules.js';

/** A choice of a field as it is edited. */
type OptionDraft = { value: string; label: string; translations: { locale: string; label: string }[] };

/** The texts of a field in another language. */
type FieldTexts = {
  locale: string;
  label: string | null;
  placeholder: string | null;
  helpText: string | null;
  linkUrl: string | null;
};

/** The texts of the form itself in another language. */
type OwnTexts = {
  locale: string;
  submitButtonText: string | null;
  confirmationMessage: string | null;
  privacyNoticeText: string | null;
  privacyNoticeUrl: string | null;
};

/** A field as it is edited, with its texts in the form's source language. */
export type FieldDraft = {
  name: string;
  type: FieldType;
  label: string;
  isRequired: boolean;
  showLabel: boolean;
  isMultiple: boolean;
  placeholder: string | null;
  helpText: string | null;
  linkUrl: string | null;
  options: OptionDraft[];
  attributes: Readonly<Record<string, string>>;
  visibility: Condition | null;
  translations: FieldTexts[];
};

/** A form as it is edited: the input of `saveForm`, with nothing left to its default. */
export type FormDraft = {
  name: string;
  active: boolean;
  sourceLocale: string;
  submitButtonText: string;
  confirmationMessage: string;
  privacyNoticeText: string | null;
  privacyNoticeUrl: string | null;
  recipients: string[];
  recipientRules: readonly RecipientRule[];
  fields: readonly FieldDraft[];
  translations: OwnTexts[];
};
