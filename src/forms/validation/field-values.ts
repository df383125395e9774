import type { Steps } from '../../lib/steps.js';
import { storableText } from '../../lib/text/storable-text.js';
import { type Condition, visibleFields } from '../definition/conditions.js';
import type { FieldDefinition, FormDefinition } from '../definition/form-definition.js';
import { createPatternCheck, type FormPatterns } from '../definition/patterns.js';
import { localizedLabel } from '../definition/translate.js';
import { CONTEXT_FIELDS, type FieldFaults } from './context-fields.js';
import { type FieldValue, readField } from './field-value.js';
import { costlyDriver } from './search-budget.js';
import { isAccepted, isChoice } from './sent-value.js';
import { bodyFault, type Json, storableJson } from './submission-body.js';
import { validationMessage } from './validation-messages.js';

/** Field name to messages, in the submission's language. The key `*` holds the faults of the whole body. */
export type ValidationErrors = Record<string, string[]>;

/** The text of a consent as it was shown, and the language of that text. */
export interface ConsentText {
  label: string;
  locale: string;
}

/** The recorded values of a valid submission. These objects inherit nothing, so any name is a plain key. */
export interface SubmittedValues {
  ok: true;
  /** The declared, visible fields that were filled in. */
  values: Record<string, FieldValue>;
  /** Undeclared fields as they were sent, without hidden fields and context. */
  undeclared: Record<string, Json>;
  /** The given consents. */
  consents: Record<string, ConsentText>;
}

/** The values of a valid submission, or the faults of another. */
export type ReadValues = SubmittedValues | { ok: false; errors: ValidationErrors };

/**
 * Creates objects that inherit nothing. V8 keeps those of `Object.create(null)` as hash tables, which take several
 * times as long to list when they have few keys.
 */
class Empty {}
Reflect.deleteProperty(Empty.prototype, 'constructor');
Object.setPrototypeOf(Empty.prototype, null);

const emptyRecord = <Value>(): Record<string, Value> => new Empty() as Record<string, Value>;

/** Words faults as messages. */
export function describeFaults(faults: FieldFaults, locale: string): ValidationErrors {
  const errors = emptyRecord<string[]>();
  for (const [name, found] of Object.entries(faults)) {
    errors[name] = found.map((fault) => validationMessage(fault, locale));
  }
  return errors;
}

/** Maximum values of a field without options, and e-mail addresses of a submission: more than a person types. */
const MAX_ITEMS = 100;

/**
 * Creates a check of one submission, whether a field has too many values, or has an address too many for all. Each
 * address is an entry of the index by which a person's data is found, so none is left out of it.
 */
function createItemLimit() {
  let addresses = 0;
  return ({ type }: FieldDefinition, value: FieldValue): boolean => {
    const { length } = [value].flat();
    if (type === 'email') addresses += length;
    return (type === 'email' && addresses > MAX_ITEMS) || (length > MAX_ITEMS && !isChoice(type));
  };
}

/** Finds the faults that keep the conditions of a form from being evaluated on a body: its size, beyond any form's. */
function sizeFaults(
  { fields }: FormDefinition,
  body: Readonly<Record<string, unknown>>,
  routing: readonly Condition[],
): FieldFaults | null {
  const shapeFault = bodyFault(body, fields);
  if (shapeFault) return { '*': [shapeFault] };
  const costly = costlyDriver(fields, body, routing);
  return costly === null ? null : { [costly]: [{ code: 'too_costly' }] };
}

/**
 * Reads the consents that a body gives to a form, with their texts, and validates nothing: the form may be a version
 * other than the one that validates the body.
 *
 * @param body The parsed JSON object.
 * @param locale Language in which the form was shown.
 * @returns null when the body is too large for the conditions of this version.
 */
export function readConsents(
  form: FormDefinition,
  body: Readonly<Record<string, unknown>>,
  locale: string,
): Record<string, ConsentText> | null {
  if (sizeFaults(form, body, [])) return null;
  const visible = visibleFields(form.fields, body);
  const consents = emptyRecord<ConsentText>();
  for (const field of form.fields) {
    const isGiven = Object.hasOwn(body, field.name) && isAccepted(body[field.name]);
    if (field.type === 'consent' && isGiven && visible.has(field.name)) {
      consents[field.name] = localizedLabel(form, field, locale);
    }
  }
  return consents;
}

/**
 * Validates and normalises a submission's body against its form (guide: How values are read). Fields hidden by a
 * display condition are neither validated nor recorded; the context fields are `readContext`'s. Each field is a
 * step.
 *
 * @param patterns The result of `readPatterns` for the form.
 * @param body The parsed JSON object.
 * @param locale Language of the submission, for the messages and the consent texts.
 * @param routing The conditions that choose the recipients. They are evaluated later, within the budget of this body.
 */
export function* readValues(
  form: FormDefinition,
  patterns: Pick<FormPatterns, 'enforced'>,
  body: Readonly<Record<string, unknown>>,
  locale: string,
  routing: readonly Condition[] = [],
): Steps<ReadValues> {
  const tooLarge = sizeFaults(form, body, routing);
  if (tooLarge) return { ok: false, errors: describeFaults(tooLarge, locale) };

  const checkPattern = createPatternCheck(patterns);
  const visible = visibleFields(form.fields, body);
  const values = emptyRecord<FieldValue>();
  const consents = emptyRecord<ConsentText>();
  const faults: FieldFaults = emptyRecord();
  const tooMany = createItemLimit();
  for (const field of form.fields) {
    if (!visible.has(field.name)) continue;
    yield;
    const reading = readField(
      field,
      Object.hasOwn(body, field.name) ? body[field.name] : undefined,
      checkPattern,
    );
    if (reading.faults) {
      faults[field.name] = reading.faults;
    } else if (reading.value !== undefined) {
      values[field.name] = reading.value;
      if (tooMany(field, reading.value)) faults[field.name] = [{ code: 'too_many_items', limit: MAX_ITEMS }];
      if (field.type === 'consent' && reading.value === true) {
        consents[field.name] = localizedLabel(form, field, locale);
      }
    }
  }
  if (Object.keys(faults).length > 0) return { ok: false, errors: describeFaults(faults, locale) };

  const declared = new Set(form.fields.map((field) => field.name));
  const undeclared = emptyRecord<Json>();
  for (const [name, value] of Object.entries(body)) {
    if (!declared.has(name) && !CONTEXT_FIELDS.has(name))
      undeclared[storableText(name)] = storableJson(value);
  }
  return { ok: true, values, undeclared, consents };
}
