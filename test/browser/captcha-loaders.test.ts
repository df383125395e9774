import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser, type Pages, servePages } from '../support/browser.js';
import {
  type CaptchaProviders,
  PROVIDER_SETTINGS,
  type ProviderName,
  startCaptchaProviders,
} from '../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { eventually } from '../support/wait.js';

/*
 * The providers' scripts as the browser script meets them, each by a stand-in that does what its documentation
 * says: what is loaded, with which parameters, and what is called.
 */

const own = { key: 'altcha:own' };
const CHAINS = {
  v3: [{ key: 'recaptcha_v3:main', ...PROVIDER_SETTINGS.recaptcha_v3 }, own],
  enterprise: [{ key: 'recaptcha_enterprise:main', ...PROVIDER_SETTINGS.recaptcha_enterprise }, own],
  hcaptcha: [{ key: 'hcaptcha:main', ...PROVIDER_SETTINGS.hcaptcha }, own],
  insecure: [own, { key: 'turnstile:main', ...PROVIDER_SETTINGS.turnstile }],
};
type Site = keyof typeof CHAINS;

const GOOGLE = 'https://www.google.com/recaptcha/**';
const HCAPTCHA = 'https://js.hcaptcha.com/**';
const TURNSTILE = 'https://challenges.cloudflare.com/**';

const RECAPTCHA_SCRIPT = `
  const { pathname, searchParams } = new URL(document.currentScript.src);
  const isReady = new Promise((resolve) => setTimeout(resolve));
  const api = {
    ready: (callback) => void isReady.then(callback),
    execute: (key, { action }) => window.issueToken({ pathname, key, action, render: searchParams.get('render') }),
  };
  window.grecaptcha = pathname.endsWith('enterprise.js') ? { enterprise: api } : api;`;

/** Is there only when it calls back, like the real one. */
const HCAPTCHA_SCRIPT = `
  const { pathname, searchParams } = new URL(document.currentScript.src);
  const widgets = (window.shownWidgets = new Map());
  setTimeout(() => {
    window.hcaptcha = {
      render: (element, { sitekey, size }) => {
        if (!element.isConnected) throw new Error('not on the page');
        widgets.set('w' + widgets.size, { sitekey, size });
        return 'w' + (widgets.size - 1);
      },
      execute: async (id, options) => {
        const told = { pathname, ...widgets.get(id), ...options, compat: searchParams.get('recaptchacompat') };
        const token = await window.issueToken(told);
        if (!token) throw 'network-error';
        return { response: token, key: id };
      },
      remove: (id) => widgets.delete(id),
    };
    window[searchParams.get('onload')]();
  });`;

let app: TestApp;
let pages: Pages;
let providers: CaptchaProviders;
let browser: Browser;
const ids: Partial<Record<Site, string>> = {};
const hostOf = (site: Site) => `${site}.${site === 'insecure' ? 'test' : 'localhost'}:${pages.port}`;

beforeAll(async () => {
  const port = await freePort();
  providers = await startCaptchaProviders();
  [app, pages, browser] = await Promise.all([
    startTestApp({
      env: {
        ...providers.env,
        ALTCHA_MAX_NUMBER: '1000',
        PORT: String(port),
        PUBLIC_URL: `http://127.0.0.1:${port}`,
      },
    }),
    servePages((path) => ({
      html: `<!doctype html><html lang="en"><title>Page</title><div data-formgate="contact"></div>
        <script src="${app.url}/formgate.js" data-website="${ids[path.slice(1) as Site]}"></script></html>`,
    })),
    launchBrowser(),
  ]);
  const websites = (Object.keys(CHAINS) as Site[]).map((site) =>
    website(hostOf(site), { email: 'hello@acme.test', captcha: CHAINS[site] }),
  );
  await provision(app.services, [team('acme', { websites })]);
  for (const site of Object.keys(CHAINS) as Site[]) ids[site] = await websiteId(app.services, hostOf(site));
});

const opened: Page[] = [];

afterEach(async () => {
  for (const page of opened.splice(0)) await page.context().close();
  providers.reset();
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await app?.close();
  await providers?.stop();
});

/**
 * Opens a website's page and sends its form. `issue` is what the provider does about each attempt; `hasClock` lets it
 * advance the clock of the page.
 */
