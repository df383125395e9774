import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FieldDefinition, FormDefinition } from '../forms/definition/form-definition.js';
import { createPatternCheck, type FormPatterns } from '../forms/definition/patterns.js';
import {
  MAX_TEXT_LENGTH,
  PATTERN_TYPES,
  type PatternCheck,
  readField,
} from '../forms/validation/field-value.js';
import { readValues } from '../forms/validation/field-values.js';
import { isSwitch } from '../forms/validation/sent-value.js';
import { DAY_MS } from '../lib/durations.js';
import { finishInTurns } from '../lib/steps.js';
import { samplesOf } from './pattern-sample.js';

/** What a probe writes into fields of text, so that a reader of its e-mail knows. */
const TEXT = 'Formgate test';

/** Budget of all tries of a form, in steps of its patterns: that of ten submissions, some 120 ms. */
const STEPS_OF_TRIES = 3_000_000;

/** The values that identify the test: its mailbox, the website's address, and the present day. */
type Filler = Readonly<{ email: string; url: string; now: Date }>;

const attribute = ({ attributes }: FieldDefinition, name: string): string | undefined =>
  Object.hasOwn(attributes, name) ? attributes[name]?.trim() : undefined;

/** Texts of the lengths that a field takes. */
function fitted(field: FieldDefinition, text: string): string[] {
  const length = (name: string, usual: number) =>
    Math.min(Math.max(0, Number(attribute(field, name)) || usual), MAX_TEXT_LENGTH);
  const [shortest, longest] = [length('minlength', 0), length('maxlength', MAX_TEXT_LENGTH)];
  const long = `${text} `.repeat(Math.ceil(shortest / (text.length + 1)) || 1).slice(0, -1);
  // A space at the end would not count: the gateway trims what it reads.
  const whole = long.padEnd(shortest, '.').slice(0, longest).replace(/ $/, '.');
  return [text, whole, text.slice(0, longest)];
}

/** Numbers within a field's bounds and on its step. */
function numbers(field: FieldDefinition): string[] {
  const [min, max, step] = ['min', 'max', 'step'].map((name) => attribute(field, name) ?? '');
  const whole = Number(step) > 0 && max ? String(Math.floor(Number(max) / Number(step)) * Number(step)) : '';
  return [min!, max!, '1', '0', step!, whole].filter(Boolean);
}

/** Days within a field's bounds, some in a row for its step. */
function dates(field: FieldDefinition, now: Date): string[] {
  const from = [attribute(field, 'min'), attribute(field, 'max')].filter(Boolean) as string[];
  const week = Array.from({ length: 14 }, (_, day) =>
    new Date(now.getTime() + day * DAY_MS).toISOString().slice(0, 10),
  );
  return [...from, ...week];
}

/** Lists usual values of a field's type, the likeliest first. */
function usualValues(field: FieldDefinition, { email, url, now }: Filler): string[] {
  switch (field.type) {
    case 'email':
      return [email, 'a@b.co'];
    case 'tel':
      return ['0123456789', '+33123456789', '01 23 45 67 89', ...fitted(field, '0123456789')];
    case 'url':
      return [url, 'https://example.com/', 'http://a.fr'];
    case 'number':
      return numbers(field);
    case 'date':
      return dates(field, now);
    case 'time':
      return ['10:00', attribute(field, 'min') ?? '', attribute(field, 'max') ?? ''].filter(Boolean);
    case 'select':
    case 'radio':
    case 'checkbox':
      return field.options.map(({ value }) => value);
    default:
      return fitted(field, TEXT);
  }
}

/** What the tries of a form share. */
type Tries = Readonly<{ check: PatternCheck; samplesOf(source: string): readonly string[] }>;

/** Creates the pattern check of a form's tries, and the samples of its patterns, each computed once. */
function createTries(patterns: FormPatterns): Tries {
  const samples = new Map<string, readonly string[]>();
  let left = STEPS_OF_TRIES;
  return {
    check(source, text) {
      const steps = patterns.enforced.get(source)?.stepsFor(text.length) ?? 0;
      if (steps > left) return 'too_costly';
      // Each try has the budget of a submission as well, since only one of them is sent.
      const fault = createPatternCheck(patterns)(source, text);
      if (fault !== 'too_costly') left -= steps;
      return fault;
    },
    samplesOf(source) {
      const known = samples.get(source) ?? (patterns.enforced.has(source) ? samplesOf(source) : []);
      samples.set(source, known);
      return known;
    },
  };
}

/** Lists values to try for a field: usual ones, then samples of its pattern. */
function* candidates(field: FieldDefinition, filler: Filler, tries: Tries): Generator<string> {
  yield* usualValues(field, filler);
  const source = Object.hasOwn(field.attributes, 'pattern') ? field.attributes.pattern : undefined;
  if (source !== undefined && PATTERN_TYPES.has(field.type)) yield* tries.samplesOf(source);
}

/** Finds a value that the gateway accepts for a field; null when none of those tried is one. */
async function acceptedValue(field: FieldDefinition, filler: Filler, tries: Tries): Promise<unknown> {
  if (isSwitch(field)) return 1;
  for (const candidate of candidates(field, filler, tries)) {
    const sent = field.isMultiple ? [candidate] : candidate;
    const read = readField({ ...field, isRequired: true }, sent, tries.check);
    if (!read.faults) return sent;
    await nextTurn();
  }
  return null;
}

/** Values for a form, and the names of the required fields for which there are none. */
type FilledValues = Readonly<{ values: Readonly<Record<string, unknown>>; missing: readonly string[] }>;

/**
 * Fills a form in as a visitor could: each field with a value of its own, consents given.
 *
 * A field that a condition hides may have a value as well, since the gateway ignores it. An optional field for which
 * no value is found stays empty. It yields to other requests between two fields and after each value that does not fit.
 */
export async function fillForm(
  form: FormDefinition,
  patterns: FormPatterns,
  filler: Filler,
): Promise<FilledValues> {
  const tries = createTries(patterns);
  const entries: [string, unknown][] = [];
  for (const field of form.fields) {
    const value = await acceptedValue(field, filler, tries);
    if (value !== null) entries.push([field.name, value]);
    await nextTurn();
  }
  const values = Object.fromEntries(entries);
  const read = await finishInTurns(readValues(form, patterns, values, form.sourceLocale));
  return { values, missing: read.ok ? [] : Object.keys(read.errors) };
}
