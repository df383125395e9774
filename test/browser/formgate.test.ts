import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser, type Pages, servePages } from '../support/browser.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { eventually } from '../support/wait.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIGNATURE_TTL_MS = 600_000;
const TURNSTILE = 'https://challenges.cloudflare.com/**';

/** Every kind of field, with a condition and both languages. */
const FORM = {
  slug: 'contact',
  name: 'Contact',
  source_locale: 'fr',
  submit_button_text: 'Envoyer',
  confirmation_message: 'Merci.\n<b>À bientôt</b>',
  privacy_notice: { text: 'Pour vous répondre.', url: 'https://acme.test/rgpd' },
  fields: [
    { name: 'name', type: 'text', label: 'Nom', show_label: false, placeholder: 'Nom' },
    { name: 'email', type: 'email', label: 'E-mail', is_required: true, help_text: 'Pour la réponse.' },
    {
      name: 'topic',
      type: 'select',
      label: 'Sujet',
      options: [
        { value: 'quote', label: 'Devis' },
        { value: 'other', label: 'Autre' },
      ],
    },
    {
      name: 'budget',
      type: 'number',
      label: 'Budget',
      attributes: { min: '10' },
      visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
    },
    {
      name: 'days',
      type: 'checkbox',
      label: 'Jours',
      is_multiple: true,
      options: [
        { value: 'mon', label: 'Lundi' },
        { value: 'tue', label: 'Mardi' },
      ],
    },
    { name: 'by', type: 'radio', label: 'Par', options: [{ value: 'mail', label: 'Courrier' }] },
    { name: 'tags', type: 'text', label: 'Mots', is_multiple: true },
    { name: 'phone', type: 'tel', label: 'Téléphone' },
    { name: 'site', type: 'url', label: 'Site' },
    { name: 'start', type: 'date', label: 'Début' },
    { name: 'hour', type: 'time', label: 'Heure' },
    { name: 'message', type: 'textarea', label: 'Message' },
    { name: 'campaign', type: 'hidden', label: 'Campagne' },
    {
      name: 'gdpr',
      type: 'consent',
      label: "J'accepte",
      is_required: true,
      link_url: 'https://acme.test/rgpd',
    },
  ],
  translations: {
    en: {
      submit_button_text: 'Send',
      confirmation_message: 'Thank you.',
      fields: { email: { label: 'Mail' } },
    },
  },
};

/** Names that the objects of a page have as well. */
const INERT = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

const INERT_FORM = {
  ...FORM,
  slug: 'inert',
  fields: INERT.map((name) => ({ name, type: 'text', label: name, is_required: true })),
  translations: {},
};

let app: TestApp;
let pages: Pages;
let providers: CaptchaProviders;
let browser: Browser;
let aheadMs = 0;
const ids = { proof: '', chain: '' };
/** `localhost` is the website with the built-in proof of work, `127.0.0.1` the one with a chain. */
const origins = { proof: '', chain: '' };
type Site = keyof typeof ids;

const page = (path: string): { html: string; headers?: Record<string, string> } => {
  const { pathname, searchParams } = new URL(path, 'http://page');
  const site = (searchParams.get('site') ?? 'proof') as Site;
  const nonce = pathname === '/nonce' ? ' nonce="n0nce"' : '';
  const script = `<script${nonce} src="${app.url}/formgate.js" data-website="${ids[site]}" async></script>`;
  const form = `<main><h1>Page</h1><div data-formgate="contact" data-values='{"campaign":"spring"}'></div></main>`;
  const bodies: Record<string, string> = {
    '/two': `${form}<div data-formgate="contact"></div>${script}`,
    '/amd': `<script>window.define = () => { throw new Error('taken for a module'); }; define.amd = {};</script>${form}${script}`,
    '/inert': `<main><div data-formgate="inert"></div></main>${script}`,
    '/module': `<main id="here"></main>`,
  };
  const lang = searchParams.get('lang') ?? 'fr';
  const base = `<!doctype html><html lang="${lang}"><head><title>Page</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">`;
  const sources = pathname === '/nonce' ? `'nonce-n0nce'` : app.url;
  const policy = `default-src 'none'; script-src ${sources}; connect-src ${app.url}; worker-src blob:; style-src 'none'; form-action 'none'`;
  const isStrict = pathname === '/strict' || pathname === '/nonce';
  // Checkers of contrast do not know the browser's own canvas.
  const style = isStrict ? '' : '<style>body { background: Canvas; color: CanvasText }</style>';
  return {
    html: `${base}${style}<body>${bodies[pathname] ?? form + script}</body></html>`,
    ...(isStrict && { headers: { 'Content-Security-Policy': policy } }),
  };
};

