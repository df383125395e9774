import { isLongerThan } from '../../lib/text/characters.js';
import { compareDecimals, type Decimal, isDouble, spellDecimal } from '../../lib/text/decimal.js';
import { EMAIL_GRAMMAR, MAX_EMAIL_LENGTH } from '../../lib/text/email-address.js';
import { isWebAddress } from '../../lib/text/http-url.js';
import type { FieldDefinition } from '../definition/form-definition.js';
import type { ValidationFault } from './entry-messages.js';
import { isAccepted, isChoice, isDeclined, isSwitch, onScale, sentTexts } from './sent-value.js';

type Item = string | number;

/** The properties of a field that the validation of its value reads. */
type ValidatedField = Pick<FieldDefinition, 'type' | 'isRequired' | 'isMultiple' | 'options' | 'attributes'>;

/** Checks a text against an HTML `pattern`; null when it passes. An invalid pattern refuses nothing, as in browsers. */
export type PatternCheck = (pattern: string, text: string) => 'pattern' | 'too_costly' | null;

/** A normalised value: a list for multiple fields, a boolean for consents and lone checkboxes. */
export type FieldValue = Item | boolean | Item[];

/** The result of reading one field: its value, undefined when it was left empty, or its faults. */
type FieldReading =
  | { value: FieldValue | undefined; faults?: undefined }
  | { value?: undefined; faults: ValidationFault[] };

/** Maximum length of a value that is text. */
export const MAX_TEXT_LENGTH = 10_000;

const SCALE_TYPES = new Set(['number', 'date', 'time']);
/** The types of fields whose `pattern` counts. */
export const PATTERN_TYPES: ReadonlySet<string> = new Set(['text', 'tel', 'email', 'url']);

function attribute(field: ValidatedField, name: string): string | undefined {
  return Object.hasOwn(field.attributes, name) ? field.attributes[name] : undefined;
}

/** Reads a length attribute; undefined when it is absent or, as HTML specifies, no whole number. */
function lengthAttribute(field: ValidatedField, name: 'minlength' | 'maxlength'): number | undefined {
  const value = attribute(field, name)?.trim();
  return value && /^\d+$/.test(value) ? Number(value) : undefined;
}

const doubleOf = (decimal: Decimal): number => Number(spellDecimal(decimal));

/**
 * Whether a value lies a whole number of steps from the base, at the precision of doubles. The error of binary
 * fractions is tolerated, and a distance that a double cannot count always passes, as in browsers.
 */
function isOnStep(value: Decimal, base: Decimal | null, step: Decimal): boolean {
  const unit = doubleOf(step);
  const to = doubleOf(value) / unit;
  const from = base ? doubleOf(base) / unit : 0;
  // The error grows with what is subtracted, not with the difference.
  const error = 8 * Number.EPSILON * (1 + Math.abs(to) + Math.abs(from));
  return !(Math.abs(to - from - Math.round(to - from)) > error);
}

/** Converts a number for the record; it stays a text where a double would round it. */
const recordedNumber = (text: string): Item => (isDouble(text) ? Number(text) + 0 : text);

function scaleFaults(field: ValidatedField, value: Decimal): ValidationFault[] {
  const bound = (name: 'min' | 'max') => {
    const text = attribute(field, name)?.trim() ?? '';
    const limit = field.type === 'number' ? recordedNumber(text) : text;
    return { place: onScale(field.type, text), limit };
  };
  const min = bound('min');
  const max = bound('max');
  const step = onScale('number', attribute(field, 'step')?.trim() ?? '');
  const faults: ValidationFault[] = [];
  const isLow = min.place !== null && compareDecimals(value, min.place) < 0;
  const isHigh = max.place !== null && compareDecimals(value, max.place) > 0;
  // A range such as 22:00 to 06:00 spans midnight: a value outside is below the start and above the end.
  const isOvernight =
    field.type === 'time' && min.place && max.place && compareDecimals(min.place, max.place) > 0;
  if (isLow && (!isOvernight || isHigh)) faults.push({ code: 'too_low', limit: min.limit });
  if (isHigh && !isOvernight) faults.push({ code: 'too_high', limit: max.limit });
  if (step && step.sign > 0 && !isOnStep(value, min.place, step)) faults.push({ code: 'step' });
  return faults;
}

