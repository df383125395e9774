import { DAY_MS } from '../../lib/durations.js';

/*
 * Normalises sent and entered values before validation; display conditions and validation both read the
 * result. Server and browser script share this module.
 */

import { type Decimal, readDecimal } from '../../lib/text/decimal.js';
import { storableText } from '../../lib/text/storable-text.js';

/** The properties of a field that the reading of its value needs. */
export interface ReadableField {
  type: string;
  isMultiple: boolean;
  options: ReadonlyArray<{ value: string }>;
}

const CHOICE_TYPES = ['select', 'radio', 'checkbox'];
const ACCEPTED: readonly unknown[] = [1, true, '1', 'true', 'on', 'yes'];
const DECLINED: readonly unknown[] = ['0', 'false', 'off', 'no'];

const DATE = /^(?!0000)\d{4}-\d\d-\d\d$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?$/;

/** Whether a field's values are those of its options. */
export const isChoice = (type: string): boolean => CHOICE_TYPES.includes(type);

/** Whether a field is only on or off: a consent, or a checkbox without options. */
export function isSwitch({ type, options }: Pick<ReadableField, 'type' | 'options'>): boolean {
  return type === 'consent' || (type === 'checkbox' && options.length === 0);
}

/** Whether a value sent for a switch means "on". */
export const isAccepted = (value: unknown): boolean => ACCEPTED.includes(value);

/** Whether a value sent for a switch means "off", as an empty or missing one does. */
export const isDeclined = (value: unknown): boolean => !value || DECLINED.includes(value);

/** Converts a date to days since 1970, a time to seconds of the day; null when the text is neither. */
function onClock(type: string, text: string): number | null {
  if (type === 'date') {
    const instant = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
    const isReal = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
    return isReal ? instant / DAY_MS : null;
  }
  const time = type === 'time' ? TIME.exec(text) : null;
  return time ? Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0) : null;
}

/** Places a text on the scale of its type, a number, a date or a time; null when it is not on it. */
export function onScale(type: string, text: string): Decimal | null {
  return readDecimal(type === 'number' ? text : String(onClock(type, text)));
}

/** Converts one value to the text that an HTML form would have sent; null for objects and lists. */
function sentText(value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'boolean' ? String(value) : null;
}

/**
 * Normalises line breaks and outer white space for the type. In a single-line text, a break and the white space around
 * it become one space. Choices and hidden values stay unchanged.
 */
export function normalizedText(type: string, text: string): string {
  if (type === 'hidden' || isChoice(type)) return text;
  if (type === 'textarea') return text.replace(/\r\n?/g, '\n').trim();
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return lines.filter(Boolean).join(' ');
}

/** Splits a sent value into items; browsers send several addresses as one text with commas. */
export function sentItems(field: ReadableField, sent: unknown): unknown[] {
  if (Array.isArray(sent)) return sent;
  return field.isMultiple && field.type === 'email' && typeof sent === 'string' ? sent.split(',') : [sent];
}

/**
 * Reads the normalised texts of a sent or entered value, without the empty ones. Switches are not supported.
 *
 * @param sent The value; undefined when it was not sent.
 * @returns null when the value holds an object or a list inside a list, which no form sends.
 */
export function sentTexts(field: ReadableField, sent: unknown): string[] | null {
  const texts: string[] = [];
  for (const item of sentItems(field, sent)) {
    const text = sentText(item);
    if (text === null) return null;
    const normalized = normalizedText(field.type, text);
    if (normalized !== '') texts.push(normalized);
  }
  return texts;
}
