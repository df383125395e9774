import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

let app: TestApp;
const lines: Record<string, unknown>[] = [];
let token: string;
let foreignToken: string;
let site: string;
let disabledSite: string;
let guardedSite: string;

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  app = await startTestApp({ log });
  await provision(app.services, [
    team('acme', {
      forms: [
        contactForm(),
        contactForm({ slug: 'inactive', active: false }),
        contactForm({ slug: 'unlinked' }),
      ],
      websites: [
        website('www.acme.test', {
          forms: [
            { slug: 'contact', confirmation_message: 'Merci de la part de Paris.' },
            { slug: 'inactive' },
          ],
        }),
        website('off.acme.test', { disabled: true }),
        website('guarded.acme.test', { captcha: [{ key: 'altcha:own' }] }),
      ],
    }),
    team('other'),
  ]);
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  foreignToken = await createToken(app.services, 'other', 'owner@other.test');
  site = await websiteId(app.services, 'www.acme.test');
  disabledSite = await websiteId(app.services, 'off.acme.test');
  guardedSite = await websiteId(app.services, 'guarded.acme.test');
});

afterAll(() => app.close());

type Request = { to?: string; slug?: string; body?: unknown; headers?: Record<string, string | undefined> };

type Answer = { message: string; lead_id: string };

async function submit({
  to = site,
  slug = 'contact',
  body = { email: 'v@x.test' },
  headers = {},
}: Request = {}) {
  const sent = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers };
  const response = await fetch(`${app.url}/api/websites/${to}/forms/${slug}/submit`, {
    method: 'POST',
    headers: Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer };
}

const recorded = (leadId: string) =>
  app.services.db.orm.submission.findUniqueOrThrow({
    where: { id: leadId },
    include: { notification: true },
  });

