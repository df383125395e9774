import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { OPERATORS, visibleFields } from '../../../src/forms/definition/conditions.js';
import {
  FIELD_TYPES,
  type FieldDefinition,
  type FormDefinition,
} from '../../../src/forms/definition/form-definition.js';
import { readPatternsNow } from '../../../src/forms/definition/patterns.js';
import { CONTEXT_FIELDS } from '../../../src/forms/validation/context-fields.js';
import type { ValidationFault } from '../../../src/forms/validation/entry-messages.js';
import { readConsents, readValues } from '../../../src/forms/validation/field-values.js';
import { validationMessage } from '../../../src/forms/validation/validation-messages.js';
import { finish } from '../../../src/lib/steps.js';
import { field, form, options } from './forms.js';

type Body = Record<string, unknown>;

/** Reads a body with what the gateway makes of the patterns of the form. */
const readBody = (definition: FormDefinition, body: Body, locale: string) =>
  finish(readValues(definition, readPatternsNow(definition.fields), body, locale));

/** What is recorded for one field `x`, or the fault codes' messages. */
function read(definition: Partial<FieldDefinition>, value: unknown): unknown {
  const result = readBody(form([field('x', definition)]), value === undefined ? {} : { x: value }, 'en');
  return result.ok ? result.values.x : result.errors.x;
}

function says(...faults: ValidationFault[]): string[] {
  return faults.map((fault) => validationMessage(fault, 'en'));
}

const faulty = (code: string, limit?: number | string) => says({ code, limit } as ValidationFault);

describe('texts', () => {
  test.each<[Partial<FieldDefinition>, unknown, unknown]>([
    [{}, 'Ada', 'Ada'],
    [{}, '  Ada ', 'Ada'],
    [{}, ' Ada\r\nByron\nof\rLovelace\n', 'Ada Byron of Lovelace'],
    [{}, 'Ada \n\n  Byron', 'Ada Byron'],
    [{ type: 'tel' }, '01 02\r\n03 04', '01 02 03 04'],
    [{ type: 'email' }, 'ada@acme.test\r\n', 'ada@acme.test'],
    [{ type: 'email' }, 'ada@acme.te\nst', faulty('email')],
    [{}, '', undefined],
    [{}, '   ', undefined],
    [{}, null, undefined],
    [{}, undefined, undefined],
    [{}, 75002, '75002'],
    [{}, -0, '0'],
    [{}, true, 'true'],
    [{}, {}, faulty('type')],
    [{}, ['a'], faulty('single')],
    [{}, 'a\0b\ud800c😀', 'a\uFFFDb\uFFFDc😀'],
    [{ isRequired: true }, '  ', faulty('required')],
    [{ isRequired: true }, undefined, faulty('required')],
    [{ isRequired: true }, 0, '0'],
    [{}, 'a'.repeat(10_000), 'a'.repeat(10_000)],
    [{}, '😀'.repeat(10_000), '😀'.repeat(10_000)],
    [{}, '😀'.repeat(10_001), faulty('too_long', 10_000)],
    [{}, 'a'.repeat(10_001), faulty('too_long', 10_000)],
    [{ attributes: { maxlength: '20000' } }, 'a'.repeat(10_001), faulty('too_long', 10_000)],
    [{ attributes: { maxlength: '3' } }, 'abcd', faulty('too_long', 3)],
    [{ attributes: { maxlength: '3' } }, '😀😀a', '😀😀a'],
    [{ attributes: { maxlength: '3' } }, '😀😀😀😀', faulty('too_long', 3)],
    [{ attributes: { minlength: '3' } }, '😀😀', faulty('too_short', 3)],
    [{ attributes: { maxlength: 'x' } }, 'abcd', 'abcd'],
    [{ attributes: { minlength: '3' } }, 'ab', faulty('too_short', 3)],
    [{ attributes: { minlength: '3' } }, '', undefined],
    [{ attributes: { pattern: '[0-9]{5}' } }, '75002', '75002'],
    [{ attributes: { pattern: '[0-9]{5}' } }, '7500', faulty('pattern')],
    [{ attributes: { pattern: '(' } }, 'any', 'any'],
    [
      { attributes: { pattern: 'b+', minlength: '2' } },
      'a',
      [...faulty('too_short', 2), ...faulty('pattern')],
    ],
    [{ type: 'textarea' }, ' a\r\nb\rc\n ', 'a\nb\nc'],
    [{ type: 'textarea', attributes: { maxlength: '3' } }, 'a\r\nb', 'a\nb'],
    [{ type: 'textarea', attributes: { pattern: 'x' } }, 'a', 'a'],
    [{ type: 'hidden' }, ' kept ', ' kept '],
    [{ type: 'tel' }, ' +33 (0)1 02-03 ', '+33 (0)1 02-03'],
    [{ type: 'tel' }, 'ask me', 'ask me'],
  ])('a field with %j reads %j as %j', (definition, value, expected) => {
    expect(read(definition, value)).toEqual(expected);
  });
});

