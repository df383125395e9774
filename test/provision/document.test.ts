import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { readDocument } from '../../src/provision/document.js';
import { ProvisionError } from '../../src/provision/faults.js';
import { documentJsonSchema } from '../../src/provision/json-schema.js';

const LOCALES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];
const root = new URL('../../', import.meta.url);

function faultsOf(source: string | object): readonly string[] {
  try {
    readDocument(typeof source === 'string' ? source : JSON.stringify(source), LOCALES);
    return [];
  } catch (error) {
    if (error instanceof ProvisionError) return error.faults;
    throw error;
  }
}

const team = (entry: object) => ({ teams: [{ slug: 'acme', ...entry }] });
const form = (entry: object) => team({ forms: [{ slug: 'contact', ...entry }] });
const field = (entry: object) => form({ fields: [{ name: 'a', type: 'text', label: 'A', ...entry }] });
const fields = (...entries: object[]) =>
  form({
    fields: entries.map((entry, index) => ({ name: `f${index}`, type: 'text', label: 'F', ...entry })),
  });
const website = (entry: object) => team({ websites: [{ host: 'a.test', ...entry }] });
const captcha = (entry: object) => website({ captcha: [entry] });
const link = (entry: object) => website({ forms: [{ slug: 'contact', ...entry }] });

const FORM = 'teams[0].forms[0]';
const FIELD = `${FORM}.fields[0]`;
const WEBSITE = 'teams[0].websites[0]';
const LINK = `${WEBSITE}.captcha[0]`;

const rule = (entry: object) => ({ visibility: { match: 'all', rules: [entry] } });

describe('the text', () => {
  test.each([
    ['a fault of syntax', 'plans:\n  - { code: a, name: b\nusers: []', /^line 3, column 1: /],
    ['a key that comes twice', 'users: []\nusers: []', /^line 2, column 1: Map keys must be unique/],
    ['an unknown tag', 'users: !secret []', /^line 1, column 8: Unresolved tag/],
    ['two documents', 'users: []\n---\nusers: []', /^line 2, column 1: /],
    ['nothing', '', /^document: must be a mapping/],
    ['a list', '[]', /^document: must be a mapping/],
  ])('that holds %s is refused', (_, source, expected) => {
    expect(faultsOf(source)[0]).toMatch(expected);
  });

  test('an alias bomb is refused', () => {
    const levels = 'bcdefghijk'.split('').map((name, index) => {
      const before = 'abcdefghij'[index];
      return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
    });
    expect(faultsOf(['a: &a [x]', ...levels].join('\n'))).toEqual([
      'document: Excessive alias count indicates a resource exhaustion attack',
    ]);
  });

  test('aliases may share a list of fields', () => {
    const source = [
      'teams:',
      '  - slug: acme',
      '    forms:',
      '      - { slug: a, fields: &shared [{ name: email, type: email, label: E-mail }] }',
      '      - { slug: b, fields: *shared }',
    ];
    expect(faultsOf(source.join('\n'))).toEqual([]);
  });
});