describe('the submit endpoint', () => {
  test('logs one line with the ids of request, website and submission', async () => {
    const { body, headers } = await submit();
    const ofRequest = () => lines.filter(({ requestId }) => requestId === headers.get('x-request-id'));
    await eventually(() => ofRequest().length > 0);
    expect(ofRequest()).toMatchObject([
      { msg: 'Request', status: 200, websiteId: site, leadId: body.lead_id },
    ]);
  });

  test('logs why it refused a request, by code and names alone', async () => {
    const origin = 'https://www.acme.test';
    const visitor = createVisitor({ url: app.url, websiteId: site, origin });
    const guarded = createVisitor({
      url: app.url,
      websiteId: guardedSite,
      origin: 'https://guarded.acme.test',
    });
    const signed = await visitor.sign();
    const body = { email: 'secretword', message: 'secretword' };
    const elsewhere = { ...signed, origin: 'https://staging.acme.test' };
    const stale = { ...signed, 'x-website-timestamp': '1500000000' };
    const answers = [
      await visitor.submit({ body, headers: elsewhere }),
      await visitor.submit({ body }),
      await visitor.submit({ body, headers: stale }),
      await guarded.submit({ headers: await guarded.sign() }),
      await submit({ body }),
      await submit({ slug: 'missing' }),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    const logged = () => ids.map((id) => lines.find(({ requestId }) => requestId === id));
    await eventually(() => logged().every((line) => line !== undefined));
    expect(logged()).toMatchObject([
      { status: 403, error: 'origin_not_allowed', host: 'www.acme.test', sentHost: 'staging.acme.test' },
      { status: 403, error: 'invalid_signature', signature: 'missing' },
      { status: 403, error: 'invalid_signature', signature: 'wrong_key' },
      { status: 403, error: 'captcha_required' },
      { status: 422, fields: ['email'] },
      { status: 404, error: 'Form not found.' },
    ]);
    expect(JSON.stringify(logged())).not.toContain('secretword');
  });

  test('records the submission with its notification and answers in the documented shape', async () => {
    const { status, body, headers } = await submit({
      body: {
        name: '  Ada\n Martin ',
        email: 'Ada@Example.com',
        topic: 'quote',
        budget: '1200.50',
        utm: { campaign: ['spring'] },
        page_url: 'https://www.acme.test/contact',
        page_title: 'Contact',
        page_locale: 'fr-FR',
      },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      message: 'Merci de la part de Paris.',
      lead_id: expect.stringMatching(UUID_V7),
    });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(await recorded(body.lead_id)).toMatchObject({
      websiteId: site,
      formVersion: 1,
      locale: 'fr',
      state: 'new',
      values: { name: 'Ada Martin', email: 'Ada@Example.com', topic: 'quote', budget: 1200.5 },
      undeclared: { utm: { campaign: ['spring'] } },
      pageUrl: 'https://www.acme.test/contact',
      pageTitle: 'Contact',
      pageLocale: 'fr-FR',
      emails: ['ada@example.com'],
      tokenId: Number(token.split('|')[0]),
      notification: { state: 'pending', attempts: 0 },
    });
  });

  test.each([
    ['the form language', { form_locale: 'en', page_locale: 'fr' }, 'en', 'Thank you.'],
    ['its base', { form_locale: 'en-GB' }, 'en', 'Thank you.'],
    ['the page language', { page_locale: 'en-US' }, 'en', 'Thank you.'],
    [
      'a platform language not offered gives the source',
      { page_locale: 'de' },
      'fr',
      'Merci de la part de Paris.',
    ],
    ['an unknown one gives the website language', { page_locale: 'tlh' }, 'fr', 'Merci de la part de Paris.'],
  ])('answers in the language: %s', async (_case, context, locale, message) => {
    const { body } = await submit({ body: { email: 'v@x.test', ...context } });
    expect(body.message).toBe(message);
    expect((await recorded(body.lead_id)).locale).toBe(locale);
  });

  test('neither validates nor records a hidden field', async () => {
    const { status, body } = await submit({ body: { email: 'v@x.test', topic: 'other', budget: 'much' } });
    expect(status).toBe(200);
    expect(await recorded(body.lead_id)).toMatchObject({
      values: { email: 'v@x.test', topic: 'other' },
      undeclared: {},
    });
  });

  test('never records the fallback token', async () => {
    const { body } = await submit({ body: { email: 'v@x.test', captcha_fallback: 'secret' } });
    expect(JSON.stringify(await recorded(body.lead_id))).not.toContain('secret');
  });

  test('reads a compressed body', async () => {
    const body = gzipSync(JSON.stringify({ email: 'zip@x.test' }));
    expect((await submit({ body, headers: { 'content-encoding': 'gzip' } })).status).toBe(200);
  });
});

describe('the submit endpoint refuses', () => {
  test.each<[string, Request, number, object]>([
    [
      'an unknown website',
      { to: '00000000-0000-7000-8000-000000000000' },
      404,
      { message: 'Website not found.' },
    ],
    ['a website that is no UUID', { to: 'acme' }, 404, { message: 'Website not found.' }],
    ['an unknown form', { slug: 'nope' }, 404, { message: 'Form not found.' }],
    ['an inactive form', { slug: 'inactive' }, 404, { message: 'Form not found.' }],
    ['a form that is not placed', { slug: 'unlinked' }, 404, { message: 'Form not found.' }],
    [
      'no token and no Origin',
      { headers: { authorization: undefined } },
      403,
      { error: 'origin_not_allowed' },
    ],
    [
      'no token and no signature',
      { headers: { authorization: undefined, origin: 'https://www.acme.test' } },
      403,
      { error: 'invalid_signature' },
    ],
    ['a malformed token', { headers: { authorization: 'Bearer 1|x' } }, 401, { message: 'Unauthenticated.' }],
    ['another scheme', { headers: { authorization: 'Basic eDp5' } }, 401, { message: 'Unauthenticated.' }],
    [
      'no Content-Type',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      415,
      { message: expect.any(String) },
    ],
    [
      'another charset',
      { headers: { 'content-type': 'application/json; charset=latin1' } },
      415,
      { message: expect.any(String) },
    ],
    ['malformed JSON', { body: '{"email":' }, 400, { message: expect.any(String) }],
    ['no body', { body: '' }, 400, { message: expect.any(String) }],
    [
      'bytes that are not UTF-8',
      { body: new Uint8Array([0x7b, 0xff, 0x7d]) },
      400,
      { message: expect.any(String) },
    ],
    ['a list', { body: '[]' }, 422, { message: expect.any(String), errors: { body: [expect.any(String)] } }],
    ['null', { body: 'null' }, 422, { message: expect.any(String), errors: { body: [expect.any(String)] } }],
    [
      'a missing required field',
      { body: {} },
      422,
      { message: expect.any(String), errors: { email: [expect.any(String)] } },
    ],
    [
      'several faults at once, each at its field',
      { body: { email: 'no', name: 'x'.repeat(41), topic: 'nope', page_locale: 'x'.repeat(36) } },
      422,
      {
        message: expect.any(String),
        errors: Object.fromEntries(
          ['email', 'name', 'topic', 'page_locale'].map((name) => [name, [expect.any(String)]]),
        ),
      },
    ],
  ])('%s', async (_case, request, status, body) => {
    expect(await submit(request)).toMatchObject({ status, body });
  });

  test('a disabled website', async () => {
    expect(await submit({ to: disabledSite })).toMatchObject({
      status: 403,
      body: { message: 'This website is disabled.' },
    });
  });

  test('a submission without the captcha that the chain requires', async () => {
    expect(await submit({ to: guardedSite })).toMatchObject({
      status: 403,
      body: { error: 'captcha_required' },
    });
  });

  test.each([
    ['plain', (text: string) => text, {}],
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])('a body over 262,144 bytes, %s', async (_case, encode, headers) => {
    const oversize = JSON.stringify({ email: 'v@x.test', text: 'x'.repeat(262_144) });
    expect(await submit({ body: encode(oversize), headers })).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
  });

  test('a method that is not served', async () => {
    const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ message: 'Not found.' });
  });
});

