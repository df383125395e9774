import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';

type Entry = Record<string, unknown>;

const options = (...values: string[]) => values.map((value) => ({ value, label: value.toUpperCase() }));
const shownWhen = (field: string, operator: string, value?: unknown) => ({
  match: 'all',
  rules: [{ field, operator, ...(value !== undefined && { value }) }],
});

/** One form for each thing to try, so that a body holds only what the test is about. */
const FIELDS: Record<string, Entry[]> = {
  text: [{ name: 'x', type: 'text', attributes: { minlength: '2', maxlength: '5' } }],
  long: [{ name: 'x', type: 'textarea' }],
  email: [{ name: 'x', type: 'email' }],
  emails: [{ name: 'x', type: 'email', is_multiple: true }],
  tel: [{ name: 'x', type: 'tel', attributes: { pattern: '[0-9 +]+' } }],
  url: [{ name: 'x', type: 'url' }],
  number: [{ name: 'x', type: 'number', attributes: { min: '0', max: '10', step: '0.5' } }],
  numbers: [
    { name: 'x', type: 'number' },
    { name: 'y', type: 'number' },
    { name: 'z', type: 'text' },
  ],
  date: [{ name: 'x', type: 'date', attributes: { min: '2026-01-01', max: '2026-12-31' } }],
  time: [{ name: 'x', type: 'time', attributes: { min: '22:00', max: '06:00' } }],
  select: [{ name: 'x', type: 'select', options: options('a', 'b') }],
  radio: [{ name: 'x', type: 'radio', options: options('a', 'b') }],
  choices: [{ name: 'x', type: 'checkbox', is_multiple: true, options: options('a', 'b', 'c') }],
  checkbox: [{ name: 'x', type: 'checkbox' }],
  consent: [{ name: 'x', type: 'consent', label: "J'accepte" }],
  hidden: [{ name: 'x', type: 'hidden' }],
  required: [{ name: 'x', type: 'text', is_required: true }],
  'required-consent': [
    {
      name: 'x',
      type: 'consent',
      label: "J'accepte",
      is_required: true,
    },
  ],
  conditions: [
    { name: 'kind', type: 'select', options: options('firm', 'person') },
    { name: 'firm', type: 'text', is_required: true, visibility: shownWhen('kind', 'equals', 'firm') },
    { name: 'vat', type: 'text', is_required: true, visibility: shownWhen('firm', 'is_not_empty') },
  ],
  inert: ['__proto__', 'constructor', 'toString', 'hasOwnProperty'].map((name) => ({ name, type: 'text' })),
};

const LANGUAGES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];

let app: TestApp;
let token: string;
let site: string;
let germanSite: string;

beforeAll(async () => {
  app = await startTestApp();
  const forms = Object.entries(FIELDS).map(([slug, fields]) => ({
    slug,
    name: slug,
    source_locale: 'fr',
    submit_button_text: 'Envoyer',
    confirmation_message: 'Merci.',
    fields: fields.map((field) => ({ label: field.name, ...field })),
    translations: {
      ...Object.fromEntries(LANGUAGES.slice(1).map((locale) => [locale, {}])),
      en: {
        confirmation_message: 'Thank you.',
        ...(slug === 'required-consent' && { fields: { x: { label: 'I agree' } } }),
      },
    },
  }));
  const links = Object.keys(FIELDS).map((slug) => ({ slug, confirmation_message: `Propre à ${slug}.` }));
  await provision(
    app.services,
    [
      team('acme', {
        forms,
        websites: [
          website('www.acme.test', { forms: links }),
          website('de.acme.test', { locale: 'de', forms: links }),
        ],
      }),
    ],
    { submissions_per_minute: 100_000, submissions_per_hour: 100_000 },
  );
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  site = await websiteId(app.services, 'www.acme.test');
  germanSite = await websiteId(app.services, 'de.acme.test');
});

afterAll(() => app.close());

type Answer = { message: string; lead_id: string; errors?: Record<string, string[]> };

