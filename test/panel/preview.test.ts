import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { call, startApiApp } from '../support/integrator.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { createVisitor } from '../support/visitor.js';

let app: TestApp;
let owner: PanelClient;
let id: number;
let site: string;
let english: string;
let empty: string;

const PLACEMENT = {
  slug: 'contact',
  css_selector: '#form',
  html_wrapper: '<section class="card"></section>',
  appearance: { '--fg-accent': '#036' },
  confirmation_message: 'À bientôt chez Acme.',
  recipients: ['bureau@acme.test'],
};

beforeAll(async () => {
  app = await startApiApp({ env: { CAPTCHA_DEFAULT: 'off', PLATFORM_LOCALES: 'fr,en,de' } });
  await provision(app.services, [
    team('acme', {
      websites: [
        website('www.acme.test', { forms: [PLACEMENT] }),
        website('en.acme.test', { locale: 'en' }),
        website('empty.acme.test', { forms: [] }),
      ],
    }),
    team('other'),
  ]);
  const form = await app.services.db.orm.form.findFirstOrThrow({ where: { team: { slug: 'acme' } } });
  id = form.id;
  [site, english, empty] = (await Promise.all(
    ['www', 'en', 'empty'].map((name) => websiteId(app.services, `${name}.acme.test`)),
  )) as [string, string, string];
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(() => app.close());

const PREVIEW = `query ($id: ID!, $input: FormInput, $locale: String!, $websiteId: ID, $placement: FormLinkInput) {
  previewForm(id: $id, input: $input, locale: $locale, websiteId: $websiteId, placement: $placement)
}`;
const TEST = `query ($id: ID!, $input: FormInput, $body: JSONObject!, $websiteId: ID, $placement: FormLinkInput) {
  testSubmission(id: $id, input: $input, body: $body, websiteId: $websiteId, placement: $placement) {
    errors message recipients { address rule { scope index when } } email { subject text }
  }
}`;
const SAVE = `mutation ($id: ID!, $version: Int!, $input: FormInput!) {
  saveForm(id: $id, version: $version, input: $input) { version }
}`;

const draft = {
  name: 'Demande',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  fields: [
    {
      name: 'email',
      type: 'email',
      label: 'E-mail',
      isRequired: true,
      translations: [{ locale: 'en', label: 'E-mail address' }],
    },
    { name: 'code', type: 'text', label: 'Code postal', attributes: { pattern: '\\d{5}' } },
    { name: 'topic', type: 'select', label: 'Sujet', options: [{ value: 'quote', label: 'Devis' }] },
    {
      name: 'budget',
      type: 'number',
      label: 'Budget',
      isRequired: true,
      visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
    },
  ],
  translations: [{ locale: 'en', submitButtonText: 'Send', confirmationMessage: 'Thank you.' }],
};

const preview = async (variables: object) =>
  (await owner.ask(PREVIEW, { id, input: draft, locale: 'fr', ...variables })).previewForm;
const version = async () => (await app.services.db.orm.form.findUniqueOrThrow({ where: { id } })).version;
const trial = async (variables: object) =>
  (await owner.ask(TEST, { id, input: draft, ...variables })).testSubmission;

describe('the preview of a draft', () => {
  test('is in the requested language, else in that of the website, else in its own', async () => {
    expect(await preview({ locale: 'en' })).toMatchObject({
      locale: 'en',
      submit_button_text: 'Send',
      css_selector: null,
      appearance: {},
      fields: [
        { label: 'E-mail address' },
        { label: 'Code postal' },
        { label: 'Sujet' },
        { label: 'Budget' },
      ],
    });
    expect((await preview({ locale: 'de' })).locale).toBe('fr');
    expect((await preview({ locale: 'xx', websiteId: english })).locale).toBe('en');
    expect((await preview({ locale: 'xx' })).locale).toBe('fr');
  });

  test('is that of a saved form, by its deprecated field, when nothing was changed', async () => {
    const SAVED = 'query ($id: ID!) { form(id: $id) { preview(locale: "en") } }';
    const { form } = await owner.ask(SAVED, { id });
    expect(form.preview).toMatchObject({ slug: 'contact', locale: 'en', css_selector: null });
    expect(form.preview.fields).toHaveLength(4);
  });

  test('shows the faults of the draft by their paths', async () => {
    const input = { ...draft, fields: [{ name: 'topic', type: 'select', label: 'Sujet' }] };
    const { errors } = await owner.send(PREVIEW, { id, input, locale: 'fr' });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: { 'input.fields.0.options': ['is required for select'] },
    });
  });

  test('is of websites that carry the form only', async () => {
    const others = await websiteId(app.services, 'www.other.test');
    for (const websiteId of [empty, others, 'cb7d4c2c-6b9a-4f51-9c6c-3f4d3f6a3a3a', 'x']) {
      const variables = { id, input: draft, locale: 'fr', body: {}, websiteId };
      expect(await owner.refused(PREVIEW, variables)).toBe('NOT_FOUND');
      expect(await owner.refused(TEST, variables)).toBe('NOT_FOUND');
    }
  });

  test('is what visitors get once it is saved, on that website, and its answers are the same', async () => {
    const before = await app.services.db.orm.form.findUniqueOrThrow({ where: { id } });
    const previewed = await preview({ websiteId: site });
    expect(previewed).toMatchObject({
      css_selector: '#form',
      html_wrapper: '<section class="card"></section>',
      appearance: { '--fg-accent': '#036' },
    });
    const bodies = [
      { email: 'zoe@x.test', topic: 'quote', budget: '1200', form_locale: 'fr' },
      { email: 'no', code: '1', topic: 'quote', form_locale: 'fr' },
      { email: 'no', topic: 'none', form_locale: 'en' },
      { email: 'zoe@x.test', page_locale: 'x'.repeat(40) },
    ];
    const trials = await Promise.all(bodies.map((body) => trial({ body, websiteId: site })));

    await owner.ask(SAVE, { id, version: before.version, input: draft });
    app.services.changeFeed.expire();
    const config = await call(app.url, 'GET', `/websites/${site}/forms/config?f=contact~fr`, {
      headers: { origin: 'https://www.acme.test' },
    });
    expect((config.body as { forms: object }).forms).toEqual({ 'contact~fr': previewed });
    const visitor = createVisitor({ url: app.url, websiteId: site, origin: 'https://www.acme.test' });
    const headers = await visitor.sign();
    for (const [index, body] of bodies.entries()) {
      const { status, body: answer } = await visitor.submit({ body, headers });
      const { errors, message } = trials[index];
      expect(answer).toMatchObject(status === 200 ? { message } : { errors, message });
      expect(Object.keys(errors).length === 0).toBe(status === 200);
    }
    expect(trials[0].message).toBe('À bientôt chez Acme.');
  });
});