describe('addresses', () => {
  const label = 'a'.repeat(63);
  test.each<[string, boolean]>([
    ['ada@acme.test', true],
    ['a.b+c@localhost', true],
    ["o'hara@sub.acme.test", true],
    [`a@${label}.test`, true],
    [`a@${label}a.test`, false],
    ['ada', false],
    ['ada@', false],
    ['@acme.test', false],
    ['ada@acme..test', false],
    ['ada@-acme.test', false],
    ['ada@acme.test.', false],
    ['a b@acme.test', false],
    ['ada@acme.test\nBcc: x@y.z', false],
    ['é@acme.test', false],
  ])('the e-mail address %j is valid: %s', (value, isValid) => {
    expect(read({ type: 'email' }, value)).toEqual(isValid ? value : faulty('email'));
  });

  test('an e-mail address has 254 characters at most', () => {
    const domain = `${label}.${label}.${label}`;
    const longest = `${'a'.repeat(254 - domain.length - 1)}@${domain}`;
    expect(read({ type: 'email' }, longest)).toBe(longest);
    expect(read({ type: 'email' }, `a${longest}`)).toEqual(faulty('too_long', 254));
    expect(read({ type: 'email', isMultiple: true }, 'a@b.c, d@e.f')).toEqual(['a@b.c', 'd@e.f']);
  });

  test.each<[string, boolean]>([
    ['https://acme.test/a?b#c', true],
    ['HTTP://acme.test', true],
    ['acme.test', false],
    ['javascript:alert(1)', false],
    ['mailto:ada@acme.test', false],
    ['https://', false],
  ])('the web address %j is valid: %s', (value, isValid) => {
    expect(read({ type: 'url' }, value)).toEqual(isValid ? value : faulty('url'));
  });
});

describe('numbers', () => {
  const between = { min: '1', max: '10', step: '0.1' };
  test.each<[Record<string, string>, unknown, unknown]>([
    [{}, '12', 12],
    [{}, 12.5, 12.5],
    [{}, ' -3.50 ', -3.5],
    [{}, '.5', 0.5],
    [{}, '1e3', 1000],
    [{}, '0', 0],
    [{}, '-0', 0],
    [{}, -0, 0],
    [{}, '', undefined],
    [{}, '1e400', '1e400'],
    [{}, '-1E+400', '-1E+400'],
    [{}, '1e-400', '1e-400'],
    [{}, '9007199254740992', 9007199254740992],
    [{}, '9007199254740993', '9007199254740993'],
    [{}, '0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    [{}, ' 12345678901234567.50 ', '12345678901234567.50'],
    [{}, `1${'0'.repeat(22)}`, 1e22],
    [{}, `0.1${'0'.repeat(400)}`, 0.1],
    [{}, '9'.repeat(10_001), faulty('too_long', 10_000)],
    [{ max: '9007199254740992' }, '9007199254740993', faulty('too_high', 9007199254740992)],
    [{ max: '9007199254740993' }, '9007199254740993', '9007199254740993'],
    [{ max: '9007199254740993' }, '9007199254740994', faulty('too_high', '9007199254740993')],
    [{ min: '9007199254740993' }, 9007199254740992, faulty('too_low', '9007199254740993')],
    [{ max: '1000' }, '1e400', faulty('too_high', 1000)],
    [{ min: '0' }, '-1e400', faulty('too_low', 0)],
    [{ min: '0' }, '-1e-400', faulty('too_low', 0)],
    [{ min: '0', step: '1' }, '1e400', '1e400'],
    [{}, JSON.parse('1e400'), faulty('type')],
    [{}, 'NaN', faulty('number')],
    [{}, 'Infinity', faulty('number')],
    [{}, '+5', faulty('number')],
    [{}, '1.', faulty('number')],
    [{}, '1,5', faulty('number')],
    [{}, '0x10', faulty('number')],
    [{}, '1 000', faulty('number')],
    [{}, true, faulty('number')],
    [between, '1', 1],
    [between, '10', 10],
    [between, '1.3', 1.3],
    [between, '0.9', faulty('too_low', 1)],
    [between, '10.1', faulty('too_high', 10)],
    [between, '1.35', faulty('step')],
    [between, 1.1 + 2.2, 3.3000000000000003],
    [{ step: 'any' }, '1.35', 1.35],
    [{ step: '0' }, '1.35', 1.35],
    [{ min: '0.5', step: '1' }, '2.5', 2.5],
    [{ min: '10', step: '0.1' }, '10.1', 10.1],
    [{ min: '11.65', step: '0.01' }, '11.66', 11.66],
    [{ min: '1000', step: '0.01' }, '1000.10', 1000.1],
    [{ min: '-90', step: '0.001' }, '-89.999', -89.999],
    [{ min: '1000', step: '0.01' }, '1000.005', faulty('step')],
    [{ min: 'x', max: '' }, '5', 5],
  ])('a number with %j reads %j as %j', (attributes, value, expected) => {
    expect(read({ type: 'number', attributes }, value)).toEqual(expected);
  });
});

test('each number that is whole steps above the minimum is on a step, and none half-way between two', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -10_000_000, max: 10_000_000 }),
      fc.integer({ min: 1, max: 5_000 }),
      fc.nat({ max: 1_000_000 }),
      fc.integer({ min: 0, max: 3 }),
      (min, step, count, places) => {
        const spell = (scaled: number) => (scaled / 10 ** places).toFixed(places);
        const attributes = { min: spell(min), step: spell(step) };
        const reads = (value: string) => read({ type: 'number', attributes }, value);
        const value = spell(min + count * step);
        expect(reads(value)).toBe(Number(value));
        expect(reads(((min + (count + 0.5) * step) / 10 ** places).toFixed(places + 1))).toEqual(
          faulty('step'),
        );
      },
    ),
  );
});

