import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { issueChallenge } from '../../src/captcha/providers/altcha.js';
import { launchBrowser } from './browser.js';

/*
 * A page of a website with the built script, whose gateway answers what a test says: the real one would not let most of
 * it through, and never fails where a test needs it to.
 */

const ASSETS = new URL('../../dist/assets/', import.meta.url);
const readAsset = (name: string) => readFileSync(new URL(name, ASSETS), 'utf8');

export const GATEWAY = 'https://forms.test';
export const TAG = `<script src="${GATEWAY}/formgate.js" data-website="w"></script>`;

/** A field as the configuration endpoint gives it. */
export const field = (name: string, more: object = {}) => ({
  name,
  label: name,
  type: 'text',
  is_required: false,
  show_label: true,
  is_multiple: false,
  placeholder: null,
  help_text: null,
  link_url: null,
  options: [],
  attributes: {},
  visibility: null,
  ...more,
});

/** A form as the configuration endpoint gives it. */
export const form = (slug: string, fields: object[], more: object = {}) => ({
  slug,
  locale: 'en',
  submit_button_text: 'Send',
  fields,
  privacy_notice: { text: null, url: null },
  css_selector: null,
  injection_position: 'inside',
  html_wrapper: null,
  appearance: {},
  ...more,
});

export type Reply = {
  status?: number;
  json?: unknown;
  html?: string;
  script?: string;
  broken?: true;
  headers?: Record<string, string>;
};

/** What the stand-in of the gateway answers, by the end of the path. */
export type Answers = Record<string, Reply | ((body: Record<string, unknown>) => Reply | Promise<Reply>)>;

export const DEFAULTS = {
  visits: { json: { visitor_hash: 'h' } },
  signature: { json: { signature: 's', timestamp: '1' } },
  captcha: { json: { chain: [], altcha_script: null } },
  submit: { json: { success: true, message: 'Thanks.', lead_id: '1' } },
} as const satisfies Answers;

/** The script of the proof-of-work widget. */
export const WIDGET: Reply = { script: readAsset('altcha.js') };

/** The configuration of these forms. */
export const forms = (...list: ReturnType<typeof form>[]): Answers => ({
  config: { json: { forms: Object.fromEntries(list.map((one) => [`${one.slug}~en`, one])) } },
});

/** A chain that ends with a proof of work, whose widget the gateway serves. */
export const proofOfWork = (...before: object[]): Answers => ({
  captcha: {
    json: {
      chain: [...before, { key: 'altcha', type: 'altcha', site_key: null }],
      altcha_script: `${GATEWAY}/api/captcha/altcha.js`,
    },
  },
  challenge: async () => ({
    json: await issueChallenge({ key: 'k', websiteId: 'w', maxNumber: 1000, now: new Date() }),
  }),
});

export const place = (slug: string, more = '') => `<div data-formgate="${slug}" ${more}></div>`;

type PageOptions = {
  /** Attributes of the page's root. */
  html?: string;
  width?: number;
  /** Script that runs before all others of the page. */
  init?: string;
};

/** Opens a page of the website, whose gateway answers so. */
async function openPage(
  browser: Browser,
  body: string,
  answers: Answers,
  { html = '', width = 1200, init }: PageOptions = {},
) {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const complaints: string[] = [];
  const known: Answers = { ...DEFAULTS, ...answers };
  const asked: string[] = [];
  const sent: Record<string, unknown>[] = [];
  page.on('console', (message) => message.text().startsWith('Formgate') && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(`uncaught ${error.message}`));
  page.on('request', (request) => asked.push(request.url()));
  await page.route('**/*', async (route) => {
    const url = new URL(route.request().url());
    const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' };
    if (url.origin === 'https://site.test') {
      const text = `<!doctype html><html lang="en" ${html}><title>Page</title><meta charset="utf-8">${body}</html>`;
      return route.fulfill({ contentType: 'text/html', body: text });
    }
    if (url.origin !== GATEWAY) return route.abort();
    if (route.request().method() === 'OPTIONS') return route.fulfill({ status: 204, headers });
    const name = url.pathname.split('/').at(-1)!;
    const given = (route.request().postDataJSON() ?? {}) as Record<string, unknown>;
    if (name === 'submit') sent.push(given);
    const asset: Reply = /\.m?js$/.test(name) ? { script: readAsset(name) } : { status: 404, json: {} };
    const found = known[name] ?? asset;
    const reply = await (typeof found === 'function' ? found(given) : found);
    if (reply.broken) return route.abort();
    const { status = 200, json, html: page200, script } = reply;
    return route.fulfill({
      status,
      headers: { ...headers, 'Access-Control-Expose-Headers': '*', ...reply.headers },
      contentType: script ? 'text/javascript' : page200 === undefined ? 'application/json' : 'text/html',
      body: script ?? page200 ?? JSON.stringify(json),
    });
  });
  if (init) await page.addInitScript(init);
  await page.goto('https://site.test/');
  return { page, complaints, asked, sent };
}

/** Returns what opens such pages in a browser of the test file's own, each until the end of its test. */
export function pageOpener() {
  let browser: Browser;
  const opened: Page[] = [];
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.context().close();
  });
  afterAll(() => browser?.close());
  return async (body: string, answers: Answers, options?: PageOptions) => {
    const result = await openPage(browser, body, answers, options);
    opened.push(result.page);
    return result;
  };
}