describe('each fault has its path', () => {
  test.each<[string, object, string[]]>([
    ['unknown key', { colour: 1 }, ['colour: is not a known key']],
    ['unknown key inside', field({ labell: 'x' }), [`${FIELD}.labell: is not a known key`]],
    ['missing natural key', { teams: [{}] }, ['teams[0].slug: is required']],
    [
      'wrong type',
      { users: [{ email: 'a@a.test', staff: 'yes' }] },
      ['users[0].staff: must be true or false'],
    ],
    ['number for text', website({ zipcode: 75002 }), [`${WEBSITE}.zipcode: must be text: put it in quotes`]],
    [
      'unknown word',
      field({ type: 'file' }),
      [expect.stringMatching(/^teams.*\.type: must be one of text, /) as never],
    ],
    ['too long', website({ city: 'x'.repeat(256) }), [`${WEBSITE}.city: must be at most 255 characters`]],
    ['not storable', website({ city: 'a\0b' }), [`${WEBSITE}.city: holds a character that cannot be stored`]],
    [
      'negative limit',
      { plans: [{ code: 'a', submissions_per_hour: 0 }] },
      ['plans[0].submissions_per_hour: must be at least 1'],
    ],
    ['plan twice', { plans: [{ code: 'a' }, { code: 'a' }] }, ['plans[1].code: is the same as in entry 0']],
    [
      'user twice',
      { users: [{ email: 'a@a.test' }, { email: 'A@a.test' }] },
      ['users[1].email: is the same as in entry 0'],
    ],
    [
      'department twice',
      {
        departments: [
          { code: 'X', name: 'X' },
          { code: 'X', name: 'Y' },
        ],
      },
      ['departments[1].code: is the same as in entry 0'],
    ],
    ['team twice', { teams: [{ slug: 'a' }, { slug: 'a' }] }, ['teams[1].slug: is the same as in entry 0']],
    [
      'member twice',
      team({
        members: [
          { email: 'a@a.test', role: 'owner' },
          { email: 'a@a.test', role: 'admin' },
        ],
      }),
      ['teams[0].members[1].email: is the same as in entry 0'],
    ],
    [
      'unknown role',
      team({ members: [{ email: 'a@a.test', role: 'boss' }] }),
      ['teams[0].members[0].role: must be one of owner, admin, member'],
    ],
    [
      'form twice',
      team({ forms: [{ slug: 'a' }, { slug: 'a' }] }),
      ['teams[0].forms[1].slug: is the same as in entry 0'],
    ],
    [
      'host twice',
      team({ websites: [{ host: 'a.test' }, { host: 'A.TEST' }] }),
      ['teams[0].websites[1].host: is the same as in entry 0'],
    ],
    [
      'website id twice',
      {
        teams: ['a', 'b'].map((slug) => ({
          slug,
          websites: [{ id: '01939a60-5c00-7a10-8b20-6c1f3a5e0001' }],
        })),
      },
      ['teams[1].websites[0].id: is the id of an earlier website'],
    ],
    [
      'short password',
      { users: [{ email: 'a@a.test', password: 'short' }] },
      ['users[0].password: must be at least 8 characters'],
    ],
    ['e-mail', { users: [{ email: 'a b@a.test' }] }, ['users[0].email: must be an e-mail address']],
    [
      'platform language',
      form({ source_locale: 'sv' }),
      [`${FORM}.source_locale: must be one of fr, en, de, es, it, nl, pt`],
    ],
    [
      'website language',
      website({ locale: 'fr-FR' }),
      [`${WEBSITE}.locale: must be one of fr, en, de, es, it, nl, pt`],
    ],
    [
      'translation language',
      form({ translations: { sv: {} } }),
      [`${FORM}.translations.sv: must be one of fr, en, de, es, it, nl, pt`],
    ],
    [
      'translation of the source',
      form({ source_locale: 'en', fields: [], translations: { en: {} } }),
      [`${FORM}.translations.en: is the source language, whose texts are those of the form itself`],
    ],
    [
      'translation of an unknown field',
      form({ fields: [], translations: { en: { fields: { nothing: {} } } } }),
      [`${FORM}.translations.en.fields.nothing: is not a field of the form`],
    ],
    [
      'translation of an unknown option',
      form({
        fields: [{ name: 'a', type: 'select', label: 'A', options: [{ value: 'x', label: 'X' }] }],
        translations: { en: { fields: { a: { options: { 'y z': 'Y' } } } } },
      }),
      [`${FORM}.translations.en.fields.a.options["y z"]: is not an option of a`],
    ],
    [
      'field name',
      field({ name: 'a b' }),
      [`${FIELD}.name: must be letters, digits, _, - and . after a letter or _, at most 100`],
    ],
    [
      'field twice',
      fields({ name: 'a' }, { name: 'a' }),
      [`${FORM}.fields[1].name: is the same as in entry 0`],
    ],
    ...['page_url', 'page_title', 'page_locale', 'form_locale', 'visitor_hash', 'captcha_fallback'].map(
      (name): [string, object, string[]] => [
        `reserved name ${name}`,
        field({ name }),
        [`${FIELD}.name: is reserved for what accompanies a submission`],
      ],
    ),
    ['choice without options', field({ type: 'radio' }), [`${FIELD}.options: is required for radio`]],
    [
      'options on text',
      field({ options: [{ value: 'x', label: 'X' }] }),
      [`${FIELD}.options: is not for text`],
    ],
    [
      'option twice',
      field({
        type: 'select',
        options: [
          { value: 'x', label: 'X' },
          { value: 'x', label: 'Y' },
        ],
      }),
      [`${FIELD}.options[1].value: is the same as in entry 0`],
    ],
    [
      'attribute name',
      field({ attributes: { 'On Click': 'x' } }),
      [`${FIELD}.attributes["On Click"]: must be the lower-case name of an HTML attribute`],
    ],
    [
      'attribute value',
      field({ attributes: { maxlength: 5 } }),
      [`${FIELD}.attributes.maxlength: must be text: put it in quotes`],
    ],
    [
      'pattern with a look-ahead',
      field({ attributes: { pattern: '(?=a)b' } }),
      [expect.stringMatching(/^teams.*\.attributes\.pattern: /) as never],
    ],
    [
      'field address',
      field({ link_url: 'javascript:alert(1)' }),
      [`${FIELD}.link_url: must be an http or https address`],
    ],
    [
      'condition on an unknown field',
      field(rule({ field: 'b', operator: 'is_empty' })),
      [expect.stringMatching(/fields\[0\]\.visibility\.rules\[0\]\.field: /) as never],
    ],
    [
      'condition with an unknown operator',
      field(rule({ field: 'a', operator: 'like' })),
      [expect.stringMatching(/fields\[0\]\.visibility\.rules\[0\]\.operator: /) as never],
    ],
    [
      'condition with an unknown key',
      fields({}, rule({ field: 'f0', operator: 'is_empty', negate: true })),
      [`${FORM}.fields[1].visibility.rules[0].negate: is not a known key`],
    ],
    [
      'condition that cannot be stored',
      fields({}, rule({ field: 'f0', operator: 'equals', value: 'a\0b' })),
      [`${FORM}.fields[1].visibility: holds a character that cannot be stored`],
    ],
    [
      'conditions in a circle',
      fields(rule({ field: 'f1', operator: 'is_empty' }), rule({ field: 'f0', operator: 'is_empty' })),
      [expect.stringMatching(/fields\[0\]\.visibility: /) as never],
    ],
    [
      'condition too deep',
      fields(
        {},
        {
          visibility: Array.from({ length: 5 }).reduce<object>(
            (inner) => ({ match: 'all', rules: [inner] }),
            { match: 'all', rules: [{ field: 'f0', operator: 'is_empty' }] },
          ),
        },
      ),
      [expect.stringMatching(/fields\[1\]\.visibility(\.rules\[0\]){5}: /) as never],
    ],
    [
      'website without id and host',
      team({ websites: [{ name: 'A' }] }),
      [`${WEBSITE}: needs an id or a host`],
    ],
    ['website id', website({ id: 'abc' }), [`${WEBSITE}.id: must be a UUID`]],
    ...['https://a.test', 'a.test/path', 'user@a.test', 'a.test.', 'a.test:443', 'a b', ''].map(
      (host): [string, object, string[]] => [
        `host ${JSON.stringify(host)}`,
        website({ host }),
        [
          `${WEBSITE}.host: must be a host name such as www.example.com, without scheme, path or default port`,
        ],
      ],
    ),
    [
      'website address',
      website({ url: 'ftp://a.test' }),
      [`${WEBSITE}.url: must be an http or https address`],
    ],
    [
      'address that cannot be stored',
      website({ url: 'https://a.test/\0' }),
      [`${WEBSITE}.url: holds a character that cannot be stored`],
    ],
    [
      'time zone',
      website({ time_zone: 'Europe/Atlantis' }),
      [`${WEBSITE}.time_zone: must be a time zone such as Europe/Paris`],
    ],
    [
      'department twice in a website',
      website({ departments: ['75', '75'] }),
      [`${WEBSITE}.departments[1]: is the same as in entry 0`],
    ],
    [
      'captcha key',
      captcha({ key: 'turnstile' }),
      [expect.stringMatching(/captcha\[0\]\.key: must be altcha, or type:identifier/) as never],
    ],
    [
      'captcha twice',
      website({ captcha: [{ key: 'altcha:a' }, { key: 'altcha:a' }] }),
      [`${WEBSITE}.captcha[1].key: is the same as in entry 0`],
    ],
    [
      'missing site key',
      captcha({ key: 'turnstile:a', secret: 's' }),
      [`${LINK}.site_key: is required for turnstile`],
    ],
    [
      'missing project',
      captcha({ key: 'recaptcha_enterprise:a', site_key: 'k', api_key: 'k' }),
      [`${LINK}.project_id: is required for recaptcha_enterprise`],
    ],
    [
      'setting of another type',
      captcha({ key: 'altcha', secret: 's' }),
      [`${LINK}.secret: is not a setting of altcha`],
    ],
    [
      'score of an unscored type',
      captcha({ key: 'hcaptcha:a', site_key: 'k', min_score: 0.5 }),
      [`${LINK}.min_score: is not a setting of hcaptcha`],
    ],
    [
      'score out of range',
      captcha({ key: 'recaptcha_v3:a', site_key: 'k', min_score: 2 }),
      [`${LINK}.min_score: must be at most 1`],
    ],
    [
      'a placement twice',
      website({ forms: [{ slug: 'a' }, { slug: 'a' }] }),
      [`${WEBSITE}.forms[1].slug: is the same as in entry 0`],
    ],
    [
      'a style with the name of a prototype',
      link({ appearance: JSON.parse('{"__proto__":"red"}') }),
      [`${WEBSITE}.forms[0].appearance.__proto__: must start with --`],
    ],
    [
      'appearance',
      link({ appearance: { color: 'red' } }),
      [`${WEBSITE}.forms[0].appearance.color: must start with --`],
    ],
    [
      'address in an appearance',
      link({ appearance: { '--a': 'image-set("a.png" 1x)' } }),
      [`${WEBSITE}.forms[0].appearance.--a: must be one plain value; addresses http or https`],
    ],
    [
      'address in a selector',
      link({ css_selector: '[href="javascript:x"]' }),
      [`${WEBSITE}.forms[0].css_selector: must not name an address but http or https`],
    ],
    [
      'address in a wrapper',
      link({ html_wrapper: '<p data-href="//evil.test"></p>' }),
      [
        `${WEBSITE}.forms[0].html_wrapper: may hold grouping elements with class, id, role, title, lang, dir, ` +
          'aria-* and data-* only; addresses http or https',
      ],
    ],
    [
      'position',
      link({ injection_position: 'after' }),
      [`${WEBSITE}.forms[0].injection_position: must be one of inside`],
    ],
    [
      'recipient rules of a form',
      form({
        recipient_rules: [
          { when: { match: 'all', rules: [] }, recipients: ['a@a.test'] },
          { when: { match: 'none', rules: [{ field: 'a', operator: 'is_empty' }] }, recipients: ['nobody'] },
          { recipients: [], to: 'a@a.test' },
        ],
      }),
      [
        `${FORM}.recipient_rules[0].when.rules: Expected at least one rule.`,
        `${FORM}.recipient_rules[1].when.match: Expected "all" or "any".`,
        `${FORM}.recipient_rules[1].recipients[0]: must be an e-mail address`,
        `${FORM}.recipient_rules[2].when: A condition is an object with "match" and "rules".`,
        `${FORM}.recipient_rules[2].recipients: must be at least 1 entries`,
        `${FORM}.recipient_rules[2].to: is not a known key`,
      ],
    ],
    [
      'too many recipient rules',
      link({
        recipient_rules: Array(21).fill({
          when: { match: 'all', rules: [{ field: 'a', operator: 'is_empty' }] },
          recipients: ['a@a.test'],
        }),
      }),
      [`${WEBSITE}.forms[0].recipient_rules: must be at most 20 entries`],
    ],
    [
      'recipient',
      link({ recipients: ['nobody'] }),
      [`${WEBSITE}.forms[0].recipients[0]: must be an e-mail address`],
    ],
  ])('%s', (_, document, expected) => {
    expect(faultsOf(document)).toEqual(expected);
  });

  test('all faults are reported together, those inside a faulty list included', () => {
    const document = {
      plans: [{ code: 'a', limit: 1 }, { code: 'a' }],
      teams: [
        {
          slug: 'acme',
          members: [{ email: 'nobody', role: 'owner' }],
          forms: [
            { slug: 'one', source_locale: 'xx' },
            { slug: 'two', source_locale: 'xx', fields: [{ name: 'page_url', type: 'text', label: 'P' }] },
          ],
          websites: [{ host: 'a.test', captcha: [{ key: 'altcha', site_key: 'k' }], time_zone: 'x' }],
        },
      ],
    };
    expect([...faultsOf(document)].sort()).toEqual([
      'plans[0].limit: is not a known key',
      'plans[1].code: is the same as in entry 0',
      'teams[0].forms[0].source_locale: must be one of fr, en, de, es, it, nl, pt',
      'teams[0].forms[1].fields[0].name: is reserved for what accompanies a submission',
      'teams[0].forms[1].source_locale: must be one of fr, en, de, es, it, nl, pt',
      'teams[0].members[0].email: must be an e-mail address',
      'teams[0].websites[0].captcha[0].site_key: is not a setting of altcha',
      'teams[0].websites[0].time_zone: must be a time zone such as Europe/Paris',
    ]);
  });
});

