// Whole forms as hostile as the interface lets them be, each saved or refused with messages of which one holds
// `refusal`; what is saved is then submitted with `values`.
import { ideographs, marks } from './hosts.js';
import { PATTERNS } from './patterns.js';

const list = (length, entryOf) => Array.from({ length }, (_, index) => entryOf(index));

const field = (name, over = {}) => ({ name, type: 'text', label: name, ...over });

const form = (fields, over = {}) => ({
  name: 'Hostile',
  sourceLocale: 'en',
  submitButtonText: 'Send',
  confirmationMessage: 'Thanks.',
  fields,
  ...over,
});

const withPattern = (name, pattern, over = {}) => field(name, { attributes: { pattern }, ...over });

const rule = (over = {}) => ({ field: 'f0', operator: 'equals', value: 'x', ...over });

const nested = (depth) =>
  depth === 0 ? rule() : { match: 'all', rules: [nested(depth - 1), nested(depth - 1)] };

const deep = (depth) => list(depth, () => 0).reduce((inner) => ({ match: 'any', rules: [inner] }), rule());

const options = (length, valueAt = (index) => `option ${index}`) =>
  list(length, (index) => ({ value: valueAt(index), label: 'x' }));

/** Different texts of the greatest length, that begin alike. */
const long = (index, length = 1_000) => `${'a'.repeat(length - 6)}${String(index).padStart(6, '0')}`;

/** The patterns that are saved, each made different by its number. */
const saved = PATTERNS.filter(({ refusal }) => !refusal).map(({ pattern }) => pattern);
const manyPatterns = (length) =>
  list(length, (index) =>
    withPattern(`f${index}`, `(?:${saved[index % saved.length]})|${index}`.slice(-1_000)),
  );

/** The same text for each of the fields f0, f1 and so on. */
const everywhere = (length, text) => Object.fromEntries(list(length, (index) => [`f${index}`, text]));

const COSTLY = 'are too large together';

