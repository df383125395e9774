/*
 * What a sent or entered value means, before anyone asks whether it is valid: the one normalisation that
 * display conditions and validation look at. Server and browser script share this module.
 */

import { storableText } from '../lib/storable-text.js';

/** What the reading of a value needs to know of its field. */
export interface ReadableField {
  type: string;
  isMultiple: boolean;
  options: ReadonlyArray<{ value: string }>;
}

const CHOICE_TYPES = ['select', 'radio', 'checkbox'];
const ACCEPTED = ['1', 'true', 'on', 'yes'];

/** The HTML standard's floating-point number: no plus sign, no comma, digits after the point. */
const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?$/;
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
export function isAccepted(value: unknown): boolean {
  return value === 1 || value === true || (typeof value === 'string' && ACCEPTED.includes(value));
}

/** A text on the scale of its type: numbers, days since 1970, seconds of the day; null if it is not on it. */
export function onScale(type: string, text: string): number | null {
  if (type === 'number') {
    const number = NUMBER.test(text) ? Number(text) : Number.NaN;
    return Number.isFinite(number) ? number + 0 : null;
  }
  if (type === 'date') {
    const instant = DATE.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
    const isReal = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
    return isReal ? instant / MS_PER_DAY : null;
  }
  const time = type === 'time' ? TIME.exec(text) : null;
  return time ? Number(time[1]) * 3600 + Number(time[2]) * 60 + Number(time[3] ?? 0) : null;
}

/** One value as the text an HTML form would have sent, or null for objects and lists. */
function sentText(value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return storableText(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'boolean' ? String(value) : null;
}

/** Line breaks and outer white space as the type has them. Choices and hidden values stay as they are. */
export function normalizedText(type: string, text: string): string {
  if (type === 'hidden' || isChoice(type)) return text;
  if (type === 'textarea') return text.replace(/\r\n?/g, '\n').trim();
  return text.replace(/[\r\n]+/g, '').trim();
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
