import { EMAIL_GRAMMAR, MAX_EMAIL_LENGTH } from '../lib/email-address.js';
import { httpUrlOrNull } from '../lib/http-url.js';
import { storableText } from '../lib/text.js';
import { isAccepted, isSwitch } from './conditions.js';
import type { FieldDefinition } from './form-definition.js';
import type { PatternMatcher } from './patterns.js';
import type { ValidationFault } from './validation-messages.js';

type Item = string | number;

/** A normalised value: a list for multiple fields, a boolean for consents and lone checkboxes. */
export type FieldValue = Item | boolean | Item[];

/** What became of one field: its value, undefined when it was left empty, or what is wrong with it. */
export type FieldReading =
  | { value: FieldValue | undefined; faults?: undefined }
  | { value?: undefined; faults: ValidationFault[] };

const MAX_TEXT_LENGTH = 10_000;

const CHOICE_TYPES = new Set(['select', 'radio', 'checkbox']);
const SCALE_TYPES = new Set(['number', 'date', 'time']);
const PATTERN_TYPES = new Set(['text', 'tel', 'email', 'url']);

/** The HTML standard's floating-point number: no plus sign, no comma, digits after the point. */
const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const DATE = /^(?!0000)\d{4}-\d\d-\d\d$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?$/;

const MS_PER_DAY = 86_400_000;

function attribute(field: FieldDefinition, name: string): string | undefined {
  return Object.hasOwn(field.attributes, name) ? field.attributes[name] : undefined;
}

/** A length attribute, or undefined when it is absent or, as HTML has it, no whole number. */
function lengthAttribute(field: FieldDefinition, name: 'minlength' | 'maxlength'): number | undefined {
  const value = attribute(field, name)?.trim();
  return value && /^\d+$/.test(value) ? Number(value) : undefined;
}

/** A text on the scale of its type: numbers, days since 1970, seconds of the day; null if it is not on it. */
function onScale(type: string, text: string): number | null {
  if (type === 'number') {
    const number = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(number) ? number + 0 : null;
  }
  if (type === 'date') {
    const instant = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
    const isReal = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
    return isReal ? instant / MS_PER_DAY : null;
  }
  const time = TIME.exec(text);
  return time ? Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0) : null;
}

/** Whether a value lies a whole number of steps from the base, but for the error of binary fractions. */
function isOnStep(value: number, base: number, step: number): boolean {
  const steps = (value - base) / step;
  return Math.abs(steps - Math.round(steps)) <= 8 * Number.EPSILON * Math.max(1, Math.abs(steps));
}

function scaleFaults(field: FieldDefinition, value: number): ValidationFault[] {
  const bound = (name: 'min' | 'max') => {
    const text = attribute(field, name)?.trim() ?? '';
    return { number: onScale(field.type, text), limit: field.type === 'number' ? Number(text) : text };
  };
  const min = bound('min');
  const max = bound('max');
  const step = onScale('number', attribute(field, 'step')?.trim() ?? '');
  const faults: ValidationFault[] = [];
  const isLow = min.number !== null && value < min.number;
  const isHigh = max.number !== null && value > max.number;
  // From 22:00 to 06:00 runs over midnight: outside is below the one and above the other.
  const isOvernight =
    field.type === 'time' && min.number !== null && max.number !== null && min.number > max.number;
  if (isLow && (!isOvernight || isHigh)) faults.push({ code: 'too_low', limit: min.limit });
  if (isHigh && !isOvernight) faults.push({ code: 'too_high', limit: max.limit });
  if (step !== null && step > 0 && !isOnStep(value, min.number ?? 0, step)) faults.push({ code: 'step' });
  return faults;
}