describe('dates and times', () => {
  const days = { min: '2026-01-01', max: '2026-12-31', step: '7' };
  test.each<[Record<string, string>, string, unknown]>([
    [{}, '2026-02-28', '2026-02-28'],
    [{}, '2024-02-29', '2024-02-29'],
    [{}, '2026-02-29', faulty('date')],
    [{}, '2026-13-01', faulty('date')],
    [{}, '2026-04-31', faulty('date')],
    [{}, '0000-01-01', faulty('date')],
    [{}, '28/02/2026', faulty('date')],
    [{}, '2026-02-28T00:00', faulty('date')],
    [days, '2026-01-08', '2026-01-08'],
    [days, '2026-01-09', faulty('step')],
    [days, '2025-12-25', faulty('too_low', '2026-01-01')],
    [days, '2027-01-07', faulty('too_high', '2026-12-31')],
  ])('a date with %j reads %j as %j', (attributes, value, expected) => {
    expect(read({ type: 'date', attributes }, value)).toEqual(expected);
  });

  const night = { min: '22:00', max: '06:00' };
  test.each<[Record<string, string>, string, unknown]>([
    [{}, '09:30', '09:30'],
    [{}, '23:59:59.999', '23:59:59.999'],
    [{}, '24:00', faulty('time')],
    [{}, '9:30', faulty('time')],
    [{}, '09:60', faulty('time')],
    [{ min: '09:00', max: '18:00' }, '08:59', faulty('too_low', '09:00')],
    [{ min: '09:00', max: '18:00' }, '18:01', faulty('too_high', '18:00')],
    [{ min: '09:00', step: '900' }, '09:15', '09:15'],
    [{ min: '09:00', step: '900' }, '09:20', faulty('step')],
    [night, '23:00', '23:00'],
    [night, '05:00', '05:00'],
    [night, '12:00', faulty('too_low', '22:00')],
  ])('a time with %j reads %j as %j', (attributes, value, expected) => {
    expect(read({ type: 'time', attributes }, value)).toEqual(expected);
  });
});

