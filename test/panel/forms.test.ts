import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { call, startApiApp } from '../support/integrator.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

let app: TestApp;
let teamId: number;
let site: string;
let owner: PanelClient;

beforeAll(async () => {
  app = await startApiApp({ env: { CAPTCHA_DEFAULT: 'off', PLATFORM_LOCALES: 'fr,en,de' } });
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test')] }),
    team('words', {
      forms: [
        contactForm({
          slug: 'whole',
          fields: [{ name: 'email', type: 'email', label: 'E-mail' }],
          translations: {},
        }),
        contactForm({ privacy_notice: { text: 'Vos données', url: 'https://www.words.test/rgpd' } }),
      ],
      websites: [],
    }),
    team('other'),
  ]);
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app.services, 'www.acme.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
});
afterAll(() => app.close());

const FORM = `
  id slug name active version sourceLocale submitButtonText confirmationMessage privacyNoticeText privacyNoticeUrl
  recipients recipientRules { when recipients } locales
  fields {
    name type label isRequired showLabel isMultiple placeholder helpText linkUrl attributes visibility
    options { value label translations { locale label } }
    translations { locale label placeholder helpText linkUrl }
  }
  translations { locale submitButtonText confirmationMessage privacyNoticeText privacyNoticeUrl }`;
const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { ${FORM} }
}`;
const SAVE = `mutation ($id: ID!, $version: Int!, $input: FormInput!) {
  saveForm(id: $id, version: $version, input: $input) { ${FORM} }
}`;
const LINK = `mutation ($site: ID!, $form: ID!, $input: FormLinkInput!) {
  saveFormLink(websiteId: $site, formId: $form, input: $input) {
    enabled cssSelector injectionPosition htmlWrapper appearance confirmationMessage recipients recipientRules { when recipients }
    form { slug } website { host }
  }
}`;

const email = {
  name: 'email',
  type: 'email',
  label: 'E-mail',
  isRequired: true,
  showLabel: true,
  isMultiple: false,
  placeholder: 'vous@exemple.fr',
  helpText: null,
  linkUrl: null,
  options: [],
  visibility: null,
  attributes: { maxlength: '40' },
  translations: [{ locale: 'en', label: 'E-mail address', placeholder: null, helpText: null, linkUrl: null }],
};
const topic = {
  name: 'topic',
  type: 'select',
  label: 'Sujet',
  isRequired: false,
  showLabel: true,
  isMultiple: false,
  placeholder: null,
  helpText: null,
  linkUrl: null,
  attributes: {},
  options: [
    { value: 'quote', label: 'Devis', translations: [{ locale: 'en', label: 'Quote' }] },
    { value: 'other', label: 'Autre', translations: [] },
  ],
  visibility: { match: 'all', rules: [{ field: 'email', operator: 'is_not_empty' }] },
  translations: [],
};
const rule = (field: string, operator: string, value?: unknown) => ({
  when: { match: 'any', rules: [{ field, operator, ...(value !== undefined && { value }) }] },
  recipients: ['sales@acme.test', 'boss@acme.test'],
});
const whole = {
  name: 'Demande',
  active: true,
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  recipients: ['d@acme.test'],
  confirmationMessage: 'Merci.',
  privacyNoticeText: null,
  privacyNoticeUrl: 'https://www.acme.test/rgpd',
  fields: [email, topic],
  recipientRules: [rule('topic', 'in', ['quote']), rule('email', 'contains', '@big.test')],
  translations: [
    {
      locale: 'en',
      submitButtonText: 'Send',
      confirmationMessage: null,
      privacyNoticeText: null,
      privacyNoticeUrl: null,
    },
  ],
};

let serial = 0;
const create = async (input: object = whole) => {
  serial += 1;
  return (await owner.ask(CREATE, { teamId, slug: `form-${serial}`, input })).createForm;
};

const config = async (slug: string, locale: string) => {
  const path = `/websites/${site}/forms/config?f=${slug}~${locale}`;
  const { body } = await call(app.url, 'GET', path, { headers: { origin: 'https://www.acme.test' } });
  return (body as { forms: Record<string, Record<string, unknown> | null> }).forms[`${slug}~${locale}`];
};

describe('forms', () => {
  test('are created whole, read back as written, placed, and served to visitors', async () => {
    const form = await create();
    expect(form).toEqual({
      id: form.id,
      slug: `form-${serial}`,
      version: 1,
      locales: ['fr', 'en'],
      ...whole,
    });

    const link = {
      cssSelector: '#form',
      appearance: { '--accent': '#036' },
      recipients: ['r@acme.test'],
      recipientRules: [rule('topic', 'is_empty')],
    };
    const { saveFormLink } = await owner.ask(LINK, { site, form: form.id, input: link });
    expect(saveFormLink).toEqual({
      enabled: true,
      injectionPosition: 'inside',
      htmlWrapper: null,
      confirmationMessage: null,
      ...link,
      form: { slug: form.slug },
      website: { host: 'www.acme.test' },
    });
    const seen = await eventually(() => config(form.slug, 'en'));
    expect(seen).toMatchObject({
      locale: 'en',
      submit_button_text: 'Send',
      css_selector: '#form',
      appearance: { '--accent': '#036' },
      fields: [{ label: 'E-mail address' }, { label: 'Sujet' }],
    });

    const unlink = 'mutation ($site: ID!, $form: ID!) { removeFormLink(websiteId: $site, formId: $form) }';
    expect(await owner.ask(unlink, { site, form: form.id })).toEqual({ removeFormLink: true });
    await eventually(async () => (await config(form.slug, 'en')) === null);
    expect(await owner.ask(unlink, { site, form: form.id })).toEqual({ removeFormLink: false });
  });

  test('get a new version when something changed, keep ids, and are served at once', async () => {
    const form = await create();
    await owner.ask(LINK, { site, form: form.id, input: {} });
    const { db } = app.services;
    const ids = async () =>
      (await db.orm.formField.findMany({ where: { formId: Number(form.id) }, orderBy: { name: 'asc' } })).map(
        ({ id }) => id,
      );
    const before = await ids();

    const same = await owner.ask(SAVE, { id: form.id, version: 1, input: whole });
    expect(same.saveForm).toEqual(form);
    const fields = [topic, { ...email, label: 'Courriel', translations: [] }];
    const input = {
      ...whole,
      fields,
      translations: [...whole.translations, { locale: 'de', submitButtonText: '' }],
    };
    const { saveForm } = await owner.ask(SAVE, { id: form.id, version: 1, input });
    expect(saveForm).toMatchObject({ version: 2, locales: ['fr', 'en', 'de'], fields });
    expect(await ids()).toEqual(before);
    const seen = await eventually(async () => {
      const found = await config(form.slug, 'fr');
      return (found?.fields as { label: string }[] | undefined)?.[1]?.label === 'Courriel' && found;
    });
    expect(seen.fields).toMatchObject([{ name: 'topic' }, { name: 'email' }]);
  });

  test('are duplicated without their placements, and deleted', async () => {
    const form = await create();
    await owner.ask(LINK, { site, form: form.id, input: {} });
    const COPY = `mutation ($id: ID!, $slug: String!, $name: String) {
      duplicateForm(id: $id, slug: $slug, name: $name) { ${FORM} links { websiteId } }
    }`;
    const { duplicateForm } = await owner.ask(COPY, { id: form.id, slug: 'copy', name: 'Copie' });
    expect(duplicateForm).toEqual({ ...form, id: duplicateForm.id, slug: 'copy', name: 'Copie', links: [] });
    expect(await owner.refused(COPY, { id: form.id, slug: 'copy' })).toBe('BAD_USER_INPUT');

    await eventually(() => config(form.slug, 'fr'));
    await owner.ask('mutation ($id: ID!) { deleteForm(id: $id) }', { id: form.id });
    await eventually(async () => (await config(form.slug, 'fr')) === null);
    expect(await owner.refused('query ($id: ID!) { form(id: $id) { id } }', { id: form.id })).toBe(
      'NOT_FOUND',
    );
  });

  test('are duplicated with their own retention period and spam filter', async () => {
    const form = await create();
    const { orm } = app.services.db;
    const own = { retentionMonths: 3, spamFilter: 'mark' } as const;
    await orm.form.update({ where: { id: Number(form.id) }, data: own });
    const COPY = 'mutation ($id: ID!, $slug: String!) { duplicateForm(id: $id, slug: $slug) { id } }';
    const { duplicateForm } = await owner.ask(COPY, { id: form.id, slug: 'copy-of-settings' });
    const id = Number(duplicateForm.id);
    expect(await orm.form.findUniqueOrThrow({ where: { id } })).toMatchObject(own);
    const recorded = await orm.auditEvent.findMany({
      where: { subjectType: 'form', subjectId: duplicateForm.id },
      orderBy: { id: 'asc' },
      select: { action: true, detail: true },
    });
    expect(recorded).toMatchObject([
      { action: 'form.created' },
      { action: 'retention.changed', detail: { from: null, to: 3 } },
      { action: 'form.spam_filter_changed', detail: { filter: 'mark' } },
    ]);
  });

  test('are listed by name, searched and paged, with their parts', async () => {
    const LIST = `query ($first: Int, $after: String, $search: String) {
      forms(first: $first, after: $after, search: $search) {
        edges { node { slug fields { name } links { website { host formLinks { form { slug } } } } } }
        pageInfo { endCursor }
      }
    }`;
    await create({ ...whole, name: 'Zzz' });
    const first = await owner.ask(LIST, { first: 1 });
    expect(first.forms.edges[0].node).toMatchObject({
      slug: 'contact',
      fields: [{ name: 'name' }, { name: 'email' }, { name: 'topic' }, { name: 'budget' }],
      links: [
        {
          website: {
            host: 'www.acme.test',
            formLinks: expect.arrayContaining([{ form: { slug: 'contact' } }]),
          },
        },
      ],
    });
    const rest = await owner.ask(LIST, { after: first.forms.pageInfo.endCursor });
    const slugs = rest.forms.edges.map(({ node }: { node: { slug: string } }) => node.slug);
    expect(slugs).not.toContain('contact');
    expect(slugs.at(-1)).toBe(`form-${serial}`);
    expect((await owner.ask(LIST, { search: 'zZz' })).forms.edges.length).toBe(1);
  });

  test('list their missing translations by language', async () => {
    const words = await loggedIn(app.url, app.services, 'member@words.test');
    const { id } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'words' } });
    const MISSING = `query ($id: ID!, $against: LocaleSet!) {
      missingTranslations(teamId: $id, against: $against) {
        form { slug missingTranslations(against: $against) { locale } } missing { locale texts { field option text source } }
      }
    }`;
    const offered = (await words.ask(MISSING, { id, against: 'OFFERED' })).missingTranslations;
    expect(offered).toEqual([
      {
        form: { slug: 'contact', missingTranslations: [{ locale: 'en' }] },
        missing: [
          {
            locale: 'en',
            texts: [
              { field: null, option: null, text: 'submitButtonText', source: 'Envoyer' },
              { field: null, option: null, text: 'privacyNoticeText', source: 'Vos données' },
              { field: null, option: null, text: 'privacyNoticeUrl', source: 'https://www.words.test/rgpd' },
              { field: 'name', option: null, text: 'label', source: 'Nom' },
              { field: 'topic', option: null, text: 'label', source: 'Sujet' },
              { field: 'topic', option: 'quote', text: 'label', source: 'Devis' },
              { field: 'topic', option: 'other', text: 'label', source: 'Autre' },
              { field: 'budget', option: null, text: 'label', source: 'Budget' },
            ],
          },
        ],
      },
    ]);
    const platform = (await words.ask(MISSING, { id, against: 'PLATFORM' })).missingTranslations;
    expect(platform.map(({ form }: { form: object }) => form)).toEqual([
      { slug: 'contact', missingTranslations: [{ locale: 'en' }, { locale: 'de' }] },
      { slug: 'whole', missingTranslations: [{ locale: 'en' }, { locale: 'de' }] },
    ]);
  });
});

test('names such as __proto__ are ordinary names of fields and values of options', async () => {
  const name = '__proto__';
  const inert = {
    ...topic,
    name,
    options: [{ value: name, label: 'Devis', translations: [{ locale: 'en', label: 'Quote' }] }],
    visibility: null,
  };
  const detail = {
    ...email,
    name: 'constructor',
    visibility: { match: 'all', rules: [{ field: name, operator: 'equals', value: name }] },
  };
  const form = await create({ ...whole, fields: [inert, detail], recipientRules: [] });
  expect(form.fields).toEqual([inert, detail]);
});

describe('the panel refuses', () => {
  const field = (over: object) => ({ name: 'x', type: 'text', label: 'X', ...over });
  const withFields = (...fields: object[]) => ({ fields, translations: [] });
  const en = { locale: 'en' };

  test.each<[string, object, string]>([
    ['a reserved name', withFields(field({}), field({ name: 'page_url' })), 'input.fields.1.name'],
    ['a name with a space', withFields(field({ name: 'a b' })), 'input.fields.0.name'],
    ['the same name twice', withFields(field({}), field({})), 'input.fields.1.name'],
    ['a choice without options', withFields(field({ type: 'radio' })), 'input.fields.0.options'],
    [
      'an attribute with the name of a prototype',
      withFields(field({ attributes: JSON.parse('{"__proto__":"x"}') })),
      'input.fields.0.attributes.__proto__',
    ],
    [
      'an attribute that runs a script',
      withFields(field({ attributes: { onclick: 'x' } })),
      'input.fields.0.attributes.onclick',
    ],
    [
      'an attribute that is no text',
      withFields(field({ attributes: { max: 3 } })),
      'input.fields.0.attributes.max',
    ],
    [
      'a pattern with a look-ahead',
      withFields(field({ attributes: { pattern: '(?=a)b' } })),
      'input.fields.0.attributes.pattern',
    ],
    [
      'an unknown operator',
      withFields(field({ visibility: { match: 'all', rules: [{ field: 'x', operator: 'near' }] } })),
      'input.fields.0.visibility.rules.0.operator',
    ],
    [
      'a condition on itself',
      withFields(field({ visibility: { match: 'all', rules: [{ field: 'x', operator: 'is_empty' }] } })),
      'input.fields.0.visibility',
    ],
    ['a link that is no address', withFields(field({ linkUrl: 'javascript:x' })), 'input.fields.0.linkUrl'],
    [
      'a translation into a language that the form has not',
      withFields(field({ translations: [{ ...en, label: 'X' }] })),
      'input.fields.0.translations.0.locale',
    ],
    [
      'the same of an option',
      withFields(
        field({
          type: 'select',
          options: [{ value: 'a', label: 'A', translations: [{ ...en, label: 'A' }] }],
        }),
      ),
      'input.fields.0.options.0.translations.0.locale',
    ],
    [
      'a translation into its own language',
      { translations: [{ locale: 'en' }, { locale: 'fr' }] },
      'input.translations.1.locale',
    ],
    [
      'a language twice',
      { translations: [{ locale: 'en' }, { locale: 'en' }] },
      'input.translations.1.locale',
    ],
    ['a language of nobody', { sourceLocale: 'xx' }, 'input.sourceLocale'],
    ['recipients that are none', { recipients: ['d@acme.test', 'x'] }, 'input.recipients.1'],
    [
      'a recipient rule on a field that the form has not',
      { recipientRules: [rule('topic', 'is_empty'), rule('gone', 'is_empty')] },
      'input.recipientRules.1.when.rules.0.field',
    ],
    [
      'a recipient rule on an option that its field has not',
      { recipientRules: [rule('topic', 'equals', 'none')] },
      'input.recipientRules.0.when.rules.0.value',
    ],
    [
      'a recipient rule without a recipient',
      { recipientRules: [{ ...rule('topic', 'is_empty'), recipients: [] }] },
      'input.recipientRules.0.recipients',
    ],
    [
      'a recipient rule whose recipient is none',
      { recipientRules: [{ ...rule('topic', 'is_empty'), recipients: ['x'] }] },
      'input.recipientRules.0.recipients.0',
    ],
    [
      'a recipient rule without a condition',
      { recipientRules: [{ when: {}, recipients: ['d@acme.test'] }] },
      'input.recipientRules.0.when.match',
    ],
    [
      'more than 20 recipient rules',
      { recipientRules: Array(21).fill(rule('topic', 'is_empty')) },
      'input.recipientRules',
    ],
    ['an empty message', { confirmationMessage: '' }, 'input.confirmationMessage'],
    ['what cannot be stored', { name: 'a\0' }, 'input.name'],
  ])('%s', async (_what, input, path) => {
    const { errors } = await owner.send(CREATE, { teamId, slug: 'faulty', input: { ...whole, ...input } });
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(Object.keys(errors?.[0]?.extensions.errors ?? {})).toContain(path);
    expect(await app.services.db.orm.form.count({ where: { slug: 'faulty' } })).toBe(0);
  });

  test('a slug that is taken or invalid', async () => {
    for (const slug of ['contact', 'a b', '']) {
      const { errors } = await owner.send(CREATE, { teamId, slug, input: whole });
      expect(Object.keys(errors?.[0]?.extensions.errors ?? {})).toEqual(['slug']);
    }
  });

  test('to save over a newer version: of concurrent saves one passes', async () => {
    const form = await create();
    const save = (n: number) =>
      owner.send(SAVE, { id: form.id, version: 1, input: { ...whole, name: `N ${n}` } });
    const codes = (await Promise.all([1, 2, 3, 4].map(save))).map(
      ({ errors }) => errors?.[0]?.extensions.code,
    );
    expect(codes.filter((code) => code === 'CONFLICT').length).toBe(3);
    expect(codes.filter((code) => code === undefined).length).toBe(1);
  });

  test('to delete a form that has submissions', async () => {
    const visitor = createVisitor({ url: app.url, websiteId: site, origin: 'https://www.acme.test' });
    expect((await visitor.submit({ headers: await visitor.sign() })).status).toBe(200);
    const { id } = await app.services.db.orm.form.findFirstOrThrow({ where: { teamId, slug: 'contact' } });
    expect(await owner.refused('mutation ($id: ID!) { deleteForm(id: $id) }', { id })).toBe('CONFLICT');
  });

  test.each<[string, object, string]>([
    ['markup that runs a script', { htmlWrapper: '<script>x</script>' }, 'input.htmlWrapper'],
    ['markup that loads something', { htmlWrapper: '<div style="background:url(x)">' }, 'input.htmlWrapper'],
    ['a style that leaves its declaration', { appearance: { '--a': 'x;}' } }, 'input.appearance.--a'],
    [
      'a style with the name of a prototype',
      { appearance: JSON.parse('{"__proto__":"red"}') },
      'input.appearance.__proto__',
    ],
    ['a style with half an address', { appearance: { '--a': 'url(https://x.test' } }, 'input.appearance.--a'],
    ['a style with a relative address', { appearance: { '--a': 'SRC("/x")' } }, 'input.appearance.--a'],
    ['markup with a hidden address', { htmlWrapper: '<p data-a="java&Tab;script:x">' }, 'input.htmlWrapper'],
    ['a selector with an address', { cssSelector: '[style="\\75rl(x)"]' }, 'input.cssSelector'],
    ['a style that is no custom property', { appearance: { color: 'red' } }, 'input.appearance.color'],
    ['recipients that are none', { recipients: ['x'] }, 'input.recipients.0'],
    [
      'a recipient rule on a field that the form has not',
      { recipientRules: [rule('email', 'is_empty'), rule('gone', 'is_empty')] },
      'input.recipientRules.1.when.rules.0.field',
    ],
    [
      'a recipient rule whose recipient is none',
      { recipientRules: [{ ...rule('email', 'is_empty'), recipients: ['x'] }] },
      'input.recipientRules.0.recipients.0',
    ],
  ])('%s on a placement', async (_what, input, path) => {
    const { id: form } = await app.services.db.orm.form.findFirstOrThrow({ where: { teamId } });
    const { errors } = await owner.send(LINK, { site, form, input });
    expect(Object.keys(errors?.[0]?.extensions.errors ?? {})).toEqual([path]);
  });

  test('to put the form of another team on a website, by an owner of both', async () => {
    const { db } = app.services;
    const other = await db.orm.form.findFirstOrThrow({ where: { team: { slug: 'other' } } });
    const { id: userId } = await db.orm.user.findUniqueOrThrow({ where: { email: 'owner@acme.test' } });
    await db.orm.membership.create({ data: { teamId: other.teamId, userId, role: 'owner' } });
    expect(await owner.refused(LINK, { site, form: other.id, input: {} })).toBe('NOT_FOUND');
  });
});