beforeAll(async () => {
  const port = await freePort();
  providers = await startCaptchaProviders();
  [app, pages, browser] = await Promise.all([
    startTestApp({
      env: {
        ...providers.env,
        ALTCHA_MAX_NUMBER: '1000',
        PORT: String(port),
        TRUST_PROXY: 'loopback',
        PUBLIC_URL: `http://127.0.0.1:${port}`,
      },
      clock: () => new Date(Date.now() + aheadMs),
    }),
    servePages((path) => page(path)),
    launchBrowser(),
  ]);
  const hosts = { proof: `localhost:${pages.port}`, chain: `127.0.0.1:${pages.port}` };
  const captcha = [{ key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile }, { key: 'altcha:own' }];
  await provision(app.services, [
    team('acme', {
      forms: [FORM, INERT_FORM],
      websites: [
        website(hosts.proof, {
          email: 'hello@acme.test',
          forms: [{ slug: 'contact' }, { slug: 'inert', appearance: { '--fg-accent': '#036' } }],
        }),
        website(hosts.chain, { email: 'hello@acme.test', captcha }),
      ],
    }),
  ]);
  for (const site of ['proof', 'chain'] as const) {
    ids[site] = await websiteId(app.services, hosts[site]);
    origins[site] = `http://${hosts[site]}`;
  }
});

const opened: Page[] = [];
let addresses = 0;

afterEach(async () => {
  for (const one of opened.splice(0)) await one.context().close();
  providers.reset();
  aheadMs = 0;
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await app?.close();
  await providers?.stop();
});

async function open(
  path: string,
  {
    site = 'proof',
    prepare,
    ...options
  }: BrowserContextOptions & { site?: Site; prepare?: (page: Page) => Promise<unknown> } = {},
) {
  const context = await browser.newContext(options);
  const opening = await context.newPage();
  opened.push(opening);
  // An address each, because the gateway counts challenges by address.
  const address = `192.0.2.${++addresses}`;
  await opening.route('**/captcha/altcha/challenge', (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-forwarded-for': address } }),
  );
  const requests: Request[] = [];
  opening.on('request', (request) => requests.push(request));
  await prepare?.(opening);
  await opening.goto(`${origins[site]}${path}${path.includes('?') ? '&' : '?'}site=${site}`);
  return {
    page: opening,
    requests,
    /** The submissions that have gone out. */
    sent: () =>
      requests.filter(
        (request) => request.method() === 'POST' && new URL(request.url()).pathname.endsWith('/submit'),
      ),
  };
}

async function fill(target: Page, email = 'v@x.test'): Promise<void> {
  await target.locator('[name=email]').fill(email);
  await target.locator('[name=gdpr]').check();
}

const send = (target: Page) => target.locator('.fg-submit').click();
const message = (target: Page) => target.locator('.fg-message');
const alert = (target: Page) => target.locator('.fg-alert');

/** What the last of these submissions has recorded. */
async function recorded(sent: readonly Request[]) {
  const { lead_id: id } = await (await sent.at(-1)!.response())!.json();
  return app.services.db.orm.submission.findUniqueOrThrow({ where: { id } });
}

/** A widget that gives a token of the stand-in at once. */
async function standInTurnstile(target: Page): Promise<void> {
  await target.exposeFunction('issueToken', () => providers.issue('turnstile', { hostname: '127.0.0.1' }));
  await target.route(TURNSTILE, (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `let callback; window.turnstile = {
        render: (element, options) => { callback = options.callback; return 'one'; },
        execute: () => window.issueToken().then((token) => callback(token)),
        remove() {} };`,
    }),
  );
}