describe('a test submission', () => {
  const body = { email: 'zoe@x.test', topic: 'quote', budget: '1200', form_locale: 'fr', phone: '06' };

  test('tells who would be notified: placement, else form, else website', async () => {
    const to = async (variables: object) =>
      (await trial({ body, ...variables })).recipients.map(({ address }: { address: string }) => address);
    expect(await to({ websiteId: site })).toEqual(['bureau@acme.test']);
    const input = { ...draft, recipients: ['ventes@acme.test'] };
    expect(await to({ input, websiteId: site })).toEqual(['bureau@acme.test']);
    expect(await to({ input, websiteId: english })).toEqual(['ventes@acme.test']);
    expect(await to({ websiteId: english })).toEqual(['hello@en.acme.test']);
    expect(await to({ input })).toEqual(['ventes@acme.test']);
    expect(await trial({ body })).toMatchObject({ recipients: [], email: null, message: 'Merci.' });
  });

  test('tells which rule of the draft chooses a recipient', async () => {
    const when = { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] };
    const never = { match: 'all', rules: [{ field: 'code', operator: 'is_not_empty' }] };
    const recipientRules = [
      { when: never, recipients: ['code@acme.test'] },
      { when, recipients: ['devis@acme.test'] },
    ];
    const input = { ...draft, recipientRules };
    const chosen = { scope: 'form', index: 1, when };
    expect((await trial({ body, input, websiteId: english })).recipients).toEqual([
      { address: 'devis@acme.test', rule: chosen },
    ]);
    expect((await trial({ body: { email: 'zoe@x.test' }, input, websiteId: english })).recipients).toEqual([
      { address: 'hello@en.acme.test', rule: null },
    ]);
  });

  test('follows the draft of a placement, with the form as it is saved', async () => {
    await owner.ask(SAVE, { id, version: await version(), input: draft });
    const when = { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] };
    const placement = {
      confirmationMessage: 'À demain.',
      cssSelector: '#here',
      recipients: ['tous@acme.test'],
      recipientRules: [{ when, recipients: ['devis@acme.test'] }],
    };
    const variables = { input: null, websiteId: site, placement };
    expect(await preview(variables)).toMatchObject({
      css_selector: '#here',
      html_wrapper: null,
      appearance: {},
    });
    expect(await trial({ ...variables, body })).toMatchObject({
      message: 'À demain.',
      recipients: [{ address: 'devis@acme.test', rule: { scope: 'placement', index: 0, when } }],
    });
    const other = await trial({ ...variables, body: { email: 'zoe@x.test', form_locale: 'fr' } });
    expect(other.recipients).toEqual([{ address: 'tous@acme.test', rule: null }]);
    const stored = await preview({ input: null, websiteId: site });
    expect(stored).toMatchObject({ css_selector: '#form', appearance: { '--fg-accent': '#036' } });
  });

  test.each([
    [{ recipients: ['nobody'] }, 'placement.recipients.0'],
    [{ htmlWrapper: '<script>' }, 'placement.htmlWrapper'],
    [
      {
        recipientRules: [
          {
            when: { match: 'all', rules: [{ field: 'gone', operator: 'is_empty' }] },
            recipients: ['a@acme.test'],
          },
        ],
      },
      'placement.recipientRules.0.when.rules.0.field',
    ],
  ])('tells what is wrong with the draft of a placement: %j', async (placement, path) => {
    for (const query of [PREVIEW, TEST]) {
      const variables = { id, input: draft, locale: 'fr', body, websiteId: site, placement };
      const { errors } = await owner.send(query, variables);
      expect(Object.keys(errors?.[0]?.extensions.errors ?? {})).toEqual([path]);
    }
  });

  test('shows the e-mail, in the language of the website', async () => {
    const { email } = await trial({ body, websiteId: english });
    expect(email.subject).toBe('New request: Demande — en.acme.test');
    expect(email.text).toContain('E-mail address: zoe@x.test');
    expect(email.text).toContain('Sujet: Devis');
    expect(email.text).toContain('Budget: 1200');
    expect(email.text).toContain('phone: 06');
  });

  test('records, counts and sends nothing, accepted or not', async () => {
    const before = await dumpTables(app.database.url);
    await preview({ websiteId: site });
    await trial({ body, websiteId: site });
    await trial({ body, websiteId: site, placement: { recipients: ['tous@acme.test'] } });
    await trial({ body: { email: 'no' }, websiteId: site });
    expect(await dumpTables(app.database.url)).toEqual(before);
  });

  test('is tried ten times in no operation, and 60 times a minute by no account', async () => {
    const tried = (times: number) =>
      owner.send(
        `query ($id: ID!, $body: JSONObject!) { ${Array.from(
          { length: times },
          (_, index) => `t${index}: testSubmission(id: $id, body: $body) { message }`,
        ).join(' ')} }`,
        { id, body },
      );
    const codes = ({ errors = [] }: Awaited<ReturnType<typeof tried>>) =>
      errors.map(({ extensions }) => extensions.code);
    expect(codes(await tried(10))).toEqual(['OPERATION_TOO_COSTLY']);
    let passed = 0;
    while (codes(await tried(9)).length === 0) passed += 9;
    // Those of the tests above count as well.
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(60);
    expect(codes(await tried(1))).toEqual(['RATE_LIMITED']);
    expect(await preview({ websiteId: site })).toMatchObject({ slug: 'contact' });
  });
});