describe('choices', () => {
  const one = { type: 'select', options: options('a', 'b', '1', '__proto__') } as const;
  const many = { ...one, type: 'checkbox', isMultiple: true } as const;
  test.each<[Partial<FieldDefinition>, unknown, unknown]>([
    [one, 'a', 'a'],
    [one, 1, '1'],
    [one, '__proto__', '__proto__'],
    [one, 'constructor', faulty('choice')],
    [one, 'A', faulty('choice')],
    [one, ' a', faulty('choice')],
    [one, ['a'], faulty('single')],
    [one, '', undefined],
    [{ ...one, isRequired: true }, '', faulty('required')],
    [{ type: 'radio', options: [] }, 'a', faulty('choice')],
    [many, ['a', 'b'], ['a', 'b']],
    [many, 'a', ['a']],
    [many, ['a', 'a', ''], ['a']],
    [many, ['a', 'c', 'd'], faulty('choice')],
    [many, [['a']], faulty('type')],
    [many, [], undefined],
    [{ ...many, isRequired: true }, [], faulty('required')],
    [{ type: 'number', isMultiple: true }, ['1', 2], [1, 2]],
    [{ isMultiple: true, attributes: { maxlength: '1' } }, ['ab', 'cd', 'e'], faulty('too_long', 1)],
    ...[1, '1', true, 'true', 'on', 'yes'].map((ticked): [Partial<FieldDefinition>, unknown, unknown] => [
      { type: 'checkbox' },
      ticked,
      true,
    ]),
    ...[0, '0', false, 'false', 'off', 'no'].map((word): [Partial<FieldDefinition>, unknown, unknown] => [
      { type: 'checkbox' },
      word,
      false,
    ]),
    ...['', null, undefined].map((nothing): [Partial<FieldDefinition>, unknown, unknown] => [
      { type: 'checkbox' },
      nothing,
      undefined,
    ]),
    ...[2, -1, '2', '1.0', 'ON', ' on', 'oui', 'null', '9007199254740993'].map(
      (junk): [Partial<FieldDefinition>, unknown, unknown] => [{ type: 'checkbox' }, junk, faulty('tick')],
    ),
    [{ type: 'checkbox' }, ['1'], faulty('type')],
    [{ type: 'checkbox', isRequired: true }, 'oui', faulty('tick')],
    [{ type: 'checkbox', isRequired: true }, 'off', faulty('required')],
    [{ type: 'checkbox', isRequired: true }, false, faulty('required')],
  ])('a field with %j reads %j as %j', (definition, value, expected) => {
    expect(read(definition, value)).toEqual(expected);
  });
});

describe('consents', () => {
  test.each([1, '1', true, 'true', 'on', 'yes'])('%j gives consent', (value) => {
    expect(read({ type: 'consent', isRequired: true }, value)).toBe(true);
  });

  test.each([undefined, null, '', 0, '0', false, 'no', 2, '1.0'])('%j gives no consent', (value) => {
    expect(read({ type: 'consent', isRequired: true }, value)).toEqual(faulty('consent'));
    expect(read({ type: 'consent' }, value) ?? false).toBe(false);
  });

  test('the text is recorded as shown, with its language', () => {
    const gdpr = field('gdpr', { type: 'consent', label: 'J’accepte' });
    const terms = field('terms', { type: 'consent', translations: { en: { label: 'I agree' } } });
    const news = field('news', { type: 'consent' });
    const result = readBody(form([gdpr, terms, news]), { gdpr: 1, terms: 'on', news: 0 }, 'en');
    expect(result).toEqual({
      ok: true,
      values: { gdpr: true, terms: true, news: false },
      undeclared: {},
      consents: { gdpr: { label: 'J’accepte', locale: 'fr' }, terms: { label: 'I agree', locale: 'en' } },
    });
  });
});

