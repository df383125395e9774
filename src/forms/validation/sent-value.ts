/*
 * What a sent or entered value means, before anyone asks whether it is valid: the one normalisation that
 * display conditions and validation look at. Server and browser script share this module.
 */

import { type Decimal, readDecimal } from '../../lib/decimal.js';
import { storableText } from '../../lib/storable-text.js';

/** What the reading of a value needs to know of its field. */
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

const MS_PER_DAY = 86_400_000;

/** Whether a field's values are those of its options. */
export const isChoice = (type: string): boolean => CHOICE_TYPES.includes(type);

/** A field that is only on or off: a consent, or a checkbox without options. */
export function isSwitch({ type, options }: Pick<ReadableField, 'type' | 'options'>): boolean {
  return type === 'consent' || (type === 'checkbox' && options.length === 0);
}

/** Whether a value sent for a switch means "on". */
export const isAccepted = (value: unknown): boolean => ACCEPTED.includes(value);

/** Whether a value sent for a switch means "off"; one that is empty or was not sent does. */
export const isDeclined = (value: unknown): boolean => !value || DECLINED.includes(value);

/** A date as days since 1970, a time as seconds of the day; null if the text is none. */
function onClock(type: string, text: string): number | null {
  if (type === 'date') {
    const instant = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
    const isReal = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
    return isReal ? instant / MS_PER_DAY : null;
  }
  const time = type === 'time' ? TIME.exec(text) : null;
  return time ? Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0) : null;
}

/** A text on the scale of its type, which is a number, a date or a time; null if it is not on it. */
export function onScale(type: string, text: string): Decimal | null {
  return readDecimal(type === 'number' ? text : String(onClock(type, text)));
}

/** One value as the text an HTML form would have sent, or null for objects and lists. */
function sentText(value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'boolean' ? String(value) : null;
}

/**
 * Line breaks and outer white space as the type has them: on a single line a break becomes one space, with the white
 * space around it. Choices and hidden values stay as they are.
 */
export function normalizedText(type: string, text: string): string {
  if (type === 'hidden' || isChoice(type)) return text;
  if (type === 'textarea') return text.replace(/\r\n?/g, '\n').trim();
  const lines = text.split(/[\r\n]/).map((line) => line.trim());
  return lines.filter(Boolean).join(' ');
}

/** The values of a field that takes several; browsers send several addresses as one text with commas. */
function sentItems(field: ReadableField, sent: unknown): unknown[] {
  if (Array.isArray(sent)) return sent;
  return field.isMultiple && field.type === 'email' && typeof sent === 'string' ? sent.split(',') : [sent];
}

/**
 * The normalised texts of a value as it was sent or entered, without the empty ones. Not for switches.
 *
 * @param sent undefined when it was not sent.
 * @returns null when it holds an object or a list inside a list, which no form sends.
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