function textFaults(field: ValidatedField, text: string, checkPattern: PatternCheck): ValidationFault[] {
  const ownLimit = field.type === 'email' ? MAX_EMAIL_LENGTH : MAX_TEXT_LENGTH;
  const limit = Math.min(ownLimit, lengthAttribute(field, 'maxlength') ?? ownLimit);
  // Check the length first, so that a long hostile text costs no other check's time.
  if (isLongerThan(text, limit)) return [{ code: 'too_long', limit }];
  const faults: ValidationFault[] = [];
  const shortest = lengthAttribute(field, 'minlength') ?? 0;
  if (shortest > 0 && !isLongerThan(text, shortest - 1)) faults.push({ code: 'too_short', limit: shortest });
  if (field.type === 'email' && !EMAIL_GRAMMAR.test(text)) faults.push({ code: 'email' });
  if (field.type === 'url' && !isWebAddress(text)) faults.push({ code: 'url' });
  const pattern = PATTERN_TYPES.has(field.type) ? attribute(field, 'pattern') : undefined;
  const code = pattern === undefined ? null : checkPattern(pattern, text);
  if (code) faults.push({ code });
  return faults;
}

type ItemReading = { value: Item; faults: ValidationFault[] };

function readItem(field: ValidatedField, text: string, checkPattern: PatternCheck): ItemReading {
  const { type } = field;
  if (SCALE_TYPES.has(type)) {
    const isTooLong = isLongerThan(text, MAX_TEXT_LENGTH);
    if (isTooLong) return { value: text, faults: [{ code: 'too_long', limit: MAX_TEXT_LENGTH }] };
    const place = onScale(type, text);
    if (place === null) return { value: text, faults: [{ code: type as 'number' | 'date' | 'time' }] };
    return { value: type === 'number' ? recordedNumber(text) : text, faults: scaleFaults(field, place) };
  }
  return { value: text, faults: textFaults(field, text, checkPattern) };
}

function readSwitch(field: ValidatedField, sent: unknown): FieldReading {
  if (typeof sent === 'object' && sent !== null) return { faults: [{ code: 'type' }] };
  if (isAccepted(sent)) return { value: true };
  // A value that is no acceptance gives no consent, whatever it is; other switches take only on or off.
  if (field.type !== 'consent' && !isDeclined(sent)) return { faults: [{ code: 'tick' }] };
  if (field.isRequired) return { faults: [{ code: field.type === 'consent' ? 'consent' : 'required' }] };
  return { value: sent === undefined || sent === null || sent === '' ? undefined : false };
}

/**
 * Reads the value sent for one visible field (guide: How values are read).
 *
 * It is normalised, and validated by the field's type and the supported HTML attributes. Lengths are in code points.
 *
 * @param sent The value from the body; undefined when it was not sent.
 */
export function readField(field: ValidatedField, sent: unknown, checkPattern: PatternCheck): FieldReading {
  if (isSwitch(field)) return readSwitch(field, sent);
  if (Array.isArray(sent) && !field.isMultiple) return { faults: [{ code: 'single' }] };
  const texts = sentTexts(field, sent);
  if (texts === null) return { faults: [{ code: 'type' }] };
  if (texts.length === 0) {
    return field.isRequired ? { faults: [{ code: 'required' }] } : { value: undefined };
  }
  if (isChoice(field.type)) {
    const offered = new Set(field.options.map(({ value }) => value));
    if (texts.some((text) => !offered.has(text))) return { faults: [{ code: 'choice' }] };
    return { value: field.isMultiple ? [...new Set(texts)] : texts[0] };
  }
  const items = texts.map((text) => readItem(field, text, checkPattern));
  const faults = items.flatMap((item) => item.faults);
  if (faults.length > 0) return { faults: [...new Map(faults.map((fault) => [fault.code, fault])).values()] };
  const values = items.map((item) => item.value);
  return { value: field.isMultiple ? values : values[0] };
}
