import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { DELIVERED } from '../../src/webhooks/message.js';
import { startTestApp, type TestApp } from '../support/app.js';
import {
  contactForm,
  createToken,
  provision,
  TEST_ACTOR,
  team,
  website,
  websiteId,
} from '../support/factories.js';
import { loggedIn } from '../support/panel.js';
import { createVisitor, type Visitor } from '../support/visitor.js';

type Entry = Record<string, unknown>;

const ORIGIN = 'https://www.acme.test';

/** A form with some consents, by their names and labels. */
const formOf = (slug: string, consents: Record<string, string>, overrides: Entry = {}): Entry =>
  contactForm({
    slug,
    fields: [
      { name: 'email', type: 'email', label: 'E-mail' },
      ...Object.entries(consents).map(([name, label]) => ({ name, type: 'consent', label })),
    ],
    translations: {},
    ...overrides,
  });

let app: TestApp;
let visitor: Visitor;
let token: string;
let serial = 0;
/**
 * The form of a test; its version 1 asks for `gdpr` and `news`, its version 2 for `gdpr` in other words and `terms`.
 */
let slug: string;
let forms: Entry[] = [];

const FORMER = { gdpr: 'J’accepte la politique de 2025.', news: 'J’accepte la lettre d’information.' };
const PRESENT = { gdpr: 'J’accepte la politique de 2026.', terms: 'J’accepte les conditions.' };

/** Saves the forms as given, and those of the tests before as they are. */
async function save(changed: Entry): Promise<void> {
  forms = [...forms.filter((form) => form.slug !== changed.slug), changed];
  const links = forms.map((form) => ({ slug: form.slug }));
  await provision(app.services, [
    team('acme', { forms, websites: [website('www.acme.test', { forms: links })] }),
  ]);
}

beforeAll(async () => {
  app = await startTestApp({ env: { TRUST_PROXY: 'loopback' } });
  await save(formOf('other', { secret: 'Le texte d’un autre formulaire.' }));
  await save(formOf('other', { secret: 'Le texte d’un autre formulaire, encore.' }));
  const url = app.url;
  visitor = createVisitor({ url, websiteId: await websiteId(app.services, 'www.acme.test'), origin: ORIGIN });
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});

afterAll(() => app.close());

beforeEach(async () => {
  serial += 1;
  slug = `form-${serial}`;
  await save(formOf(slug, FORMER));
  await shows(1);
});

/** The versions that the configuration endpoint tells. */
const told = async (f = `${slug}~fr`) =>
  (
    await visitor.call('GET', `forms/config?f=${f}`, { headers: { 'x-forwarded-for': `10.0.0.${serial}` } })
  ).headers.get('x-form-versions');

