import type { FieldDefinition, FormDefinition } from '../../../src/forms/definition/form-definition.js';

/** A field with nothing special about it but what is given. */
export function field(name: string, over: Partial<FieldDefinition> = {}): FieldDefinition {
  return {
    name,
    type: 'text',
    label: name,
    isRequired: false,
    showLabel: true,
    isMultiple: false,
    placeholder: null,
    helpText: null,
    linkUrl: null,
    options: [],
    attributes: {},
    visibility: null,
    translations: {},
    ...over,
  };
}

/** A French form of these fields. */
export function form(fields: FieldDefinition[], over: Partial<FormDefinition> = {}): FormDefinition {
  return {
    slug: 'contact',
    version: 1,
    sourceLocale: 'fr',
    texts: {
      submitButtonText: 'Envoyer',
      confirmationMessage: 'Merci.',
      privacyNoticeText: null,
      privacyNoticeUrl: null,
    },
    fields,
    translations: {},
    ...over,
  };
}

/** Options whose labels are their values. */
export function options(...values: string[]): FieldDefinition['options'] {
  return values.map((value) => ({ value, label: value }));
}