async function send(
  site: Site,
  {
    url,
    script,
    issue,
    hasClock = false,
  }: {
    url?: string;
    script?: string;
    issue?: (told: object, page: Page) => string | Promise<string>;
    hasClock?: boolean;
  } = {},
) {
  const page = await browser.newPage();
  opened.push(page);
  const complaints: string[] = [];
  const submissions: { status: number; body: Record<string, unknown> }[] = [];
  page.on('console', (message) => message.text().startsWith('Formgate') && complaints.push(message.text()));
  page.on('response', async (response) => {
    if (!new URL(response.url()).pathname.endsWith('/submit')) return;
    if (response.request().method() !== 'POST') return;
    submissions.push({ status: response.status(), body: await response.json() });
  });
  const told: object[] = [];
  await page.exposeFunction('issueToken', (given: object) => {
    told.push(given);
    return issue?.(given, page);
  });
  if (hasClock) await page.clock.install();
  if (url) await page.route(url, (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await page.goto(`http://${hostOf(site)}/${site}`);
  await page.locator('[name=email]').fill('v@x.test');
  await page.locator('.fg-submit').click();
  const outcome = page.locator('.fg-message, .fg-alert p');
  await outcome.waitFor();
  const { captchaKey = null } =
    (await app.services.db.orm.submission.findFirst({
      where: { websiteId: ids[site] },
      orderBy: { createdAt: 'desc' },
    })) ?? {};
  return { page, told, complaints, submissions, captchaKey, text: await outcome.textContent() };
}

const issuing = (provider: ProviderName, site: Site) => () =>
  providers.issue(provider, { hostname: `${site}.localhost` });

test.each([
  ['v3', 'recaptcha', 'api.js', 'site-v3'],
  ['enterprise', 'recaptchaEnterprise', 'enterprise.js', 'site-ent'],
] as const)(
  'reCAPTCHA %s is loaded with its key and executed for the action submit',
  async (site, provider, file, key) => {
    const sent = await send(site, { url: GOOGLE, script: RECAPTCHA_SCRIPT, issue: issuing(provider, site) });
    expect(sent.told).toEqual([{ pathname: `/recaptcha/${file}`, key, render: key, action: 'submit' }]);
    expect(sent.captchaKey).toBe(CHAINS[site][0]!.key);
    expect(sent.complaints).toEqual([]);
    expect(providers.faults).toEqual([]);
  },
);

test('hCaptcha is loaded beside reCAPTCHA, rendered invisible, and removed again', async () => {
  const sent = await send('hcaptcha', {
    url: HCAPTCHA,
    script: HCAPTCHA_SCRIPT,
    issue: issuing('hcaptcha', 'hcaptcha'),
  });
  expect(sent.told).toEqual([
    { pathname: '/1/api.js', sitekey: 'site-hc', size: 'invisible', async: true, compat: 'off' },
  ]);
  expect(sent.captchaKey).toBe('hcaptcha:main');
  expect(await sent.page.locator('.fg-captcha > *').count()).toBe(0);
  expect(providers.faults).toEqual([]);
});

test('an hCaptcha that does not load is skipped for the next proof of work', async () => {
  const sent = await send('hcaptcha', { url: HCAPTCHA, script: HCAPTCHA_SCRIPT, issue: () => '' });
  expect(sent.captchaKey).toBe('altcha:own');
  expect(sent.complaints).toEqual([expect.stringContaining('the captcha "hcaptcha:main" failed')]);
});

test('a widget that is not solved within three minutes is removed', async () => {
  const never = new Promise<string>(() => undefined);
  const { page, text } = await send('hcaptcha', {
    url: HCAPTCHA,
    script: HCAPTCHA_SCRIPT,
    issue: async (_, { clock }) => {
      await clock.fastForward(180_000);
      return never;
    },
    hasClock: true,
  });
  expect(text).toBe('The robot check failed. Please try again.');
  expect(await page.locator('.fg-captcha > *').count()).toBe(0);
  expect(await page.evaluate('shownWidgets.size')).toBe(0);
});

test.each([
  ['v3', GOOGLE, RECAPTCHA_SCRIPT],
  ['enterprise', GOOGLE, RECAPTCHA_SCRIPT],
  ['hcaptcha', HCAPTCHA, HCAPTCHA_SCRIPT],
] as const)('a token that the provider of %s refuses is final', async (site, url, script) => {
  const sent = await send(site, { url, script, issue: () => 'made-up' });
  await eventually(() => sent.submissions.length > 0);
  expect(sent.submissions).toEqual([{ status: 403, body: { error: 'captcha_failed' } }]);
  expect(sent.text).toBe('The robot check failed. Please try again.');
});

test('without https a proof of work is skipped, and the console says what the gateway refuses', async () => {
  const script = `let callback; window.turnstile = {
    render: (element, options) => { callback = options.callback; return 'one'; },
    execute: () => window.issueToken({}).then((token) => callback(token)),
    remove() {} };`;
  const sent = await send('insecure', { url: TURNSTILE, script, issue: issuing('turnstile', 'insecure') });
  expect(await sent.page.evaluate('isSecureContext')).toBe(false);
  await eventually(() => sent.submissions.length > 0);
  // Interface 5.3: rule 9 moves on, rules 4 and 5 take no other link that is not designated.
  expect(sent.submissions).toEqual([{ status: 403, body: { error: 'captcha_provider_not_allowed' } }]);
  expect(sent.text).toBe('This form is not available here at the moment.');
  expect(sent.complaints).toEqual([
    'Formgate: the captcha "altcha:own" failed. It needs HTTPS.',
    'Formgate: the form "contact" was not sent: captcha_unavailable, 403 captcha_provider_not_allowed',
  ]);
});
