import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';

const ORIGIN = 'https://www.acme.test';
const LINK = {
  slug: 'contact',
  css_selector: '#contact',
  injection_position: 'inside',
  html_wrapper: '<div class="box"></div>',
  appearance: { '--fg-accent': '#0a7c66' },
  confirmation_message: 'Merci de la part de Paris.',
  recipients: ['paris@acme.test'],
};
const QUOTE = contactForm({
  slug: 'quote',
  source_locale: 'de',
  submit_button_text: 'Senden',
  recipients: ['quote@acme.test'],
  privacy_notice: { text: 'Wir antworten Ihnen.', url: 'https://www.acme.test/datenschutz' },
  translations: { en: { submit_button_text: 'Send', privacy_notice: { text: 'We answer you.' } } },
});

let app: TestApp;
let site: string;
let germanSite: string;

beforeAll(async () => {
  // Every call has an address of its own, so that the limit is met only where a test wants to meet it.
  app = await startTestApp({ env: { TRUST_PROXY: 'loopback' } });
  await provision(app.services, [
    team('acme', {
      forms: [
        contactForm(),
        QUOTE,
        contactForm({ slug: '__proto__', name: 'Inert' }),
        contactForm({ slug: 'inactive', active: false }),
        contactForm({ slug: 'off-link' }),
        contactForm({ slug: 'unlinked' }),
      ],
      websites: [
        website('www.acme.test', {
          forms: [
            LINK,
            { slug: 'quote' },
            { slug: '__proto__' },
            { slug: 'inactive' },
            { slug: 'off-link', enabled: false },
          ],
        }),
        website('de.acme.test', { locale: 'de', forms: [LINK] }),
        website('off.acme.test', { disabled: true }),
      ],
    }),
    team('suspended', { active: false }),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
  germanSite = await websiteId(app.services, 'de.acme.test');
});

afterAll(() => app.close());

let client = 0;

type Call = { to?: string; method?: string; headers?: Record<string, string | undefined> };

async function call(query: string, { to = site, method = 'GET', headers = {} }: Call = {}) {
  const address = `198.51.${Math.floor(++client / 250)}.${client % 250}`;
  const sent = { origin: ORIGIN, 'x-forwarded-for': address, ...headers };
  const response = await fetch(`${app.url}/api/websites/${to}/forms/config${query}`, {
    method,
    headers: Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text ? JSON.parse(text) : null };
}

const config = (entries: string, options?: Call) => call(`?f=${encodeURIComponent(entries)}`, options);

/** After a change by the back door: the next answer sees it, without the wait for the notification. */
const afterwards = () => app.services.changeFeed.expire();

describe('GET forms/config', () => {
  test('gives the definition with the settings of its placement, in the documented shape', async () => {
    const { status, body, headers } = await config('contact~en');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=300, must-revalidate');
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(body).toEqual({
      forms: {
        'contact~en': {
          slug: 'contact',
          locale: 'en',
          submit_button_text: 'Envoyer',
          fields: [
            expect.objectContaining({ name: 'name', attributes: { maxlength: '40' } }),
            {
              name: 'email',
              label: 'E-mail address',
              type: 'email',
              is_required: true,
              show_label: true,
              is_multiple: false,
              placeholder: null,
              help_text: null,
              link_url: null,
              options: [],
              attributes: {},
              visibility: null,
            },
            expect.objectContaining({
              name: 'topic',
              options: [
                { value: 'quote', label: 'Devis' },
                { value: 'other', label: 'Autre' },
              ],
            }),
            expect.objectContaining({
              name: 'budget',
              visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
            }),
          ],
          privacy_notice: { text: null, url: null },
          css_selector: '#contact',
          injection_position: 'inside',
          html_wrapper: '<div class="box"></div>',
          appearance: { '--fg-accent': '#0a7c66' },
        },
      },
    });
  });

  test.each([
    ['requested and offered', 'contact~en', 'en'],
    ['its source', 'contact~fr', 'fr'],
    ['empty: the website’s', 'contact~', 'fr'],
    ['a platform language not offered: the source', 'quote~es', 'de'],
    ['empty, the website’s not offered: the source', 'quote~', 'de'],
    ['no platform language, the website’s not offered: the source', 'quote~xx', 'de'],
  ])('picks the language: %s', async (_case, entry, locale) => {
    const { body } = await config(entry);
    expect(body.forms[entry].locale).toBe(locale);
  });

  test('gives another website its own language and placement', async () => {
    const { body } = await config('contact~', {
      to: germanSite,
      headers: { origin: 'https://de.acme.test' },
    });
    expect(body.forms['contact~'].locale).toBe('fr');
  });

  test('falls back text by text to the source language', async () => {
    const { body } = await config('quote~en');
    expect(body.forms['quote~en']).toMatchObject({
      submit_button_text: 'Send',
      privacy_notice: { text: 'We answer you.', url: 'https://www.acme.test/datenschutz' },
    });
  });

  test('has the entries as sent for keys, and null for a form that is not available', async () => {
    const entries = 'unlinked~fr,inactive~fr,off-link~fr,none~fr,contact~de,contact~,contact~fr';
    const { body } = await config(entries);
    expect(Object.keys(body.forms)).toEqual(entries.split(','));
    expect(Object.entries(body.forms).flatMap(([key, value]) => (value === null ? [key] : []))).toEqual([
      'unlinked~fr',
      'inactive~fr',
      'off-link~fr',
      'none~fr',
    ]);
  });

  test('treats names such as __proto__ as ordinary names', async () => {
    const { body, text } = await config('__proto__~,__proto__~en,constructor~fr,toString~');
    expect(text).toMatch(
      /^\{"forms":\{"__proto__~":\{"slug":"__proto__",.*"constructor~fr":null,"toString~":null\}\}$/,
    );
    expect(Object.keys(body.forms)).toEqual(['__proto__~', '__proto__~en', 'constructor~fr', 'toString~']);
  });

  test('answers a duplicate entry once, and takes twenty entries', async () => {
    expect(Object.keys((await config('contact~fr,contact~fr')).body.forms)).toEqual(['contact~fr']);
    const twenty = Array.from({ length: 20 }, (_, index) => `form-${index}~fr`).join();
    expect((await config(twenty)).status).toBe(200);
  });

  test('takes plain and encoded commas, and the website’s id in upper case', async () => {
    const { body } = await call('?f=contact~fr,quote~en', { to: site.toUpperCase() });
    expect(Object.keys(body.forms)).toEqual(['contact~fr', 'quote~en']);
  });
});

describe('GET forms/config refuses', () => {
  const wrong = (messages: string[]) => ({ message: 'The given data was invalid.', errors: { f: messages } });
  const isNot = (entry: string) => `"${entry}" is not of the form slug~lang with a lower-case base language.`;

  test.each([
    ['no f', '', ['This parameter is required.']],
    ['an empty f', '?f=', ['This parameter is required.']],
    ['f twice', '?f=contact~fr&f=quote~fr', ['This parameter must be given once.']],
    ['another name', '?f[]=contact~fr', ['This parameter is required.']],
    ['21 entries', `?f=${'a~,'.repeat(20)}a~`, ['At most 20 entries are allowed.']],
    ['no language part', '?f=contact~fr,contact', [isNot('contact')]],
    ['every malformed entry', '?f=a.b~fr,ok~fr,~fr', [isNot('a.b~fr'), isNot('~fr')]],
    ['a regional tag', '?f=contact~en-GB', [isNot('contact~en-GB')]],
    ['upper case', '?f=contact~FR', [isNot('contact~FR')]],
    ['two tildes', '?f=contact~fr~en', [isNot('contact~fr~en')]],
    ['an entry of nothing', '?f=contact~fr,', [isNot('')]],
    ['white space', '?f=contact~fr,%20quote~fr', [isNot(' quote~fr')]],
    ['a line break at the end', '?f=contact~fr%0A', [isNot('contact~fr\n')]],
    ['markup', '?f=%3Cscript%3E~fr', [isNot('<script>~fr')]],
    ['a long one, shown in part', `?f=${'é'.repeat(500)}`, [isNot('é'.repeat(100))]],
  ])('%s', async (_case, query, messages) => {
    const { status, body, headers } = await call(query);
    expect(status).toBe(422);
    expect(body).toEqual(wrong(messages));
    expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(headers.get('cache-control')).toBeNull();
  });

  test.each([
    ['unknown', '00000000-0000-7000-8000-000000000000'],
    ['no UUID', 'acme'],
  ])('a website that is %s', async (_case, to) => {
    const { status, body } = await config('contact~fr', { to });
    expect(status).toBe(404);
    expect(body).toEqual({ message: 'Website not found.' });
  });

  test.each(['off.acme.test', 'www.suspended.test'])('a disabled website, %s', async (host) => {
    const to = await websiteId(app.services, host);
    const { status, body } = await config('contact~fr', { to, headers: { origin: `https://${host}` } });
    expect(status).toBe(403);
    expect(body).toEqual({ message: 'This website is disabled.' });
  });

  test.each([undefined, 'null', 'https://evil.test', 'https://www.acme.test.evil.test', 'https://acme.test'])(
    'the origin %s',
    async (origin) => {
      const { status, body, headers } = await config('contact~fr', { headers: { origin } });
      expect(status).toBe(403);
      expect(body).toEqual({ error: 'origin_not_allowed' });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('vary')).toBe('Origin');
    },
  );

  test('by the first check that fails', async () => {
    const off = await websiteId(app.services, 'off.acme.test');
    const headers = { origin: 'https://evil.test' };
    expect((await call('', { to: off, headers })).body).toEqual({ message: 'This website is disabled.' });
    expect((await call('', { headers })).body).toEqual({ error: 'origin_not_allowed' });
    expect((await call('', { to: 'none', headers })).status).toBe(404);
  });

  test('more than 60 requests a minute of an address, before any check but that of the website', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const statuses = await Promise.all(
      Array.from({ length: 61 }, async () => (await config('contact~fr', { headers })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    const refused = await config('', { headers: { ...headers, origin: 'https://evil.test' } });
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ message: expect.any(String) });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await config('contact~fr', { headers })).headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect((await config('contact~fr', { to: 'none', headers })).status).toBe(404);
  });
});

describe('GET forms/config of hostile data', () => {
  test('shows no message, recipient or setting of the panel', async () => {
    const { text } = await config('contact~fr,contact~en,quote~de,quote~en');
    expect(text).not.toMatch(/Merci|Thank you|@acme\.test|recipients|message|version|Inert/);
  });

  test('gives only http and https URLs, whatever the database holds', async () => {
    const { db } = app.services;
    const form = await db.orm.form.findFirstOrThrow({
      where: { slug: 'quote' },
      include: { fields: { orderBy: { position: 'asc' } } },
    });
    const [first] = form.fields;
    await db.orm.form.update({ where: { id: form.id }, data: { privacyNoticeUrl: 'javascript:alert(1)' } });
    await db.orm.formTranslation.updateMany({ data: { privacyNoticeUrl: ' javascript:alert(1)' } });
    await db.orm.formField.update({
      where: { id: first!.id },
      data: {
        linkUrl: 'data:text/html,x',
        attributes: {
          maxlength: '5',
          src: 'javascript:alert(1)',
          onclick: 'alert(1)',
          min: 7,
          style: 'background: url(data:,alert)',
        },
      },
    });
    await db.orm.fieldTranslation.create({
      data: { fieldId: first!.id, locale: 'en', linkUrl: 'vbscript:alert(1)' },
    });
    await db.orm.placement.updateMany({
      where: { formId: form.id },
      data: {
        appearance: {
          '--fg-accent': 'red',
          '--bad': { a: 1 },
          color: 'red',
          '--a': 'url(https://x.test/a',
          '--b': 'image-set("//evil.test/alert" 1x)',
        },
        htmlWrapper: '<div data-href="javascript:alert(1)"></div>',
        cssSelector: '[style="\\75rl(data:text/html,alert)"]',
      },
    });
    afterwards();
    const { body } = await config('quote~de,quote~en');
    for (const definition of Object.values<Record<string, unknown>>(body.forms)) {
      expect(definition).toMatchObject({
        privacy_notice: { url: null },
        appearance: { '--fg-accent': 'red' },
        html_wrapper: null,
        css_selector: null,
      });
      expect(Object.keys(definition.appearance as object)).toEqual(['--fg-accent']);
    }
    expect(body.forms['quote~en'].fields[0]).toMatchObject({
      link_url: null,
      attributes: { maxlength: '5' },
    });
    expect(JSON.stringify(body)).not.toMatch(/script:|data:|alert|url\(/);
  });

  test('refuses a malformed request target', async () => {
    const status = await new Promise((resolve, reject) => {
      const path = `/api/websites/${site}/forms/config?f=%E0%A4%A&f=`;
      const sent = request(`${app.url}`, { path, headers: { origin: ORIGIN } }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode));
      });
      sent.once('error', reject).end();
    });
    expect(status).toBe(422);
  });

  test('answers an invalid slug, a thousand keys and a very long query without a 5xx', async () => {
    expect((await config(`${'a'.repeat(6000)}~fr`)).status).toBe(200);
    expect((await call(`?${'x=1&'.repeat(1500)}f=contact~fr`)).status).toBeLessThan(500);
  });
});