function textFaults(field: FieldDefinition, text: string, matches: PatternMatcher): ValidationFault[] {
  const ownLimit = field.type === 'email' ? MAX_EMAIL_LENGTH : MAX_TEXT_LENGTH;
  const limit = Math.min(ownLimit, lengthAttribute(field, 'maxlength') ?? ownLimit);
  // Too long already: nothing else is worth the time that a hostile text could cost.
  if (text.length > limit) return [{ code: 'too_long', limit }];
  const faults: ValidationFault[] = [];
  const shortest = lengthAttribute(field, 'minlength') ?? 0;
  if (text.length < shortest) faults.push({ code: 'too_short', limit: shortest });
  if (field.type === 'email' && !EMAIL_GRAMMAR.test(text)) faults.push({ code: 'email' });
  if (field.type === 'url' && httpUrlOrNull(text) === null) faults.push({ code: 'url' });
  const pattern = PATTERN_TYPES.has(field.type) ? attribute(field, 'pattern') : undefined;
  if (pattern !== undefined && !matches(pattern, text)) faults.push({ code: 'pattern' });
  return faults;
}

/** A sent value as the text an HTML form would have sent, or null for objects and lists. */
function sentText(value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'boolean' ? String(value) : null;
}

/** Line breaks and outer white space as the type has them. Choices and hidden values stay as they are. */
function normalizedText(type: FieldDefinition['type'], text: string): string {
  if (type === 'hidden' || CHOICE_TYPES.has(type)) return text;
  if (type === 'textarea') return text.replace(/\r\n?/g, '\n').trim();
  return text.replace(/[\r\n]+/g, '').trim();
}

function readItem(
  field: FieldDefinition,
  text: string,
  matches: PatternMatcher,
): { value: Item; faults: ValidationFault[] } {
  const { type } = field;
  if (CHOICE_TYPES.has(type)) {
    const isOffered = field.options.some((option) => option.value === text);
    return { value: text, faults: isOffered ? [] : [{ code: 'choice' }] };
  }
  if (SCALE_TYPES.has(type)) {
    const number = onScale(type, text);
    if (number === null) return { value: text, faults: [{ code: type as 'number' | 'date' | 'time' }] };
    return { value: type === 'number' ? number : text, faults: scaleFaults(field, number) };
  }
  return { value: text, faults: textFaults(field, text, matches) };
}

function readSwitch(field: FieldDefinition, sent: unknown): FieldReading {
  if (typeof sent === 'object' && sent !== null) return { faults: [{ code: 'type' }] };
  if (isAccepted(sent)) return { value: true };
  if (field.isRequired) return { faults: [{ code: field.type === 'consent' ? 'consent' : 'required' }] };
  return { value: sent === undefined || sent === null || sent === '' ? undefined : false };
}

/** The values of a field that takes several; browsers send several addresses as one text with commas. */
function sentItems(field: FieldDefinition, sent: unknown): unknown[] {
  if (Array.isArray(sent)) return sent;
  return field.type === 'email' && typeof sent === 'string' ? sent.split(',') : [sent];
}

/**
 * Reads the value sent for one visible field (4.7): normalises it and validates it by the field's type
 * and the HTML attributes known here. Lengths are UTF-16 code units, as in HTML.
 *
 * @param sent The value from the body; undefined when it was not sent.
 */
export function readField(field: FieldDefinition, sent: unknown, matches: PatternMatcher): FieldReading {
  if (isSwitch(field)) return readSwitch(field, sent);
  if (Array.isArray(sent) && !field.isMultiple) return { faults: [{ code: 'single' }] };
  const texts: string[] = [];
  for (const item of field.isMultiple ? sentItems(field, sent) : [sent]) {
    const text = sentText(item);
    if (text === null) return { faults: [{ code: 'type' }] };
    const normalized = normalizedText(field.type, text);
    if (normalized !== '') texts.push(normalized);
  }
  if (texts.length === 0) {
    return field.isRequired ? { faults: [{ code: 'required' }] } : { value: undefined };
  }
  const chosen = CHOICE_TYPES.has(field.type) ? [...new Set(texts)] : texts;
  const items = chosen.map((text) => readItem(field, text, matches));
  const faults = new Map(items.flatMap((item) => item.faults).map((fault) => [fault.code, fault]));
  if (faults.size > 0) return { faults: [...faults.values()] };
  const values = items.map((item) => item.value);
  return { value: field.isMultiple ? values : values[0] };
}
