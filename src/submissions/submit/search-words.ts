import type { FormDefinition } from '../../forms/definition/form-definition.js';
import { everyChoice } from '../../forms/definition/translate.js';
import type { FieldValue } from '../../forms/validation/field-value.js';
import type { Json } from '../../forms/validation/submission-body.js';
import { withoutAccents } from '../../lib/text/decompose.js';
import { numberTail } from '../../lib/text/number-tail.js';

/** Maximum length of the indexed text, in UTF-16 code units: more would grow the index without use. */
const MAX_LENGTH = 8_000;

/** Minimum length from which the last word of a query is matched as a prefix. */
const MIN_BEGINNING = 3;

/**
 * Matches a word of a lower-case text; a longer word counts as several, since PostgreSQL keeps words of up to 2 KB.
 *
 * The separate branch for ASCII avoids the Unicode tables, which takes less than half the time.
 */
const WORD = /(?:[0-9a-z]|(?![\0-\x7f])[\p{L}\p{N}\p{M}]){1,100}/gu;

/** Match scripts that put no space between words; the first is a quicker check that may match too much. */
const MAYBE_UNSPACED =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\ud82b\ud82c\ud840-\ud8ff]/;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*/gu;

/** Appends the texts and numbers of a value, one a line, up to `MAX_LENGTH`. */
function withTexts(text: string, value: Json | FieldValue): string {
  if (text.length >= MAX_LENGTH || typeof value === 'boolean' || value === null) return text;
  if (typeof value === 'object') return Object.values(value).reduce<string>(withTexts, text);
  return `${text}${String(value).slice(0, MAX_LENGTH - text.length)}\n`;
}

/** Splits a text into words of letters and digits, lower-case and without accents and ligatures. */
function wordsOf(text: string): string[] {
  const plain = withoutAccents(text).toLowerCase().replace(/œ/g, 'oe').replace(/æ/g, 'ae');
  const parted = MAYBE_UNSPACED.test(plain) ? plain.replace(UNSPACED, ' $& ') : plain;
  return parted.match(WORD) ?? [];
}

/** Returns the last digits of the telephone numbers in the form's `tel` fields. */
const numbersOf = ({ fields }: FormDefinition, values: Record<string, FieldValue>): string[] =>
  fields
    .filter(({ type }) => type === 'tel')
    .flatMap(({ name }) => values[name] ?? [])
    .flatMap((number) => numberTail(String(number)) ?? []);

/** Returns the labels of the chosen options, in every language in which the panel may show them. */
const choicesOf = ({ fields }: FormDefinition, values: Record<string, FieldValue>): string[] =>
  fields
    .filter(({ options }) => options.length > 0)
    .flatMap((field) =>
      [values[field.name] ?? []].flat().flatMap((value) => everyChoice(field, String(value))),
    );

/**
 * Builds the text that the inbox search indexes, as PostgreSQL reads a `tsvector`.
 *
 * It has the words of every text and number of the submission, the labels of its choices, and the telephone numbers.
 */
export function searchWordsOf(
  definition: FormDefinition,
  values: Record<string, FieldValue>,
  undeclared: Record<string, Json>,
): string {
  const texts = [values, choicesOf(definition, values), undeclared];
  const text = texts.reduce<string>(withTexts, '');
  return [...wordsOf(text), ...numbersOf(definition, values)].join(' ');
}

/** Lists how a word may be indexed: submissions of before 0.5 have their ligatures. */
function spellingsOf(word: string): string[] {
  const joined = word.replaceAll('oe', 'œ').replaceAll('ae', 'æ');
  return joined === word ? [word] : [word, joined];
}

const MAYBE_TELEPHONE = /^\+?[\d\s().\-/]+$/;

/**
 * Builds the query for a search text, as PostgreSQL reads a `tsquery`.
 *
 * It matches all words, the last one as a prefix, or the telephone number that the text may be.
 *
 * @returns null when the text has no words.
 */
export function searchQueryOf(text: string): string | null {
  const words = wordsOf(text);
  const last = words.at(-1);
  if (last === undefined) return null;
  // An address is matched whole, because its last word as a prefix would match too much.
  const isBeginning = last.length >= MIN_BEGINNING && !text.includes('@');
  const terms = words.map((word, at) => {
    const isLast = at === words.length - 1;
    const spellings = spellingsOf(word).map((each) => `${each}${isLast && isBeginning ? ':*' : ''}`);
    return spellings.length > 1 ? `(${spellings.join(' | ')})` : spellings[0];
  });
  const all = terms.join(' & ');
  const tail = MAYBE_TELEPHONE.test(text) ? numberTail(text) : null;
  return tail === null ? all : `${tail} | ${all}`;
}

/** Returns the addresses in the form's `email` fields, lower-case, by which a person's data is found. */
export function emailsOf({ fields }: FormDefinition, values: Record<string, FieldValue>): string[] {
  const addresses = fields
    .filter((field) => field.type === 'email')
    .flatMap((field) => values[field.name] ?? [])
    .map((address) => String(address).toLowerCase());
  return [...new Set(addresses)];
}