describe('a visitor', () => {
  test('reads the form in the language of the page, reveals, corrects, and sends', async () => {
    const { page: target, requests, sent } = await open('/?lang=en-GB');
    await target.locator('label', { hasText: 'Mail' }).first().waitFor();
    expect(await target.locator('.fg-submit').textContent()).toBe('Send');
    expect(requests.filter((request) => request.url().includes('/forms/config'))).toHaveLength(1);
    expect(await target.context().cookies()).toEqual([]);
    expect(new Set(requests.map((request) => new URL(request.url()).origin))).toEqual(
      new Set([origins.proof, app.url]),
    );

    const budget = target.locator('[name=budget]');
    expect(await budget.isVisible()).toBe(false);
    await target.locator('[name=topic]').selectOption('quote');
    expect(await budget.isVisible()).toBe(true);
    await budget.fill('5');
    await send(target);
    expect(sent()).toEqual([]);
    await alert(target).locator('p').waitFor();
    const email = target.locator('[name=email]');
    expect(await target.evaluate('document.activeElement.name')).toBe('email');
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    const described = (await email.getAttribute('aria-describedby'))!.split(' ');
    const texts = await Promise.all(described.map((id) => target.locator(`[id="${id}"]`).textContent()));
    expect(texts).toEqual(['Pour la réponse.', 'Please fill in this field.']);

    await fill(target);
    await budget.fill('20');
    expect(await alert(target).textContent()).toBe('');
    await target.locator('[value=tue]').check();
    await target.locator('[name=start]').fill('2027-01-31');
    await target.locator('[name=hour]').fill('09:30');
    await target.locator('[name=tags]').fill('a');
    await target.locator('.fg-add').click();
    await target.locator('[name=tags]').nth(1).fill('b');
    await send(target);
    await message(target).waitFor();
    expect(await message(target).textContent()).toBe('Thank you.');
    expect(await recorded(sent())).toMatchObject({
      locale: 'en',
      captchaKey: 'altcha',
      pageLocale: 'en-GB',
      attribution: {},
      values: {
        email: 'v@x.test',
        topic: 'quote',
        budget: 20,
        days: ['tue'],
        start: '2027-01-31',
        hour: '09:30',
        tags: ['a', 'b'],
        campaign: 'spring',
        gdpr: true,
      },
      undeclared: {},
    });
  });

  test('can use fields named like properties of DOM objects', async () => {
    const { page: target, sent } = await open('/inert');
    await target.locator('[name=__proto__]').fill('a');
    await send(target);
    await alert(target).locator('p').waitFor();
    expect(await target.locator('.fg-error:not([hidden])').count()).toBe(INERT.length - 1);
    for (const name of INERT) await target.locator(`[name=${name}]`).fill(name);
    await send(target);
    await message(target).waitFor();
    const { values } = await recorded(sent());
    expect(Object.entries(values as object).sort()).toEqual(INERT.map((name) => [name, name]).sort());
  });

  test('sees the confirmation as text', async () => {
    const { page: target } = await open('/');
    await fill(target);
    await send(target);
    await message(target).waitFor();
    expect(await message(target).textContent()).toBe('Merci.\n<b>À bientôt</b>');
    expect(await message(target).locator('b').count()).toBe(0);
  });

  test('sends once on a double click', async () => {
    const { page: target, sent } = await open('/');
    await fill(target);
    const before = await app.services.db.orm.submission.count();
    await target.locator('.fg-submit').dblclick();
    await message(target).waitFor();
    expect(sent()).toHaveLength(1);
    expect(sent()[0]!.headers()['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    expect(await app.services.db.orm.submission.count()).toBe(before + 1);
  });

  test('can do all of it with the keyboard', async () => {
    const { page: target, sent } = await open('/');
    await target.locator('[name=email]').focus();
    await target.keyboard.type('k@x.test');
    await target.locator('[name=gdpr]').focus();
    await target.keyboard.press('Space');
    await target.locator('.fg-submit').focus();
    await target.keyboard.press('Enter');
    await message(target).waitFor();
    expect(await recorded(sent())).toMatchObject({ emails: ['k@x.test'] });
  });

  test('is told how long to wait, and keeps the values', async () => {
    const set = async (submissionsPerMinute: number) => {
      await app.services.db.orm.plan.update({ where: { code: 'default' }, data: { submissionsPerMinute } });
      app.services.changeFeed.expire();
    };
    await set(1);
    try {
      const first = await open('/two');
      const forms = first.page.locator('form');
      for (const index of [0, 1]) {
        await forms.nth(index).locator('[name=email]').fill('v@x.test');
        await forms.nth(index).locator('[name=gdpr]').check();
      }
      await forms.nth(0).locator('.fg-submit').click();
      await message(first.page).or(alert(first.page).locator('p')).first().waitFor();
      await forms.nth(1).locator('.fg-submit').click();
      const told = forms.nth(1).locator('.fg-alert p');
      await told.waitFor();
      expect(await told.textContent()).toMatch(
        /^Trop d'envois\. Veuillez réessayer dans \d+\s(secondes?|minutes?)\.$/,
      );
      expect(await forms.nth(1).locator('[name=email]').inputValue()).toBe('v@x.test');
    } finally {
      await set(10_000);
    }
  });

  test('is told that there is no connection, and can try again', async () => {
    const { page: target } = await open('/');
    await fill(target);
    await target.context().setOffline(true);
    await send(target);
    await alert(target).locator('p').waitFor();
    expect(await alert(target).textContent()).toContain('Pas encore de réponse');
    await target.context().setOffline(false);
    await send(target);
    await message(target).waitFor();
  });

  test('whose gateway is away for a moment is told so, and the form is sent once when it is back', async () => {
    const { page: target, sent } = await open('/');
    await fill(target, 'away@x.test');
    const submit = '**/forms/contact/submit*';
    await target.route(submit, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 503, body: '{}' }) : route.continue(),
    );
    await send(target);
    await alert(target).locator('p').waitFor();
    expect(await alert(target).textContent()).toContain('Nouvel envoi sous peu');
    expect(await target.locator('[name=email]').inputValue()).toBe('away@x.test');
    await target.unroute(submit);
    await message(target).waitFor();
    const keys = sent().map((request) => request.headers()['idempotency-key']);
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys).size).toBe(1);
    const where = { emails: { has: 'away@x.test' } };
    expect(await app.services.db.orm.submission.count({ where })).toBe(1);
  });

  test('whose answer is lost is recorded once, though the page has another address and title since', async () => {
    const { page: target, sent } = await open('/');
    await fill(target, 'lost@x.test');
    const submit = '**/forms/contact/submit*';
    await target.route(submit, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await send(target);
    await alert(target).locator('p').waitFor();
    await target.unroute(submit);
    await target.evaluate(`location.hash = '#team'; document.title = 'Another title'`);
    await message(target).waitFor();
    const bodies = sent().map((request) => request.postDataJSON());
    expect(bodies.length).toBeGreaterThan(1);
    for (const body of bodies) expect(body).toEqual(bodies[0]);
    expect(await app.services.db.orm.submission.count({ where: { emails: { has: 'lost@x.test' } } })).toBe(1);
  });

  test('who corrects what waits for the gateway has the correction sent without another click', async () => {
    const { page: target, sent } = await open('/');
    await fill(target, 'wrong@x.test');
    await target.context().setOffline(true);
    await send(target);
    await alert(target).locator('p').waitFor();
    await target.locator('[name=email]').fill('corrected@x.test');
    expect(await alert(target).textContent()).toContain('Nouvel envoi sous peu');
    await target.context().setOffline(false);
    await message(target).waitFor();
    expect(await recorded(sent())).toMatchObject({ values: { email: 'corrected@x.test' } });
  });

  test('who corrects what waits for the gateway can send it with a click', async () => {
    const { page: target, sent } = await open('/');
    await fill(target, 'wrong@x.test');
    await target.context().setOffline(true);
    await send(target);
    await alert(target).locator('p').waitFor();
    await target.locator('[name=email]').fill('right@x.test');
    await target.context().setOffline(false);
    await send(target);
    await message(target).waitFor();
    expect(await recorded(sent())).toMatchObject({ values: { email: 'right@x.test' } });
  });

  test('who has filled in the form waits for one request after the click', async () => {
    const { page: target, requests, sent } = await open('/');
    await target.locator('[name=email]').waitFor();
    const paths = () => requests.map((request) => `${request.method()} ${new URL(request.url()).pathname}`);
    expect(paths().filter((path) => /signature|captcha|altcha/.test(path))).toEqual([]);
    await fill(target);
    await eventually(() => paths().some((path) => path.endsWith('/challenge')));
    await eventually(async () => (await target.locator('formgate-altcha').count()) === 0);
    const before = requests.length;
    await send(target);
    await message(target).waitFor();
    expect(paths().slice(before)).toEqual([expect.stringMatching(/^POST .*\/submit$/)]);
    expect(await recorded(sent())).toMatchObject({ captchaKey: 'altcha' });
  });

  test('who saves data downloads nothing for a form that is not sent', async () => {
    const { page: target, requests } = await open('/', {
      prepare: (page) =>
        page.addInitScript(`Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`),
    });
    await fill(target);
    expect(requests.filter((request) => /signature|captcha/.test(request.url()))).toEqual([]);
    await send(target);
    await message(target).waitFor();
  });
});