describe('the submit endpoint', () => {
  test('refuses a token of another team', async () => {
    const before = await app.services.db.orm.submission.count();
    const headers = { authorization: `Bearer ${foreignToken}` };
    expect(await submit({ headers })).toMatchObject({ status: 403, body: { message: expect.any(String) } });
    expect(await app.services.db.orm.submission.count()).toBe(before);
  });

  test('refuses a token without the ability', async () => {
    const reading = await createToken(app.services, 'acme', 'admin@acme.test', { abilities: ['team:read'] });
    expect(await submit({ headers: { authorization: `Bearer ${reading}` } })).toMatchObject({ status: 403 });
  });

  test('replaces what PostgreSQL cannot store, and treats prototype names as keys', async () => {
    const body = `{"email":"v@x.test","name":"a\\u0000b\\ud800c","__proto__":{"polluted":1},"constructor":"x"}`;
    const { status, body: answer } = await submit({ body });
    expect(status).toBe(200);
    const { values, undeclared } = await recorded(answer.lead_id);
    expect(values).toMatchObject({ name: 'a\uFFFDb\uFFFDc' });
    expect(Object.entries(undeclared as object)).toEqual(
      expect.arrayContaining([
        ['__proto__', { polluted: 1 }],
        ['constructor', 'x'],
      ]),
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('answers a path with malformed percent-encoding with a 400', async () => {
    const response = await fetch(`${app.url}/api/websites/%E0%A4%A/forms/contact/submit`, { method: 'POST' });
    expect(response.status).toBe(400);
  });

  test('records SQL in any value as text', async () => {
    const hostile = `'; DROP TABLE submissions; --`;
    const { status, body } = await submit({ body: { email: 'v@x.test', name: hostile, [hostile]: hostile } });
    expect(status).toBe(200);
    expect(await recorded(body.lead_id)).toMatchObject({
      values: { name: hostile },
      undeclared: { [hostile]: hostile },
    });
  });
});
