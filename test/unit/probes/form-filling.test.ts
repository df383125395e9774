import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { FIELD_TYPES, type FieldDefinition } from '../../../src/forms/definition/form-definition.js';
import { readPatternsNow } from '../../../src/forms/definition/patterns.js';
import { readValues } from '../../../src/forms/validation/field-values.js';
import { finish } from '../../../src/lib/steps.js';
import { fillForm } from '../../../src/probes/form-filling.js';
import { samplesOf } from '../../../src/probes/pattern-sample.js';
import { field, form, options } from '../forms/forms.js';

const FILLER = {
  email: 'probes@agency.test',
  url: 'https://www.acme.test/',
  now: new Date('2026-11-24T12:00:00Z'),
};

const fill = (fields: FieldDefinition[]) => fillForm(form(fields), readPatternsNow(fields), FILLER);

const required = (type: FieldDefinition['type'], attributes: Record<string, string> = {}) =>
  field('it', { type, attributes, isRequired: true });

describe('a required field is filled in that takes', () => {
  test.each<[string, FieldDefinition]>([
    ['at least 200 characters', required('text', { minlength: '200' })],
    ['exactly five characters', required('text', { minlength: '5', maxlength: '5' })],
    ['exactly as many as end at a space', required('text', { minlength: '191', maxlength: '191' })],
    ['one character', required('textarea', { maxlength: '1' })],
    ['a postcode', required('text', { pattern: '\\d{5}' })],
    ['a number plate', required('text', { pattern: '[A-Z]{2}-\\d{3}-[A-Z]{2}' })],
    ['one of several words', required('text', { pattern: '(?:monsieur|madame) .+' })],
    ['letters of any script', required('text', { pattern: '\\p{L}+(?: \\p{L}+)*', minlength: '12' })],
    ['anything but digits', required('text', { pattern: '[^0-9]{3,}' })],
    ['a telephone number of France', required('tel', { pattern: '(?:\\+33|0)[1-9](?:[ .\\-]?\\d{2}){4}' })],
    ['an address of a domain', required('email', { pattern: '.+@acme\\.test' })],
    ['an https address of a host', required('url', { pattern: 'https://[a-z]+\\.linkedin\\.com/in/.+' })],
    ['a number in steps from its least', required('number', { min: '0.3', step: '0.1', max: '0.5' })],
    ['a number in steps up to its most', required('number', { max: '-7', step: '5' })],
    ['a day of a week in steps', required('date', { min: '2030-01-05', step: '7' })],
    ['a day that has passed', required('date', { max: '1999-12-31' })],
    ['a time across midnight', required('time', { min: '22:00', max: '06:00' })],
    ['a time in the morning', required('time', { max: '08:30' })],
  ])('%s', async (_title, one) => {
    const { values, missing } = await fill([one]);
    expect(missing).toEqual([]);
    expect(values.it).toBeTruthy();
  });
});

test('samples of a pattern are found without V8 running any part of it', () => {
  const run = [jest.spyOn(RegExp.prototype, 'test'), jest.spyOn(RegExp.prototype, 'exec')];
  try {
    expect(samplesOf('[qz7]{3}-\\d[^a-z1]')).toContain('zzz-1A');
    const sources = run.flatMap(({ mock }) => mock.contexts.map((each) => (each as RegExp).source));
    expect(sources.filter((source) => /\[qz7\]|\\d\)\$|\[\^a-z1\]/.test(source))).toEqual([]);
  } finally {
    for (const spy of run) spy.mockRestore();
  }
});

test('a field whose pattern no text can match stays empty when it is optional, and is named when it is required', async () => {
  const attributes = { pattern: 'a\\bb' };
  expect(await fill([field('it', { attributes })])).toEqual({ values: {}, missing: [] });
  expect(await fill([field('it', { attributes, isRequired: true })])).toEqual({
    values: {},
    missing: ['it'],
  });
});