describe('a retry', () => {
  test('renews an expired signature once', async () => {
    const { page: target, sent } = await open('/', {
      prepare: (opening) =>
        opening.route('**/submit*', (route) => {
          if (route.request().method() === 'POST') aheadMs = 2 * SIGNATURE_TTL_MS;
          return route.continue();
        }),
    });
    await fill(target);
    await send(target);
    await message(target).waitFor();
    expect(sent()).toHaveLength(2);
    const statuses = await Promise.all(sent().map(async (request) => (await request.response())?.status()));
    expect(statuses).toEqual([403, 200]);
  });

  test('continues at the step in `next` when a provider is down', async () => {
    providers.behave('turnstile', 503);
    const { page: target, sent } = await open('/', { site: 'chain', prepare: standInTurnstile });
    await fill(target);
    await send(target);
    await message(target).waitFor();
    expect(sent()).toHaveLength(2);
    expect(sent()[1]!.postDataJSON()).toHaveProperty('captcha_fallback');
    expect(await recorded(sent())).toMatchObject({ captchaKey: 'altcha:own', captchaGround: 'designated' });
  });

  test('goes by the chain as it is, where it was changed while the form was filled in', async () => {
    const { chains, db } = app.services;
    const site = await db.orm.website.findUniqueOrThrow({ where: { id: ids.proof } });
    const save = (keys: readonly string[]) => {
      const steps = keys.map((key) => ({ key, siteKey: null, projectId: null, minScore: null }));
      return chains.save(site, { steps, version: null }, { userId: null, channel: 'system' });
    };
    const { page: target, requests, sent } = await open('/');
    // While requests are intercepted the browser has no cache.
    await target.unrouteAll();
    await fill(target);
    await eventually(() => requests.some((request) => request.url().endsWith('/challenge')));
    await save(['altcha:own']);
    try {
      await send(target);
      await alert(target).locator('p').waitFor();
      await send(target);
      await message(target).waitFor();
      expect(await recorded(sent())).toMatchObject({ captchaKey: 'altcha:own' });
    } finally {
      await save([]);
    }
  });

  test('is not needed when the provider accepts the token', async () => {
    const { page: target, sent } = await open('/', { site: 'chain', prepare: standInTurnstile });
    await fill(target);
    await send(target);
    await message(target).waitFor();
    expect(sent()).toHaveLength(1);
    expect(await recorded(sent())).toMatchObject({ captchaKey: 'turnstile:main' });
  });

  test('continues at the next proof of work when a provider does not load', async () => {
    const { page: target, sent } = await open('/', {
      site: 'chain',
      prepare: (opening) => opening.route(TURNSTILE, (route) => route.abort()),
    });
    await fill(target);
    await send(target);
    await message(target).waitFor();
    expect(sent()).toHaveLength(1);
    expect(await recorded(sent())).toMatchObject({ captchaKey: 'altcha:own', captchaGround: 'altcha' });
  });
});

