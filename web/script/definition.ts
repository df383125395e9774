import type { Condition } from '../../src/forms/definition/conditions.js';
import type { FieldOption, FieldType } from '../../src/forms/definition/form-definition.js';

/** A field as the configuration endpoint gives it (interface 2.4), in the names of the shared modules. */
export type Field = Readonly<{
  name: string;
  label: string;
  type: FieldType;
  isRequired: boolean;
  showLabel: boolean;
  isMultiple: boolean;
  placeholder: string | null;
  helpText: string | null;
  linkUrl: string | null;
  options: FieldOption[];
  attributes: Record<string, string>;
  visibility: Condition | null;
}>;

/** A form as a page shows it. */
export type Definition = Readonly<{
  slug: string;
  locale: string;
  submitText: string;
  fields: readonly Field[];
  privacy: Readonly<{ text: string | null; url: string | null }>;
  cssSelector: string | null;
  htmlWrapper: string | null;
  appearance: Readonly<Record<string, string>>;
}>;

/** A form definition as it is sent. */
type Sent = {
  slug: string;
  locale: string;
  submit_button_text: string;
  fields: (Pick<
    Field,
    'name' | 'label' | 'type' | 'placeholder' | 'options' | 'attributes' | 'visibility'
  > & {
    is_required: boolean;
    show_label: boolean;
    is_multiple: boolean;
    help_text: string | null;
    link_url: string | null;
  })[];
  privacy_notice: Definition['privacy'];
  css_selector: string | null;
  html_wrapper: string | null;
  appearance: Record<string, string>;
};

/** Reads one value of the configuration's `forms`; null for a form that is not there. */
export function readDefinition(value: unknown): Definition | null {
  if (typeof value !== 'object' || value === null) return null;
  const sent = value as Sent;
  return {
    slug: sent.slug,
    locale: sent.locale,
    submitText: sent.submit_button_text,
    fields: sent.fields.map((field) => ({
      name: field.name,
      label: field.label,
      type: field.type,
      isRequired: field.is_required,
      showLabel: field.show_label,
      isMultiple: field.is_multiple,
      placeholder: field.placeholder,
      helpText: field.help_text,
      linkUrl: field.link_url,
      options: field.options,
      attributes: field.attributes,
      visibility: field.visibility,
    })),
    privacy: sent.privacy_notice,
    cssSelector: sent.css_selector,
    htmlWrapper: sent.html_wrapper,
    appearance: sent.appearance,
  };
}