describe('the body as a whole', () => {
  const budget = field('budget', {
    type: 'number',
    isRequired: true,
    visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
  });
  const contact = form([field('topic'), budget]);

  test('a hidden field is neither validated nor recorded', () => {
    expect(readBody(contact, { topic: 'other', budget: 'wrong' }, 'en')).toEqual({
      ok: true,
      values: { topic: 'other' },
      undeclared: {},
      consents: {},
    });
    expect(readBody(contact, { topic: 'quote' }, 'fr')).toEqual({
      ok: false,
      errors: { budget: [validationMessage({ code: 'required' }, 'fr')] },
    });
  });

  test('undeclared fields are kept apart, without the context fields', () => {
    const body = JSON.parse(
      '{"topic":"a","extra":{"n":[1,null,true]},"big":1e400,"__proto__":{"x":1},"a\\u0000b":"\\ud800"}',
    );
    for (const name of CONTEXT_FIELDS) body[name] = 'x';
    const result = readBody(contact, body, 'en');
    expect(JSON.stringify(result.ok && result.undeclared)).toBe(
      '{"extra":{"n":[1,null,true]},"big":null,"__proto__":{"x":1},"a\uFFFDb":"\uFFFD"}',
    );
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
  });

  test('names such as __proto__ are ordinary field names', () => {
    const odd = form([field('__proto__', { isRequired: true }), field('constructor', { isRequired: true })]);
    const missing = readBody(odd, {}, 'en');
    expect(Object.keys(missing.ok ? {} : missing.errors)).toEqual(['__proto__', 'constructor']);
    const given = readBody(odd, JSON.parse('{"__proto__":"a","constructor":"b"}'), 'en');
    expect(JSON.stringify(given.ok && given.values)).toBe('{"__proto__":"a","constructor":"b"}');
  });

  const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);
  const keys = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
  test.each<[string, Body, ValidationFault['code'] | null]>([
    ['32 levels', { deep: nest(31) }, null],
    ['33 levels', { deep: nest(32) }, 'too_deep'],
    ['1,000 keys', keys(1000), null],
    ['1,001 keys', keys(1001), 'too_many'],
    ['1,001 keys at two levels', { ...keys(500), nested: keys(500) }, 'too_many'],
    ['1,001 items', { list: Array(1000).fill(1) }, 'too_many'],
  ])('%s', (_, body, code) => {
    const result = readBody(form([]), body, 'en');
    expect(result.ok ? null : result.errors).toEqual(code && { '*': faulty(code) });
  });
});

// ── Any form, any body ───────────────────────────────────────────────────────────────────────────

const names = ['a', 'b', 'c', 'd', '__proto__', 'constructor'];
const scalar = fc.oneof(fc.constantFrom('a', 'b', '1', '', 'on', '2026-01-01'), fc.string(), fc.double());
const anyRule = fc.record({
  field: fc.constantFrom(...names),
  operator: fc.constantFrom(...OPERATORS),
  value: fc.oneof(fc.constantFrom('a', '1', true), fc.array(fc.constantFrom('a', 'b', 1))),
});
const anyField: fc.Arbitrary<Omit<FieldDefinition, 'name'>> = fc
  .record({
    type: fc.constantFrom(...FIELD_TYPES),
    isRequired: fc.boolean(),
    isMultiple: fc.boolean(),
    options: fc.constantFrom([], options('a', 'b', '1')),
    attributes: fc.constantFrom<Record<string, string>>({}, { maxlength: '2', pattern: '[ab]*', min: '1' }),
    visibility: fc.option(
      fc.record({
        match: fc.constantFrom('all' as const, 'any' as const),
        rules: fc.array(anyRule, { minLength: 1 }),
      }),
    ),
  })
  .map((over) => field('', over));
const anyForm: fc.Arbitrary<FormDefinition> = fc
  .array(anyField, { maxLength: names.length })
  .map((fields) => form(fields.map((definition, index) => ({ ...definition, name: names[index]! }))));
const anyBody: fc.Arbitrary<Body> = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom(...names, 'page_url', 'extra', 'more'), fc.string()),
      fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.jsonValue()),
    ),
  )
  // fromEntries defines `__proto__` as an own key, as JSON.parse does.
  .map((entries) => Object.fromEntries(entries));

/** Whether a visitor gave an answer: white space is none, where it is not kept as it stands. */
function isGiven({ type }: FieldDefinition, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isGiven({ type } as FieldDefinition, item));
  const text = String(value ?? '');
  const isVerbatim = ['hidden', 'select', 'radio', 'checkbox', 'consent'].includes(type);
  return (isVerbatim ? text : text.trim()) !== '';
}

test('what is recorded is exactly the visible declared fields and the undeclared ones', () => {
  fc.assert(
    fc.property(anyForm, anyBody, (definition, body) => {
      const result = readBody(definition, body, 'en');
      const visible = definition.fields.filter((one) => visibleFields(definition.fields, body).has(one.name));
      if (!result.ok) {
        expect(visible.map((one) => one.name)).toEqual(expect.arrayContaining(Object.keys(result.errors)));
        return;
      }
      const given = visible.filter((one) => Object.hasOwn(body, one.name) && isGiven(one, body[one.name]));
      expect(Object.keys(result.values)).toEqual(given.map((one) => one.name));

      const declared = definition.fields.map((one) => one.name);
      const rest = Object.keys(body).filter((name) => !declared.includes(name) && !CONTEXT_FIELDS.has(name));
      expect(new Set(Object.keys(result.undeclared))).toEqual(new Set(rest));

      const consents = given.filter((one) => one.type === 'consent' && result.values[one.name] === true);
      expect(Object.keys(result.consents)).toEqual(consents.map((one) => one.name));
      expect({ ...readConsents(definition, body, 'en') }).toEqual({ ...result.consents });
    }),
    { numRuns: 1000 },
  );
});