/** @param body An object, or the text of one where JavaScript could not write it. */
async function submit(slug: string, body: object | string, to = site) {
  const response = await fetch(`${app.url}/api/websites/${to}/forms/${slug}/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as Answer;
  const row = response.ok
    ? await app.services.db.orm.submission.findUniqueOrThrow({ where: { id: answer.lead_id } })
    : null;
  return { status: response.status, answer, row };
}

describe('a submission', () => {
  test.each<[string, unknown, unknown]>([
    ['text', '  Ada\r\n ', 'Ada'],
    ['text', 'é😀a', 'é😀a'],
    ['text', 12345, '12345'],
    ['text', 'a\u0000b', 'a\uFFFDb'],
    ['text', 'a\uD800b', 'a\uFFFDb'],
    ['text', 'a\r\nb\nc', 'a b c'],
    ['long', 'one\r\ntwo\rthree', 'one\ntwo\nthree'],

    ['email', 'Ada.Lovelace+x@Example.co', 'Ada.Lovelace+x@Example.co'],
    ['email', 'a@localhost', 'a@localhost'],
    ['emails', 'a@x.test, b@x.test', ['a@x.test', 'b@x.test']],
    ['tel', '+33 1 02 03', '+33 1 02 03'],
    ['url', 'https://x.test/é?a=1#b', 'https://x.test/é?a=1#b'],
    ['number', '3.5', 3.5],
    ['number', 0, 0],
    ['number', '1e1', 10],
    ['date', '2026-02-28', '2026-02-28'],
    ['time', '23:30', '23:30'],
    ['time', '05:59:30', '05:59:30'],
    ['select', 'b', 'b'],
    ['radio', 'a', 'a'],
    ['choices', ['c', 'a', 'c'], ['c', 'a']],
    ['choices', 'b', ['b']],
    ['checkbox', 'on', true],
    ['checkbox', '0', false],
    ['hidden', ' as it came\n', ' as it came\n'],
    ...[1, '1', true, 'true', 'on', 'yes'].map(
      (given) => ['consent', given, true] as [string, unknown, unknown],
    ),
    ['consent', 0, false],
  ])('has %s: %j is recorded as %j', async (slug, given, kept) => {
    const { status, row } = await submit(slug, { x: given });
    expect(status).toBe(200);
    expect(row).toMatchObject({ values: { x: kept }, undeclared: {} });
  });

  test.each(Object.keys(FIELDS).filter((slug) => !slug.startsWith('required')))(
    'has %s: an empty or missing value is not recorded',
    async (slug) => {
      for (const body of [{}, { x: '' }, { x: null }]) {
        const { status, row } = await submit(slug, body);
        expect(status).toBe(200);
        expect(row!.values).toEqual({});
      }
    },
  );

  test('records the text of a consent as it was shown, and its language', async () => {
    const french = await submit('required-consent', { x: 1 });
    expect(french.row!.consents).toEqual({ x: { label: "J'accepte", locale: 'fr' } });
    const english = await submit('required-consent', { x: '1', form_locale: 'en' });
    expect(english.row!.consents).toEqual({ x: { label: 'I agree', locale: 'en' } });
    const german = await submit('required-consent', { x: 'yes', form_locale: 'de' });
    expect(german.row!.consents).toEqual({ x: { label: "J'accepte", locale: 'fr' } });
  });

  test('records the version of the form', async () => {
    const { row } = await submit('text', { x: 'ab' });
    const form = await app.services.db.orm.form.findFirstOrThrow({ where: { slug: 'text' } });
    expect(row).toMatchObject({ formId: form.id, formVersion: form.version });
  });

  test.each([
    ['the website’s language', 'fr', () => site, 'Propre à text.'],
    ['another language', 'en', () => site, 'Thank you.'],
    ['the language of another website', 'de', () => germanSite, 'Propre à text.'],
    ['another website in the source language', 'fr', () => germanSite, 'Merci.'],
  ])('is answered with the website’s own message: %s', async (_case, locale, to, message) => {
    const { answer, row } = await submit('text', { x: 'ab', form_locale: locale }, to());
    expect(answer.message).toBe(message);
    expect(row!.locale).toBe(locale);
  });

  test('has hidden fields, and fields that depend on them, neither validated nor recorded', async () => {
    const hidden = await submit('conditions', { kind: 'person', firm: ['no text'], vat: {} });
    expect(hidden.status).toBe(200);
    expect(hidden.row).toMatchObject({ values: { kind: 'person' }, undeclared: {} });
    const shown = await submit('conditions', { kind: 'firm', firm: 'Acme', vat: 'FR1' });
    expect(shown.row).toMatchObject({ values: { kind: 'firm', firm: 'Acme', vat: 'FR1' } });
    expect(Object.keys((await submit('conditions', { kind: 'firm' })).answer.errors!)).toEqual(['firm']);
  });

  test('has its undeclared fields recorded apart, unchanged', async () => {
    const undeclared = { utm: { a: [1, true, null, 'x'] }, 'odd name': '', n: 1.5, t: 'a\u0000\uDC00' };
    const { row } = await submit('text', { x: 'ab', ...undeclared });
    expect(row).toMatchObject({ values: { x: 'ab' } });
    expect(row!.undeclared).toEqual({ ...undeclared, t: 'a\uFFFD\uFFFD' });
  });

  test('has context fields that are not recorded as fields', async () => {
    const context = {
      page_url: 'https://www.acme.test/a',
      page_title: 'a'.repeat(1001),
      page_locale: 'fr-FR',
      form_locale: 'fr',
      visitor_hash: 'unknown',
      captcha_fallback: 'unknown',
    };
    const { row } = await submit('text', { x: 'ab', ...context });
    expect(row).toMatchObject({
      pageUrl: context.page_url,
      pageTitle: 'a'.repeat(1000),
      pageLocale: 'fr-FR',
      values: { x: 'ab' },
      undeclared: {},
    });
  });
});

describe('a submission is refused', () => {
  test.each<[string, unknown]>([
    ['text', 'a'],
    ['text', 'abcdef'],
    ['text', ['ab']],
    ['text', { a: 1 }],

    ['email', 'ada'],
    ['email', 'a@x.test\u0000'],
    ['emails', ['a@x.test', 'nobody']],
    ['tel', 'call me'],
    ['url', 'javascript:alert(1)'],
    ['url', 'x.test'],
    ['number', 'ten'],
    ['number', '1,5'],
    ['number', -1],
    ['number', 11],
    ['number', 0.3],
    ['date', '2026-02-30'],
    ['date', '2025-12-31'],
    ['date', '31/12/2026'],
    ['time', '12:00'],
    ['time', '24:00'],
    ['select', 'c'],
    ['select', 'A'],
    ['select', '__proto__'],
    ['radio', ['a', 'b']],
    ['choices', ['a', 'z']],
    ['choices', [['a']]],
    ['consent', { yes: 1 }],
    ['required', '  '],
    ['required', null],
    ['required-consent', undefined],
    ['required-consent', 0],
    ['required-consent', 'no'],
    ['required-consent', [1]],
  ])('%s: %j', async (slug, given) => {
    const before = await app.services.db.orm.submission.count();
    const { status, answer } = await submit(slug, { x: given, form_locale: 'en' });
    expect(status).toBe(422);
    expect(answer).toEqual({ message: expect.any(String), errors: { x: [expect.any(String)] } });
    expect(await app.services.db.orm.submission.count()).toBe(before);
  });

  test('for values longer than their type allows', async () => {
    const email = (length: number) => `${'a'.repeat(length - 12)}@example.com`;
    expect((await submit('email', { x: email(254) })).status).toBe(200);
    expect((await submit('email', { x: email(255) })).status).toBe(422);
    expect((await submit('long', { x: 'a'.repeat(10_000) })).status).toBe(200);
    expect((await submit('long', { x: 'a'.repeat(10_001) })).status).toBe(422);
  });

  test('in each of the seven languages', async () => {
    const answers = await Promise.all(
      LANGUAGES.map(async (locale) => (await submit('required', { form_locale: locale })).answer),
    );
    expect(new Set(answers.map(({ message }) => message)).size).toBe(7);
    expect(new Set(answers.map(({ errors }) => errors!.x![0])).size).toBe(7);
  });

  test.each([
    ['page_locale', 'a'.repeat(36)],
    ['form_locale', 'a'.repeat(11)],
    ['page_locale', ['fr']],
    ['form_locale', 1],
  ])('for a context field beyond its limits: %s', async (name, value) => {
    const { status, answer } = await submit('required', { [name]: value });
    expect(status).toBe(422);
    expect(Object.keys(answer.errors!).sort()).toEqual([name, 'x'].sort());
  });

  test.each([
    ['32 levels', `${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`, 200],
    ['33 levels', `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`, 422],
    ['100,000 levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 422],
    [
      '1,000 keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i]))),
      200,
    ],
    [
      '1,001 keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`k${i}`, i]))),
      422,
    ],
    ['1,001 items', JSON.stringify({ list: Array(1000).fill(0) }), 422],
  ])('%s', async (_case, body, status) => {
    const { status: given, answer } = await submit('text', body);
    expect(given).toBe(status);
    if (status === 422) expect(Object.keys(answer.errors!)).toEqual(['*']);
  });
});

describe('hostile input', () => {
  const HOSTILE = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}';

  test('names such as __proto__ are ordinary names of declared fields', async () => {
    const { status, row } = await submit('inert', HOSTILE);
    expect(status).toBe(200);
    expect(JSON.stringify(row!.undeclared)).toBe('{}');
    expect(Object.entries(row!.values as object).sort()).toEqual(Object.entries(JSON.parse(HOSTILE)).sort());
  });

  test('names such as __proto__ are ordinary names of undeclared fields', async () => {
    const { row } = await submit('text', HOSTILE);
    expect(Object.entries(row!.undeclared as object).sort()).toEqual(
      Object.entries(JSON.parse(HOSTILE)).sort(),
    );
    const polluted = await submit('text', '{"__proto__":{"admin":true},"x":{"__proto__":{"admin":true}}}');
    expect(polluted.status).toBe(422);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('an invalid field named such as __proto__ is in the errors', async () => {
    const { status, answer } = await submit('inert', '{"__proto__":["a"],"constructor":{"a":1}}');
    expect(status).toBe(422);
    expect(Object.keys(answer.errors!)).toEqual(['__proto__', 'constructor']);
  });

  test('characters that PostgreSQL cannot store are replaced in names and at any depth', async () => {
    const { status, row } = await submit('text', '{"a\\u0000":[{"\\ud800":"\\udfff"}],"-":-0}');
    expect(status).toBe(200);
    expect(row!.undeclared).toEqual({ 'a\uFFFD': [{ '\uFFFD': '\uFFFD' }], '-': 0 });
  });

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '1e400',
    '1e-400',
    '0.1000000000000000055511151231257827',
  ])('the number %s is recorded as its text, sent as a number or a text, at any depth', async (sent) => {
    const body = `{"x":${sent},"y":"${sent}","z":${sent},"undeclared":${sent},"nested":[{"n":${sent}}]}`;
    const { status, row } = await submit('numbers', body);
    expect(status).toBe(200);
    expect(row!.values).toEqual({ x: sent, y: sent, z: sent });
    expect(row!.undeclared).toEqual({ undeclared: sent, nested: [{ n: sent }] });
  });

  test('numbers that a double holds exactly are recorded as numbers', async () => {
    const { row } = await submit(
      'numbers',
      '{"x":1.50,"y":"1e3","z":0.1,"a":[0.1,1e22,9007199254740992,-0]}',
    );
    expect(row!.values).toEqual({ x: 1.5, y: 1000, z: '0.1' });
    expect(row!.undeclared).toEqual({ a: [0.1, 1e22, 9007199254740992, 0] });
  });

  test('a body with more long numbers than it may have values is refused', async () => {
    const { status, answer } = await submit('text', `{"x":[${Array(40_000).fill('1e400').join()}]}`);
    expect(status).toBe(422);
    expect(answer.errors).toEqual({ body: ['The body must not have more than 1,000 long numbers.'] });
  });

  test('of a duplicate key the last value counts', async () => {
    const { row } = await submit('text', '{"x":"first","x":"last"}');
    expect(row!.values).toEqual({ x: 'last' });
  });

  test('a hostile text costs no more than the budget of its pattern', async () => {
    const { status } = await submit('tel', { x: `${'1 '.repeat(4900)}x` });
    expect(status).toBe(422);
  });
});