/** Waits until this process serves a version. */
async function shows(version: number): Promise<void> {
  for (let answer = await told(); answer !== `${slug}=${version}`; answer = await told()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function edit(consents: Record<string, string> = PRESENT, overrides: Entry = {}): Promise<void> {
  await save(formOf(slug, consents, overrides));
  await shows(2);
}

async function submit(query: string, body: Entry = { gdpr: 1 }, headers: Record<string, string> = {}) {
  const answer = await visitor.call('POST', `forms/${slug}/submit${query}`, {
    body,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { success: true, message: 'Merci.', lead_id: expect.any(String) },
  });
  expect(Object.keys(answer.body)).toEqual(['success', 'message', 'lead_id']);
  const id = String(answer.body.lead_id);
  const { formVersion, currentFormVersion, consents, locale, undeclared, values } =
    await app.services.db.orm.submission.findUniqueOrThrow({ where: { id } });
  return { id, formVersion, currentFormVersion, consents, locale, undeclared, values };
}

const fr = (label: string) => ({ label, locale: 'fr' });

describe('the configuration of forms', () => {
  test('tells the version of each form that it gives in a header, and its body as before', async () => {
    const answer = await visitor.call('GET', `forms/config?f=nothing~fr,other~en,other~fr,${slug}~fr`);
    expect(answer.headers.get('x-form-versions')).toBe(`other=2&${slug}=1`);
    expect(Object.keys((answer.body.forms as Record<string, object>)[`${slug}~fr`]!)).toEqual([
      ...['slug', 'locale', 'submit_button_text', 'fields', 'privacy_notice', 'css_selector'],
      ...['injection_position', 'html_wrapper', 'appearance'],
    ]);
    expect(await told('nothing~fr')).toBeNull();
  });

  test('tells it with a 304 as well, and a change that no page shows is another answer', async () => {
    const ask = (etag: string) =>
      visitor.call('GET', `forms/config?f=${slug}~fr`, { headers: { 'if-none-match': etag } });
    const { headers } = await visitor.call('GET', `forms/config?f=${slug}~fr`);
    const known = await ask(headers.get('etag')!);
    expect(known.status).toBe(304);
    expect(known.headers.get('x-form-versions')).toBe(`${slug}=1`);
    await edit(FORMER, { recipients: ['desk@acme.test'] });
    const changed = await ask(headers.get('etag')!);
    expect(changed.status).toBe(200);
    expect(changed.headers.get('x-form-versions')).toBe(`${slug}=2`);
  });
});

describe('a submission', () => {
  test('has the texts and the version that its page showed', async () => {
    await edit();
    const body = { email: 'a@x.test', gdpr: 1, news: 'yes' };
    expect(await submit('?form_version=1', body)).toMatchObject({
      formVersion: 1,
      currentFormVersion: 2,
      consents: { gdpr: fr(FORMER.gdpr), news: fr(FORMER.news) },
      // By the form as it is, the field is undeclared and kept as it came.
      values: { email: 'a@x.test', gdpr: true },
      undeclared: { news: 'yes' },
    });
  });

  test('has no text of a consent that its page did not show', async () => {
    await edit();
    const { consents, values } = await submit('?form_version=1', { gdpr: 0, terms: 1 });
    expect(consents).toEqual({});
    expect(values).toMatchObject({ terms: true });
  });

  test('has the present text when its page showed the present version', async () => {
    await edit();
    expect(await submit('?form_version=2')).toMatchObject({
      formVersion: 2,
      currentFormVersion: 2,
      consents: { gdpr: fr(PRESENT.gdpr) },
    });
  });

  test('has the present text, and its version seen as unknown, when its sender tells none', async () => {
    await edit();
    expect(await submit('')).toMatchObject({
      formVersion: 2,
      currentFormVersion: null,
      consents: { gdpr: fr(PRESENT.gdpr) },
    });
  });

  test('has the language that its page showed, though the form no longer offers it', async () => {
    const en = { fields: { gdpr: { label: 'I accept the policy of 2025.' } } };
    await edit(FORMER, { translations: { en } });
    await app.services.db.orm.formTranslation.deleteMany({ where: { form: { slug }, locale: 'en' } });
    await save(formOf(slug, PRESENT));
    await shows(3);
    expect(await submit('?form_version=2', { gdpr: 1, form_locale: 'en' })).toMatchObject({
      formVersion: 2,
      currentFormVersion: 3,
      locale: 'fr',
      consents: { gdpr: { label: 'I accept the policy of 2025.', locale: 'en' } },
    });
  });

  test.each([
    ['a version that it never had', '3'],
    ['the far future', '2147483647'],
    ['no integer that the database holds', '2147483648'],
    ['more digits than any', '9'.repeat(4_000)],
    ...['0', '-1', '1.0', '01', '+1', '1e0', '0x1', '%201', '1%0A', 'NaN', 'null', '', '%00', '١'].map(
      (value) => ['no version', value] as [string, string],
    ),
    ['SQL', "1';DROP TABLE submissions;--"],
    ['two versions', '1&form_version=1'],
  ])('is recorded as if nothing was told when told %s, %s', async (_case, value) => {
    await edit();
    expect(await submit(`?form_version=${value}`)).toMatchObject({
      formVersion: 2,
      currentFormVersion: null,
      consents: { gdpr: fr(PRESENT.gdpr) },
    });
  });

  test('is recorded as if nothing was told when told a version that is no longer kept', async () => {
    await edit();
    const form = await app.services.db.orm.form.findFirstOrThrow({ where: { slug } });
    await app.services.db.orm.formVersion.deleteMany({ where: { formId: form.id, version: 1 } });
    expect(await submit('?form_version=1')).toMatchObject({
      formVersion: 2,
      currentFormVersion: null,
      consents: { gdpr: fr(PRESENT.gdpr) },
    });
  });

  test('cannot have a text of another form, whose versions have the same numbers', async () => {
    // Version 2 exists of the other form alone.
    expect(await submit('?form_version=2', { gdpr: 1, secret: 1 })).toMatchObject({
      formVersion: 1,
      currentFormVersion: null,
      consents: { gdpr: fr(FORMER.gdpr) },
    });
  });

  test('is validated by the form as it is', async () => {
    await edit({}, { fields: [{ name: 'phone', type: 'tel', label: 'Téléphone', is_required: true }] });
    const call = (query: string) =>
      visitor.call('POST', `forms/${slug}/submit${query}`, {
        body: { gdpr: 1 },
        headers: { authorization: `Bearer ${token}` },
      });
    const [told, untold] = [await call('?form_version=1'), await call('')];
    expect(told).toMatchObject({ status: 422, body: { errors: { phone: [expect.any(String)] } } });
    expect(told.body).toEqual(untold.body);
  });

  test('is repeated by its idempotency key, whatever version the repetition tells', async () => {
    await edit();
    const key = { 'idempotency-key': `key-${slug}` };
    const first = await submit('?form_version=1', { gdpr: 1 }, key);
    expect(await submit('?form_version=1', { gdpr: 1 }, key)).toEqual(first);
    await save(formOf(slug, { gdpr: 'Encore un autre texte.' }));
    await shows(3);
    for (const query of ['?form_version=1', '?form_version=3', '']) {
      expect(await submit(query, { gdpr: 1 }, key)).toEqual(first);
    }
    expect(first).toMatchObject({ formVersion: 1, consents: { gdpr: fr(FORMER.gdpr) } });
  });

  test('is announced to webhooks, exported and shown with the version whose texts it has', async () => {
    const { db, webhooks, webhookDeliveries } = app.services;
    await edit();
    const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const settings = { url: 'https://hook.acme.test/', events: ['submission.created' as const] };
    await webhooks.create(
      teamId,
      { ...settings, websiteIds: [], formIds: [], description: '', enabled: true },
      TEST_ACTOR,
    );
    const { id } = await submit('?form_version=1');
    const delivery = await db.orm.webhookDelivery.findFirstOrThrow({
      where: { submissionId: id },
      include: DELIVERED,
    });
    const message = JSON.parse(await webhookDeliveries.bodyOf(delivery));
    expect(message.data).toMatchObject({
      form: { slug, version: 1 },
      consents: { gdpr: { text: FORMER.gdpr, locale: 'fr' } },
    });

    const member = await loggedIn(app.url, app.services, 'member@acme.test');
    const { submission } = await member.ask(
      'query ($id: ID!) { submission(id: $id) { formVersion currentFormVersion consents { label } } }',
      { id },
    );
    expect(submission).toEqual({
      formVersion: 1,
      currentFormVersion: 2,
      consents: [{ label: FORMER.gdpr }],
    });
    const exported = await member.fetch('/panel/exports/submissions.ndjson');
    const lines = (await exported.text()).trim().split('\n');
    const line = lines.map((text) => JSON.parse(text)).find((each) => each.id === id);
    expect(line).toMatchObject({
      form: { slug, version: 1 },
      consents: { gdpr: fr(FORMER.gdpr) },
    });
  });

  test('may come from a page that asks before, with the parameter in the address', async () => {
    const answer = await visitor.call('OPTIONS', `forms/${slug}/submit?form_version=1`, {
      headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  });
});

test('a version that differs costs one statement more, and the present one none', async () => {
  await edit();
  const { query } = pg.Client.prototype;
  let reads = 0;
  pg.Client.prototype.query = function watched(this: pg.Client, ...given: [string | { text: string }]) {
    if (/form_(versions|snapshots)/.test(typeof given[0] === 'string' ? given[0] : given[0].text)) reads += 1;
    return Reflect.apply(query, this, given as never);
  } as typeof query;
  const readsOf = async (told: string) => {
    reads = 0;
    await submit(told);
    return reads;
  };
  try {
    expect([await readsOf(''), await readsOf('?form_version=2'), await readsOf('?form_version=no')]).toEqual([
      0, 0, 0,
    ]);
    expect([await readsOf('?form_version=1'), await readsOf('?form_version=77')]).toEqual([1, 1]);
  } finally {
    pg.Client.prototype.query = query;
  }
});