test('no body and no form make the validation throw', () => {
  fc.assert(
    fc.property(
      anyForm,
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 5 })),
      (definition, body) => {
        expect(() => JSON.stringify(readBody(definition, body, 'fr'))).not.toThrow();
      },
    ),
  );
});

describe('256 KB of hostile input are read in linear time', () => {
  const size = 262_000;
  const pattern = '.*[A-Z].*\\d';
  const everything = form(
    Array.from({ length: 200 }, (_, index) =>
      field(`f${index}`, {
        type: FIELD_TYPES[index % FIELD_TYPES.length]!,
        isMultiple: index % 2 === 0,
        options: options('a', 'b'),
        attributes: { pattern, min: '1', step: '0.1' },
        visibility:
          index === 0
            ? null
            : {
                match: 'any',
                rules: [
                  { field: 'f0', operator: 'contains', value: 'aab' },
                  { field: `f${index - 1}`, operator: 'not_equals', value: 'x' },
                ],
              },
      }),
    ),
  );
  const all = (value: unknown): Body =>
    Object.fromEntries(everything.fields.map(({ name }) => [name, value]));
  test.each<[string, Body]>([
    ['one long text', { f0: 'a'.repeat(size) }],
    ['white space', { f0: `${' '.repeat(size / 2)}a${' '.repeat(size / 2)}` }],
    ['line breaks', { f1: '\r'.repeat(size) }],
    ['long texts everywhere', all('a'.repeat(size / 200))],
    ['digits everywhere', all('1'.repeat(size / 200))],
    ['addresses', all(`${'a.'.repeat(60)}@${'a.'.repeat(60)}`)],
    ['quadratic for the pattern', { f0: 'A'.repeat(10_000) }],
    ['many values', { f0: Array(990).fill('A'.repeat(260)) }],
    ['a long list', { f0: Array(size / 2).fill(1) }],
    ['deep', { f0: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) }],
    ['lone surrogates', { extra: '\ud800'.repeat(size / 3) }],
    ['many keys', Object.fromEntries(Array.from({ length: size / 10 }, (_, index) => [`k${index}`, 1]))],
  ])('%s', (_, body) => {
    readBody(everything, {}, 'en');
    const before = process.cpuUsage();
    readBody(everything, body, 'en');
    // Of the processor, since others may have it meanwhile. The promise is 50 ms; the rest is for a slow machine.
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
  });
});