describe('any page', () => {
  test.each(['/strict', '/nonce', '/amd'])(
    'shows its form without a violation of its policy, and sends it: %s',
    async (path) => {
      const { page: target } = await open(path, {
        prepare: (opening) =>
          opening.addInitScript(`window.violations = [];
          addEventListener('securitypolicyviolation', ({ effectiveDirective, sourceFile }) =>
            violations.push(effectiveDirective + ' ' + new URL(sourceFile).pathname));`),
      });
      await fill(target);
      const box = target.locator('[name=email]');
      expect(await styleOf(box, 'minHeight')).toBe('44px');
      await send(target);
      await message(target).waitFor();
      // The style element that the widget would have when it is shown.
      const expected =
        path === '/strict' || path === '/nonce' ? ['style-src-elem /api/captcha/altcha.js'] : [];
      expect(await target.evaluate('violations')).toEqual(expected);
    },
  );

  test('loads two forms with one request and keeps them apart', async () => {
    const { page: target, requests } = await open('/two');
    const forms = target.locator('form');
    await forms.nth(1).waitFor();
    expect(requests.filter((request) => request.url().includes('/forms/config'))).toHaveLength(1);
    const own = await target.locator('[id]').evaluateAll((elements) => elements.map(({ id }) => id));
    expect(new Set(own).size).toBe(own.length);
    await forms.nth(0).locator('[value=mail]').check();
    await forms.nth(1).locator('[value=mail]').check();
    expect(await forms.nth(0).locator('[value=mail]').isChecked()).toBe(true);
  });

  test('can override the script’s styles with its own', async () => {
    const { page: target } = await open('/');
    await target.locator('.fg-submit').waitFor();
    await target.addStyleTag({ content: '.fg-submit { background: rgb(1, 2, 3) }' });
    const background = await styleOf(target.locator('.fg-submit'), 'backgroundColor');
    expect(background).toBe('rgb(1, 2, 3)');
  });

  test('can mount a form, submit, listen and cancel with the module', async () => {
    const { page: target } = await open('/module');
    const outcome = await target.evaluate(`(async () => {
      const { mount, submit } = await import('${app.url}/formgate.mjs');
      const events = [];
      for (const name of ['ready', 'submit', 'success', 'error']) {
        document.addEventListener('formgate:' + name, (event) => {
          events.push(name);
          if (name === 'submit') event.preventDefault();
        });
      }
      const values = { email: 'm@x.test', gdpr: 1 };
      const options = { website: '${ids.proof}', form: 'contact' };
      const mounted = await mount(document.querySelector('#here'), { ...options, values });
      mounted.element.requestSubmit();
      const shown = document.querySelectorAll('form').length;
      mounted.unmount();
      const left = document.querySelectorAll('form').length;
      return { events, shown, left, sent: await submit(values, { ...options, locale: 'en' }) };
    })()`);
    expect(outcome).toEqual({
      events: ['ready', 'submit'],
      shown: 1,
      left: 0,
      sent: { ok: true, message: 'Thank you.', leadId: expect.any(String) },
    });
  });
});

