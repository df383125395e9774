import type { Condition } from '../../src/forms/definition/conditions.js';
import type { FieldOption, FieldType } from '../../src/forms/definition/form-definition.js';

/** A field as the configuration endpoint gives it, in the names of the shared modules. */
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

/** A form definition for rendering on a page. */
export type Definition = Readonly<{
  slug: string;
  /** The form's version; null: not known. */
  version: string | null;
  locale: string;
  submitButtonText: string;
  fields: readonly Field[];
  privacyNotice: Readonly<{ text: string | null; url: string | null }>;
  cssSelector: string | null;
  htmlWrapper: string | null;
  appearance: Readonly<Record<string, string>>;
}>;

/** Converts the keys of an object to camel case: `is_required` becomes `isRequired`. */
const inCamelCase = <T>(sent: object): T =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name.replace(/_./g, ([, letter]) => letter!.toUpperCase()),
      value,
    ]),
  ) as T;

/**
 * Reads one value of the configuration's `forms`; null for a missing form.
 *
 * @param versions The answer's `X-Form-Versions`; without it no version is known.
 */
export function readDefinition(value: unknown, versions?: string | null): Definition | null {
  if (!value) return null;
  const definition = inCamelCase<Definition>(value as object);
  return {
    ...definition,
    // Null reads as the text "null", which gives no version.
    version: new URLSearchParams(versions!).get(definition.slug),
    fields: definition.fields.map(inCamelCase<Field>),
  };
}