describe('a document', () => {
  test.each([
    ['WWW.Exemple.TEST', 'www.exemple.test'],
    ['café.test', 'xn--caf-dma.test'],
    ['localhost:8080', 'localhost:8080'],
    ['[::1]:8080', '[::1]:8080'],
  ])('has its host %s read as %s', (host, expected) => {
    const { teams } = readDocument(JSON.stringify(website({ host })), LOCALES);
    expect(teams[0]!.websites![0]!.host).toBe(expected);
  });

  test('gets defaults for a field, and none for a key that may be stored already', () => {
    const { teams } = readDocument(JSON.stringify(field({})), LOCALES);
    const { fields, ...rest } = teams[0]!.forms![0]!;
    expect(rest).toEqual({ slug: 'contact' });
    expect(fields).toEqual([
      {
        name: 'a',
        type: 'text',
        label: 'A',
        is_required: false,
        show_label: true,
        is_multiple: false,
        placeholder: null,
        help_text: null,
        link_url: null,
        options: [],
        attributes: {},
        visibility: null,
      },
    ]);
  });
});

test('lengths count code points, so that an emoji is one character', () => {
  expect(faultsOf(form({ name: '😀'.repeat(255) }))).toEqual([]);
  expect(faultsOf(form({ name: '😀'.repeat(256) }))).toEqual([
    `${FORM}.name: must be at most 255 characters`,
  ]);
});

test('names such as __proto__ are ordinary names of fields and values of options', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const recordOf = (value: (name: string) => unknown) =>
    Object.fromEntries(names.map((name) => [name, value(name)]));
  const translations = { en: { fields: recordOf((label) => ({ label, options: recordOf(() => label) })) } };
  const options = names.map((value) => ({ value, label: value }));
  const inert = names.map((name) => ({ name, type: 'select', label: name, options }));
  const read = readDocument(JSON.stringify(form({ fields: inert, translations })), LOCALES);
  expect(JSON.stringify(read.teams?.[0]?.forms?.[0]?.translations)).toBe(JSON.stringify(translations));
  const unknown = form({ translations: { en: { fields: JSON.parse('{"__proto__":{"lable":"x"}}') } } });
  expect(faultsOf(unknown)).toEqual([`${FORM}.translations.en.fields.__proto__.lable: is not a known key`]);
});

test('provision.schema.json is current: run scripts/provision-schema.js', async () => {
  const committed = JSON.parse(await readFile(new URL('provision.schema.json', root), 'utf8'));
  expect(committed).toEqual(JSON.parse(JSON.stringify(documentJsonSchema())));
});