test('consents are given, and the visitor is the mailbox of probes', async () => {
  const { values } = await fill([
    field('gdpr', { type: 'consent', isRequired: true }),
    field('email', { type: 'email' }),
  ]);
  expect(values).toEqual({ gdpr: 1, email: 'probes@agency.test' });
});

const anyField = fc
  .record({
    type: fc.constantFrom(...FIELD_TYPES),
    isRequired: fc.boolean(),
    isMultiple: fc.boolean(),
    minlength: fc.option(fc.nat(300), { nil: undefined }),
    spare: fc.option(fc.nat(300), { nil: undefined }),
    pattern: fc.option(fc.constantFrom('\\d+', '[a-z ]*', '.*', '[A-Za-zÀ-ÿ’ .\\-]+'), { nil: undefined }),
  })
  .map(({ type, isRequired, isMultiple, minlength, spare, pattern }) => {
    const isText = type === 'text' || type === 'textarea' || type === 'hidden';
    const maxlength = spare === undefined ? undefined : (minlength ?? 1) + spare;
    const lengths = isText
      ? { ...(minlength && { minlength: `${minlength}` }), ...(maxlength && { maxlength: `${maxlength}` }) }
      : {};
    const attributes = {
      ...lengths,
      ...(type === 'text' && pattern && !minlength && !maxlength && { pattern }),
    };
    const hasOptions = ['select', 'radio', 'checkbox'].includes(type);
    return { type, isRequired, isMultiple, attributes, options: hasOptions ? options('a', 'b') : [] };
  });

test('whatever fields a form has, the gateway accepts what the probe enters', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyField, { maxLength: 12 }), fc.boolean(), async (made, isConditional) => {
      const fields = made.map((over, index) =>
        field(`f${index}`, {
          ...over,
          visibility:
            isConditional && index > 0
              ? { match: 'any', rules: [{ field: `f${index - 1}`, operator: 'is_not_empty' }] }
              : null,
        }),
      );
      const patterns = readPatternsNow(fields);
      const { values, missing } = await fillForm(form(fields), patterns, FILLER);
      expect(missing).toEqual([]);
      expect(finish(readValues(form(fields), patterns, values, 'fr')).ok).toBe(true);
    }),
  );
});

/** Two hundred fields with a pattern that takes nearly a submission's budget for each text of their length. */
const COSTLY = Array.from({ length: 200 }, (_, index) =>
  field(`f${index}`, { attributes: { pattern: '(?:[a-z]?){300}\\d', minlength: '250' } }),
);

test('a form with costly patterns is tried for the steps of ten submissions, and checked with those of one', async () => {
  const patterns = readPatternsNow(COSTLY);
  expect(patterns.faults).toEqual([]);
  let steps = 0;
  const enforced = new Map(
    [...patterns.enforced].map(([source, pattern]) => {
      const matches = (text: string) => {
        steps += pattern.stepsFor(text.length);
        return pattern.matches(text);
      };
      return [source, { ...pattern, matches }];
    }),
  );
  await fillForm(form(COSTLY), { ...patterns, enforced }, FILLER);
  expect(steps).toBeGreaterThan(1_000_000);
  expect(steps).toBeLessThanOrEqual(3_300_000);
});

test('a form is filled in with a turn of the event loop for each field, and each value that does not fit', async () => {
  let turns = 0;
  let isFilled = false;
  const filling = fill(COSTLY.slice(0, 10)).finally(() => {
    isFilled = true;
  });
  for (; !isFilled; turns++) await nextTurn();
  await filling;
  expect(turns).toBeGreaterThanOrEqual(30);
});

test.each(['1000000000', '-1000'])(
  'a field with a minlength of %s costs no memory, and no probe',
  async (minlength) => {
    const fields = [field('it', { attributes: { minlength } }), field('name', { isRequired: true })];
    expect((await fill(fields)).values.name).toBe('Formgate test');
  },
);