type Violations = { violations: { id: string; impact: string; nodes: { html: string }[] }[] };

/** What axe finds that is serious or worse. */
async function barriers(target: Page) {
  await target.evaluate(AXE);
  const { violations } = await target.evaluate<Violations>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Set it to a folder to look at the forms. */
const SHOTS = process.env.SCREENSHOTS;

describe.each([
  ['wide, light', 'light', 1200],
  ['narrow, light', 'light', 360],
  ['wide, dark', 'dark', 1200],
  ['narrow, dark', 'dark', 360],
] as const)('a page, %s,', (name, colorScheme, width) => {
  test('has no accessibility violation before, with errors, and after', async () => {
    const { page: target } = await open('/', { colorScheme, viewport: { width, height: 900 } });
    const look = async (state: string) => {
      if (SHOTS)
        await target.screenshot({ path: `${SHOTS}/${name.replace(', ', '-')}-${state}.png`, fullPage: true });
      const fits = await target.evaluate('document.documentElement.scrollWidth <= innerWidth');
      return { barriers: await barriers(target), fits };
    };
    const accessible = { barriers: [], fits: true };
    await target.locator('[name=topic]').selectOption('quote');
    expect(await look('empty')).toEqual(accessible);
    await send(target);
    await alert(target).locator('p').waitFor();
    expect(await look('errors')).toEqual(accessible);
    await fill(target);
    await send(target);
    await message(target).waitFor();
    expect(await look('sent')).toEqual(accessible);
  });
});

/** What an element looks like in the end. */
const styleOf = async (locator: ReturnType<Page['locator']>, property: string): Promise<unknown> =>
  locator.evaluate(new Function('element', `return getComputedStyle(element).${property}`) as () => unknown);
