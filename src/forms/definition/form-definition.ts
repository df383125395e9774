import type { Condition } from './conditions.js';

/** The types of a field. */
export const FIELD_TYPES = [
  'text',
  'textarea',
  'email',
  'tel',
  'url',
  'number',
  'date',
  'time',
  'select',
  'radio',
  'checkbox',
  'consent',
  'hidden',
] as const;

export type FieldType = (typeof FIELD_TYPES)[number];

/** A choice of a field. The value is recorded in every language; the label is shown and translated. */
export interface FieldOption {
  value: string;
  label: string;
}

/** A field's texts in one language. A missing, null or empty text falls back on the source language. */
export interface FieldTranslation {
  label?: string | null;
  placeholder?: string | null;
  helpText?: string | null;
  linkUrl?: string | null;
  /** Option value to label. */
  options?: Record<string, string>;
}

/** A field with its own texts in the form's source language. */
export interface FieldDefinition {
  /** The key of the submission's body. */
  name: string;
  type: FieldType;
  label: string;
  isRequired: boolean;
  showLabel: boolean;
  isMultiple: boolean;
  placeholder: string | null;
  helpText: string | null;
  linkUrl: string | null;
  options: FieldOption[];
  /** HTML attributes by their lower-case name. */
  attributes: Record<string, string>;
  /** When the field is shown; null means always. */
  visibility: Condition | null;
  /** Keyed by locale. */
  translations: Record<string, FieldTranslation>;
}

/** The texts of the form itself. */
export interface FormTexts {
  submitButtonText: string;
  confirmationMessage: string;
  privacyNoticeText: string | null;
  privacyNoticeUrl: string | null;
}

/** The form's own texts in one language; each falls back as a field's texts do. */
export type FormTranslation = { [Text in keyof FormTexts]?: string | null };

/**
 * A form as it is cached in memory: everything about it that does not depend on a website or a visitor.
 * Its own texts are in `sourceLocale`. Treat it as immutable: its fields are interned across teams.
 */
export interface FormDefinition {
  slug: string;
  /** Incremented by each change; a submission records it. */
  version: number;
  sourceLocale: string;
  texts: FormTexts;
  fields: FieldDefinition[];
  /** Keyed by locale. The form offers each of these languages and its source language. */
  translations: Record<string, FormTranslation>;
}