test('a condition on a field and what is recorded of that field agree', () => {
  const types = FIELD_TYPES.filter((type) => type !== 'consent');
  const pieces = fc.constantFrom(
    'a',
    'b',
    'a@x.test',
    ',',
    ' ',
    '\r\n',
    '\r',
    '\0',
    '\ud800',
    '1',
    '1.0',
    '-0',
  );
  const text = fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join(''));
  const sent = fc.oneof(
    text,
    fc.array(text, { maxLength: 3 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  fc.assert(
    fc.property(fc.constantFrom(...types), fc.boolean(), sent, (type, isMultiple, value) => {
      const driver = { type, isMultiple, options: options('a', 'b', ' ', '1') };
      const recorded = read(driver, value);
      const [first] = [recorded ?? []].flat();
      const condition = (operator: 'is_empty' | 'equals') => ({
        match: 'all' as const,
        rules: [{ field: 'x', operator, ...(operator === 'equals' && { value: first as string }) }],
      });
      const isShown = (operator: 'is_empty' | 'equals') =>
        visibleFields([field('x', driver), field('y', { visibility: condition(operator) })], {
          x: value,
        }).has('y');
      const accepted = readBody(form([field('x', driver)]), { x: value }, 'en').ok;
      if (!accepted) return;
      expect(isShown('is_empty')).toBe(first === undefined);
      if (first !== undefined) expect(isShown('equals')).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe('the searches of conditions share a budget of work', () => {
  const containing = (...values: string[]) => ({
    match: 'any' as const,
    rules: values.map((value) => ({ field: 'msg', operator: 'contains' as const, value })),
  });
  const searching = (driver: Partial<FieldDefinition>, ...values: string[]) =>
    form([
      field('msg', { type: 'textarea', ...driver }),
      field('shown', { isRequired: true, visibility: containing(...values) }),
    ]);
  const errorsOf = (definition: FormDefinition, body: Body) => {
    const result = readBody(definition, body, 'en');
    return result.ok ? {} : { ...result.errors };
  };
  /** A text of the greatest length of a rule, which V8 takes quadratic time to miss in another one. */
  const needle = `ab${'a'.repeat(253)}`;
  const needles = Array.from({ length: 50 }, () => needle);

  test.each<[string, FormDefinition, Body]>([
    ['a text that would be too long', searching({}, ...needles), { msg: 'a'.repeat(250_000) }],
    [
      'values that are',
      searching({ isMultiple: true }, ...needles),
      { msg: Array(90).fill('a'.repeat(900)) },
    ],
    [
      'short texts in many values',
      searching({ isMultiple: true }, ...Array<string>(50).fill('b')),
      { msg: Array(990).fill('a'.repeat(200)) },
    ],
  ])('%s is refused at the field that is searched', (_, definition, body) => {
    expect(errorsOf(definition, body)).toEqual({ msg: faulty('too_costly') });
    expect(readConsents(definition, body, 'en')).toBeNull();
  });

  test('the conditions of recipients are within it', () => {
    const definition = form([field('msg', { type: 'textarea' })]);
    const routed = (length: number) =>
      finish(
        readValues(definition, { enforced: new Map() }, { msg: 'a'.repeat(length) }, 'en', [
          containing(...needles),
        ]),
      );
    expect(routed(500).ok).toBe(true);
    expect(routed(9_000)).toMatchObject({ ok: false, errors: { msg: faulty('too_costly') } });
  });

  test('usual rules search the longest text, and a long rule a usual one', () => {
    const words = Array.from({ length: 49 }, (_, index) => `word ${index}`);
    const end = `${'é'.repeat(9_990)} the end`;
    expect(errorsOf(searching({}, ...words, 'the end'), { msg: end })).toEqual({ shown: faulty('required') });
    expect(errorsOf(searching({}, ...words, 'an end'), { msg: end })).toEqual({});
    expect(errorsOf(searching({}, needle), { msg: `${'a'.repeat(2_000)}${needle}` })).toEqual({
      shown: faulty('required'),
    });
    expect(errorsOf(searching({}, needle), { msg: 'a'.repeat(2_000) })).toEqual({});
  });
});

describe('a person gives so many values', () => {
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@b.test`);
  const many = (type: FieldDefinition['type']) => form([field('x', { type, isMultiple: true })]);
  const tooMany = faulty('too_many_items', 100);

  test('100 of a field, however they are sent', () => {
    expect(read({ type: 'email', isMultiple: true }, addresses(100).join())).toEqual(addresses(100));
    expect(read({ type: 'email', isMultiple: true }, addresses(101).join())).toEqual(tooMany);
    expect(read({ type: 'email', isMultiple: true }, addresses(101))).toEqual(tooMany);
    expect(read({ type: 'number', isMultiple: true }, Array(101).fill(1))).toEqual(tooMany);
  });

  test('100 addresses of all fields together', () => {
    const two = form(['x', 'y'].map((name) => field(name, { type: 'email', isMultiple: true })));
    const result = readBody(two, { x: addresses(60).join(), y: addresses(41).join() }, 'en');
    expect(result).toMatchObject({ ok: false, errors: { y: tooMany } });
  });

  test('every option, however many there are', () => {
    const offered = options(...Array.from({ length: 150 }, (_, index) => `${index}`));
    const all = offered.map(({ value }) => value);
    expect(read({ type: 'checkbox', isMultiple: true, options: offered }, all)).toEqual(all);
  });

  test('a text that splits into more than the keys of a body is refused before any of it is read', () => {
    const result = readBody(many('email'), { x: 'a@b.c,'.repeat(32_500) }, 'en');
    expect(result).toMatchObject({ ok: false, errors: { '*': faulty('too_many') } });
    expect(readBody(many('text'), { x: 'a,'.repeat(2_000) }, 'en').ok).toBe(true);
  });
});
