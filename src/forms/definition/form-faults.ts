import { CONTEXT_FIELDS } from '../validation/context-fields.js';
import { checkConditions } from './condition-checks.js';
import type { ConditionalField } from './conditions.js';
import type { FieldDefinition, FieldType } from './form-definition.js';

/** A fault in a form, with its path: keys and list positions from the form. */
export type FormFault = Readonly<{ path: readonly (string | number)[]; message: string }>;

/** The properties of a field that are checked. */
type CheckedField = ConditionalField & Readonly<Pick<FieldDefinition, 'type' | 'attributes'>>;

/** Types that require options; a checkbox without options is a single box, checked or not. */
export const NEEDING_OPTIONS: readonly FieldType[] = ['select', 'radio'];
/** Types that may have options. */
export const TAKING_OPTIONS: readonly FieldType[] = [...NEEDING_OPTIONS, 'checkbox'];

/** Attributes that would run a script or submit the form elsewhere, and those that the field itself sets. */
const OURS_OR_UNSAFE = /^(on.*|style|srcdoc|form.*|type|name|value|id|required|multiple|checked)$/;

const WHOLE_NUMBERS: ReadonlySet<string> = new Set(['maxlength', 'minlength', 'size', 'rows', 'cols']);

/**
 * Checks a form across its values: duplicate names and values, options on the wrong fields, patterns that the
 * gateway cannot match, display conditions. `saveForm` requires this check.
 *
 * @param patterns The result of `readPatterns` for the fields, which the gateway alone has.
 */
export function formFaults(
  form: Readonly<{
    sourceLocale: string;
    fields: readonly CheckedField[];
    /** Keyed by locale. */
    translations: Readonly<Record<string, unknown>>;
  }>,
  patterns: Readonly<{ faults: readonly Readonly<{ index: number; reason: string }>[] }>,
): FormFault[] {
  const { fields } = form;
  const faults: FormFault[] = fields.flatMap((field, index) =>
    fieldFaults(field, fields.slice(0, index)).map(({ path, message }) => ({
      path: ['fields', index, ...path],
      message,
    })),
  );
  for (const { index, reason } of patterns.faults) {
    faults.push({ path: ['fields', index, 'attributes', 'pattern'], message: reason });
  }
  for (const { path, message } of checkConditions(fields)) {
    faults.push({ path: ['fields', ...path], message });
  }
  if (Object.hasOwn(form.translations, form.sourceLocale)) {
    faults.push({
      path: ['translations', form.sourceLocale],
      message: 'is the source language, whose texts are those of the form itself',
    });
  }
  return faults;
}

function fieldFaults(field: CheckedField, earlier: readonly CheckedField[]): FormFault[] {
  const faults: FormFault[] = [];
  const add = (path: FormFault['path'], message: string) => faults.push({ path, message });

  if (CONTEXT_FIELDS.has(field.name)) add(['name'], 'is reserved for what accompanies a submission');
  const twin = earlier.findIndex(({ name }) => name === field.name);
  if (twin >= 0) add(['name'], `is the same as in entry ${twin}`);

  const hasOptions = field.options.length > 0;
  if (!hasOptions && NEEDING_OPTIONS.includes(field.type)) add(['options'], `is required for ${field.type}`);
  if (hasOptions && !TAKING_OPTIONS.includes(field.type)) add(['options'], `is not for ${field.type}`);
  const firsts = new Map<string, number>();
  for (const [index, { value }] of field.options.entries()) {
    const first = firsts.get(value);
    if (first === undefined) firsts.set(value, index);
    else add(['options', index, 'value'], `is the same as in entry ${first}`);
  }

  for (const [name, value] of Object.entries(field.attributes)) {
    if (OURS_OR_UNSAFE.test(name)) add(['attributes', name], 'cannot be set here');
    else if (WHOLE_NUMBERS.has(name) && !/^\d{1,9}$/.test(value)) {
      add(['attributes', name], 'must be a whole number');
    }
  }
  return faults;
}
