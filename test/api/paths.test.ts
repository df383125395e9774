import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, createToken, provision, team, website, websiteId } from '../support/factories.js';

let app: TestApp;
let site: string;
let token: string;

beforeAll(async () => {
  app = await startTestApp();
  const websites = [website('www.acme.test', { departments: ['2A'] })];
  await provision(app.services, [team('acme', { websites, forms: [contactForm()] })]);
  site = await websiteId(app.services, 'www.acme.test');
  token = await createToken(app.services, 'acme', 'owner@acme.test');
});

afterAll(() => app.close());

/** The status of a GET whose path is sent as it stands. */
async function statusOf(path: string, headers: Record<string, string> = {}): Promise<number> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  const own = { origin: 'https://www.acme.test', authorization: `Bearer ${token}`, ...headers };
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join('')}\r\n`);
  return Number((await text(socket)).slice(9, 12));
}

/** Of a path: `SITE` is the website's id. */
const inPlace = (path: string) => path.replace('SITE', site).replace('Site', site.toUpperCase());

describe('paths', () => {
  test.each([
    ['/api/websites/SITE/signature', 200],
    ['/api/websites/Site/signature', 200],
    ['/API/Websites/SITE/Signature', 200],
    ['/api/websites/SITE/signature/', 200],
    ['/api/websites/SITE/signature?anything=1', 200],
    ['/api//websites/SITE/signature', 404],
    ['/api/websites/SITE//signature', 404],
    ['//api/websites/SITE/signature', 404],
    ['/api/websites/SITE/./signature', 404],
    ['/api/websites/SITE/forms/../signature', 404],
    ['/api/web%73ites/SITE/signature', 404],
    ['/api/websites/SITE%20/signature', 404],
    ['/api/websites/{SITE}/signature', 404],
    ['/api/websites/%zz/signature', 400],
    ['/api/websites', 200],
    ['/api/websites/', 200],
    ['/api/websites/by-department/2A', 200],
    ['/api/websites/by-department/2a', 200],
    ['/api/websites/by-department/%32A/', 200],
    ['/api/websites/by-department/%202A', 404],
    ['/api/tokens', 200],
    ['/API/TOKENS', 200],
    ['/api/tokens/', 404],
  ])('%s is %i', async (path, status) => {
    expect(await statusOf(inPlace(path))).toBe(status);
  });

  test('a part of a path may be percent-encoded where it is a value', async () => {
    const id = `%${site.charCodeAt(0).toString(16)}${site.slice(1)}`;
    expect(await statusOf(`/api/websites/${id}/signature`)).toBe(200);
  });
});

test.each([
  ['contact', 422],
  ['cont%61ct', 422],
  ['Contact', 404],
  ['contact%20', 404],
])('the slug %s in a path is %i', async (slug, status) => {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/${slug}/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(status);
});

test.each([
  ['f=contact~fr', { 'contact~fr': 'fr' }],
  ['f=contact%7Een', { 'contact~en': 'en' }],
  ['f=contact~', { 'contact~': 'fr' }],
  ['f=Contact~fr', { 'Contact~fr': null }],
  ['f=contact~FR', null],
  ['f=contact~en-gb', null],
  ['f=contact~fr,%20contact~en', null],
  ['F=contact~fr', null],
  ['f=contact~fr&f=contact~en', null],
])('the query %s of forms/config gives %j', async (query, locales) => {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/config?${query}`, {
    headers: { origin: 'https://www.acme.test' },
  });
  const { forms } = (await response.json()) as { forms?: Record<string, { locale: string } | null> };
  const read = forms && Object.entries(forms).map(([key, form]) => [key, form?.locale ?? null]);
  expect(read ? Object.fromEntries(read) : null).toEqual(locales);
});

test.each([
  ['form_locale', 'EN', 'Thank you.'],
  ['form_locale', 'en-GB', 'Thank you.'],
  ['page_locale', 'En_gb', 'Thank you.'],
  ['page_locale', 'xx', 'Merci.'],
])('%s %s is read whatever its letter case', async (name, locale, message) => {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'v@x.test', [name]: locale }),
  });
  expect(await response.json()).toMatchObject({ message });
});

describe('values of headers', () => {
  test.each([
    ['the scheme of Authorization', { authorization: 'bEARER TOKEN' }, 200],
    ['the value of a token', { authorization: 'Bearer token' }, 401],
  ])('%s', async (_which, { authorization }, status) => {
    const value = authorization.replace('TOKEN', token).replace(/token$/, token.toLowerCase());
    expect(await statusOf('/api/tokens', { authorization: value })).toBe(status);
  });

  test.each(['HTTPS://www.acme.test', 'https://WWW.acme.test', 'https://www.acme.test/'])(
    'Origin %s is not that of the website, since browsers write it otherwise',
    async (origin) => {
      expect(await statusOf(`/api/websites/${site}/signature`, { origin })).toBe(403);
    },
  );

  const submit = (headers: Record<string, string>) =>
    fetch(`${app.url}/api/websites/${site}/forms/contact/submit`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: '{"email":"v@x.test"}',
    });

  test('Content-Type is read whatever its letter case', async () => {
    expect((await submit({ 'content-type': 'Application/JSON; Charset=UTF-8' })).status).toBe(200);
  });

  test('Idempotency-Key is case-sensitive', async () => {
    const leads = ['key', 'KEY', 'key'].map(async (key) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      return ((await (await submit(headers)).json()) as { lead_id: string }).lead_id;
    });
    const [lower, upper, again] = await Promise.all(leads);
    expect(lower).toBe(again);
    expect(lower).not.toBe(upper);
  });
});
