import type { FormDefinition } from '../../forms/definition/form-definition.js';
import type { FieldValue } from '../../forms/validation/field-value.js';
import type { Json } from '../../forms/validation/submission-body.js';

/** The index would grow without use beyond this; in UTF-16 code units. */
const MAX_LENGTH = 8_000;

/** A telephone number is known by so many digits at its end, with or without its country or a leading zero. */
const NUMBER_TAIL = 8;

/** From this length on the last word that is looked for may be the beginning of one. */
const MIN_BEGINNING = 3;

const ACCENTS = /[\u0300-\u036f]+/g;

/**
 * A longer word is several: PostgreSQL keeps words of up to 2 KB. The text is lower-case; what is ASCII in it is told
 * in less than half the time without the tables of Unicode.
 */
const WORD = /(?:[0-9a-z]|(?![\0-\x7f])[\p{L}\p{N}\p{M}]){1,100}/gu;

/** Scripts that put no space between words; the first is quicker to look for. */
const MAYBE_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\ud82b\ud82c\ud840-\ud8ff]/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*/gu;

/** Adds the texts and numbers of a value, one a line, as far as they are looked at. */
function withTexts(text: string, value: Json | FieldValue): string {
  if (text.length >= MAX_LENGTH || typeof value === 'boolean' || value === null) return text;
  if (typeof value === 'object') return Object.values(value).reduce<string>(withTexts, text);
  return `${text}${String(value).slice(0, MAX_LENGTH - text.length)}\n`;
}

/** The words of a text: lower-case, without accents, nothing but letters and digits. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
  const parted = MAYBE_UNSPACED.test(plain) ? plain.replace(UNSPACED, ' $& ') : plain;
  return parted.match(WORD) ?? [];
}

const tailOf = (number: string): string => number.replace(/\D/g, '').slice(-NUMBER_TAIL);

/** The telephone numbers of the form's `tel` fields, as far as they are compared. */
const numbersOf = ({ fields }: FormDefinition, values: Record<string, FieldValue>): string[] =>
  fields
    .filter(({ type }) => type === 'tel')
    .flatMap(({ name }) => values[name] ?? [])
    .map((number) => tailOf(String(number)))
    .filter((tail) => tail.length === NUMBER_TAIL);

/**
 * What the inbox search looks into: the words of every text and number that was sent, and the telephone numbers,
 * as PostgreSQL reads a `tsvector`.
 */
export function searchWordsOf(
  definition: FormDefinition,
  values: Record<string, FieldValue>,
  undeclared: Record<string, Json>,
): string {
  const text = withTexts(withTexts('', values), undeclared);
  return [...wordsOf(text), ...numbersOf(definition, values)].join(' ');
}

const MAYBE_TELEPHONE = /^\+?[\d\s().\-/]+$/;

/**
 * What has to be found for a text that is looked for, as PostgreSQL reads a `tsquery`: all its words, the last
 * of them by its beginning, or the telephone number that it may be. Null: it has no words.
 */
export function searchQueryOf(text: string): string | null {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (last === undefined) return null;
  // An address is looked for whole; and its end is the beginning of too much.
  const isBeginning = last.length >= MIN_BEGINNING && !text.includes('@');
  const all = `${words.join(' & ')}${isBeginning ? ':*' : ''}`;
  const tail = MAYBE_TELEPHONE.test(text) ? tailOf(text) : '';
  return tail.length === NUMBER_TAIL ? `${tail} | ${all}` : all;
}

/** The addresses in the form's `email` fields, lower-case: by them everything about a person is found. */
export function emailsOf({ fields }: FormDefinition, values: Record<string, FieldValue>): string[] {
  const addresses = fields
    .filter((field) => field.type === 'email')
    .flatMap((field) => values[field.name] ?? [])
    .map((address) => String(address).toLowerCase());
  return [...new Set(addresses)];
}