/** @type {{ name: string, input: object, refusal?: string, values?: object }[]} */
export const FORMS = [
  {
    name: '900 values of a cubic pattern',
    input: form([withPattern('f0', 'a*a*a*b', { isMultiple: true })]),
    values: { f0: list(900, (index) => 'a'.repeat(200 + (index % 50))) },
  },
  {
    name: 'three fields of a hundred look-aheads',
    input: form(list(3, (index) => withPattern(`f${index}`, '(?=.*a)'.repeat(100)))),
    refusal: 'a look-ahead',
  },
  {
    name: 'a pattern of 64 characters that nests repetitions',
    input: form([withPattern('f0', '(?:(?:(?:(?:(?:(?:(?:(?:(?:a?b?){9}){9}){9}){9}){9}){9}){9}){9})*')]),
    refusal: 'This pattern is too large',
  },
  {
    name: '200 different patterns that are large together',
    input: form(list(200, (index) => withPattern(`f${index}`, `${long(index)}`))),
    refusal: COSTLY,
  },
  {
    name: '200 different patterns that compile to much',
    input: form(list(200, (index) => withPattern(`f${index}`, `(?:.*${index}){99}`))),
    refusal: COSTLY,
  },
  {
    name: 'as many endless repetitions as may be, over long texts',
    input: form(list(19, (index) => withPattern(`f${index}`, `${'.*'.repeat(450)}${index}`))),
    values: everywhere(19, 'ab'.repeat(5_000)),
  },
  {
    name: 'the same slow pattern in 200 fields',
    input: form(list(200, (index) => withPattern(`f${index}`, '(?:a|a?)+!'))),
    values: everywhere(200, 'a'.repeat(1_000)),
  },
  {
    name: 'a repetition with a property, over astral characters',
    input: form([withPattern('f0', '(?:[\\p{L}\\p{M}]*[\\p{N}\\p{P}]*)*', { isMultiple: true })]),
    values: { f0: list(12, () => '𝒜😀é'.repeat(1_900)) },
  },
  {
    name: '1,000 fields with the largest pattern',
    input: form(list(1_000, (index) => withPattern(`f${index}`, 'a'.repeat(150)))),
    refusal: 'must be at most 200 entries',
  },
  {
    name: '106 fields of 10 rules',
    input: form([
      field('f0'),
      ...list(105, (index) =>
        field(`g${index}`, { visibility: { match: 'all', rules: list(10, () => rule({ value: 'a' })) } }),
      ),
    ]),
    refusal: 'compare 1,000 values at most',
  },
  {
    name: 'a condition of 101 rules',
    input: form([field('f0'), field('g', { visibility: { match: 'any', rules: list(101, () => rule()) } })]),
    refusal: 'Expected 100 rules at most.',
  },
  {
    name: 'conditions nested 2,000 deep',
    input: form([field('f0'), field('g', { visibility: deep(2_000) })]),
    refusal: 'is nested too deep',
  },
  {
    name: 'conditions nested 6 deep',
    input: form([field('f0'), field('g', { visibility: nested(6) })]),
    refusal: 'Conditions may be nested 5 deep at most.',
  },
  {
    name: 'as many nested rules as may be, over 900 values',
    input: form([
      field('f0', { isMultiple: true }),
      ...list(31, (index) => field(`g${index}`, { visibility: nested(5) })),
    ]),
    values: { f0: list(900, (index) => `${'a'.repeat(200)}${index}`) },
  },
  {
    name: 'rules that look for long texts in long texts',
    input: form([
      field('f0', { isMultiple: true }),
      field('g', {
        visibility: {
          match: 'any',
          rules: list(50, (at) => rule({ operator: 'contains', value: `b${long(at, 254)}` })),
        },
      }),
    ]),
    values: { f0: list(25, () => 'a'.repeat(10_000)) },
  },
  {
    name: 'rules that look for texts that V8 searches for slowly, in one that is too long',
    input: form([
      field('f0', { type: 'textarea' }),
      field('g', {
        visibility: {
          match: 'any',
          rules: list(50, () => rule({ operator: 'contains', value: `b${'a'.repeat(254)}` })),
        },
      }),
    ]),
    values: { f0: `b${'a'.repeat(253)}c`.repeat(20) + 'a'.repeat(250_000) },
  },
  {
    name: 'recipients by texts that V8 searches for slowly',
    input: form([field('f0', { type: 'textarea' })], {
      recipientRules: [
        {
          when: {
            match: 'any',
            rules: list(50, () => rule({ operator: 'contains', value: `ab${'a'.repeat(253)}` })),
          },
          recipients: ['sales@wide.test'],
        },
      ],
    }),
    values: { f0: 'a'.repeat(10_000) },
  },
  {
    name: 'as many addresses in one text as fit into a body',
    input: form([field('f0', { type: 'email', isMultiple: true })]),
    values: { f0: 'a@b.cd,'.repeat(37_000) },
  },
  {
    name: 'a thousand rules that search texts',
    input: form([
      field('f0', { isMultiple: true }),
      ...list(20, (index) =>
        field(`g${index}`, {
          visibility: {
            match: 'any',
            rules: list(50, (at) => rule({ operator: 'contains', value: `${at}` })),
          },
        }),
      ),
    ]),
    refusal: 'compare 1,000 values at most',
  },
  {
    name: 'numbers compared by 1,000 rules',
    input: form([
      field('f0', { type: 'number', isMultiple: true }),
      ...list(10, (index) =>
        field(`g${index}`, {
          visibility: { match: 'any', rules: list(100, (at) => rule({ operator: 'gt', value: 1e9 + at })) },
        }),
      ),
    ]),
    values: { f0: list(900, (index) => index) },
  },
  {
    name: 'a rule that looks for a text of 100,000 characters',
    input: form([
      field('f0'),
      field('g', { visibility: { match: 'all', rules: [rule({ value: 'a'.repeat(100_000) })] } }),
    ]),
    refusal: 'A value has 255 characters at most.',
  },
  {
    name: 'a chain of 200 fields that show each other',
    input: form(
      list(200, (index) =>
        field(`f${index}`, {
          visibility: index ? { match: 'all', rules: [rule({ field: `f${index - 1}` })] } : null,
        }),
      ),
    ),
    values: everywhere(200, 'x'.repeat(1_000)),
  },
  {
    name: 'a circle of 200 fields',
    input: form(
      list(200, (index) =>
        field(`f${index}`, {
          visibility: { match: 'all', rules: [rule({ field: `f${(index + 199) % 200}` })] },
        }),
      ),
    ),
    refusal: 'run in a circle',
  },
  {
    name: 'circles through every field',
    input: form(
      list(200, (index) =>
        field(`f${index}`, {
          visibility: { match: 'any', rules: list(5, (at) => rule({ field: `f${(index + at + 1) % 200}` })) },
        }),
      ),
    ),
    refusal: 'run in a circle',
  },
  {
    name: '1,000 options of the greatest length, all chosen',
    input: form([
      field('f0', { type: 'checkbox', isMultiple: true, options: options(700, (i) => long(i, 255)) }),
    ]),
    values: { f0: list(900, (index) => long(index, 255)) },
  },
  {
    name: '1,000 options that are each translated',
    input: form(
      [
        field('f0', {
          type: 'select',
          options: options(1_000).map((option) => ({
            ...option,
            translations: [{ locale: 'fr', label: 'x' }],
          })),
        }),
      ],
      { translations: [{ locale: 'fr', submitButtonText: 'Envoyer' }] },
    ),
    values: { f0: 'option 999' },
  },
  {
    name: '3,000 options that are all the same',
    input: form(
      list(3, (index) => field(`f${index}`, { type: 'select', options: options(1_000, () => 'same') })),
    ),
    refusal: 'is the same as in entry 0',
  },
  {
    name: '2,000 options',
    input: form([field('f0', { type: 'select', options: options(2_000) })]),
    refusal: 'must be at most 1000 entries',
  },
  {
    name: '9,000 attributes',
    input: form([field('f0', { attributes: Object.fromEntries(list(9_000, (i) => [`data-${i}`, 'x'])) })]),
    refusal: 'must be at most 200 entries',
  },
  {
    name: '100 attributes',
    input: form([field('f0', { attributes: Object.fromEntries(list(100, (i) => [`data-${i}`, 'x'])) })]),
    refusal: 'must be at most 50 entries',
  },
  {
    name: '8,000 attributes whose names are none',
    input: form([field('f0', { attributes: Object.fromEntries(list(8_000, (i) => [`Data ${i}`, 'x'])) })]),
    refusal: 'must be at most 200 entries',
  },
  {
    name: '200 fields of the same name',
    input: form(list(200, () => field('f0'))),
    refusal: 'is the same as in entry 0',
  },
  {
    name: 'a text of 250,000 characters',
    input: form([field('f0')], { confirmationMessage: 'é'.repeat(120_000) }),
    refusal: 'must be at most 5000 characters',
  },
  {
    name: '3,000 translations',
    input: form([field('f0')], {
      translations: list(3_000, () => ({ locale: 'fr', submitButtonText: 'Envoyer' })),
    }),
    refusal: 'must be at most 100 entries',
  },
  {
    name: '7,500 options',
    input: form(
      list(15, (index) => field(`f${index}`, { type: 'select', options: options(500, (i) => `${i}`) })),
    ),
    refusal: 'more than 12500 values',
  },
  {
    name: '8 addresses whose hosts have 9,900 characters',
    input: form(list(8, (index) => field(`f${index}`, { type: 'url' }))),
    values: Object.fromEntries(list(8, (index) => [`f${index}`, `https://${ideographs(9_900)}.fr/`])),
  },
  {
    name: '200 addresses whose hosts are as long as any',
    input: form(list(200, (index) => field(`f${index}`, { type: 'url' }))),
    values: Object.fromEntries(list(200, (index) => [`f${index}`, `https://${ideographs(250)}.fr/`])),
  },
  {
    name: '40 links whose hosts have 2,030 characters',
    input: form(list(40, (index) => field(`f${index}`, { linkUrl: `https://${ideographs(2_030)}.fr/` }))),
    refusal: 'http or https address',
  },
  {
    name: 'a text of 8,000 marks',
    input: form([field('f0', { type: 'textarea' })]),
    values: { f0: marks(8_000) },
  },
  { name: 'the patterns of the table together', input: form(manyPatterns(200)), refusal: COSTLY },
];
