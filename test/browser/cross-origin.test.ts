import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser, type Pages, servePages } from '../support/browser.js';
import { provision, team, website, websiteId } from '../support/factories.js';

let app: TestApp;
let pages: Pages;
let browser: Browser;
/** A page of the website, and one of another origin on the same machine. */
let page: Page;
let stranger: Page;
let base: string;

beforeAll(async () => {
  [app, pages, browser] = await Promise.all([
    startTestApp({ env: { CAPTCHA_DEFAULT: 'off' } }),
    servePages(),
    launchBrowser(),
  ]);
  const host = `localhost:${pages.port}`;
  await provision(
    app.services,
    [team('acme', { websites: [website(host, { url: `http://${host}`, email: 'hello@acme.test' })] })],
    {
      submissions_per_minute: 6,
    },
  );
  base = `${app.url}/api/websites/${await websiteId(app.services, host)}`;
  page = await browser.newPage();
  await page.goto(`http://${host}/`);
  stranger = await browser.newPage();
  await stranger.goto(`http://127.0.0.1:${pages.port}/`);
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await app?.close();
});

type Init = { method?: string; headers?: Record<string, string>; body?: string };

/** What the script of a page gets from a call, or the name of the error when it may not read it. */
const call = (from: Page, path: string, init: Init = {}) =>
  from.evaluate(
    async ({ url, options }) => {
      try {
        const response = await fetch(url, options);
        const names = ['etag', 'ratelimit', 'ratelimit-policy', 'retry-after', 'x-request-id'];
        return {
          status: response.status,
          body: (await response.json()) as Record<string, unknown>,
          headers: Object.fromEntries(names.map((name) => [name, response.headers.get(name)])),
        };
      } catch (error) {
        return { status: 0, body: { unreadable: String(error) }, headers: {} };
      }
    },
    { url: `${base}/${path}`, options: init },
  );

async function submit(from: Page, body: object, headers: Record<string, string> = {}) {
  const { body: signed } = await call(page, 'signature');
  return call(from, 'forms/contact/submit', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Website-Signature': String(signed.signature),
      'X-Website-Timestamp': String(signed.timestamp),
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

describe('a page of the website', () => {
  test('loads its forms, is counted as visited, and submits', async () => {
    const config = await call(page, 'forms/config?f=contact~fr');
    expect(config).toMatchObject({ status: 200, body: { forms: { 'contact~fr': { slug: 'contact' } } } });
    expect(config.headers.etag).toMatch(/^(W\/)?"/);

    const visit = await call(page, 'visits', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ page_url: `${page.url()}?utm_source=news` }),
    });
    expect(visit).toMatchObject({ status: 200, body: { visitor_hash: expect.any(String) } });

    const submitted = await submit(
      page,
      { email: 'v@x.test', visitor_hash: visit.body.visitor_hash },
      { 'Idempotency-Key': 'from-a-browser' },
    );
    expect(submitted).toMatchObject({ status: 200, body: { success: true, lead_id: expect.any(String) } });
    expect(submitted.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const id = String(submitted.body.lead_id);
    expect(await app.services.db.orm.submission.findUniqueOrThrow({ where: { id } })).toMatchObject({
      attribution: { utm_source: 'news' },
    });
  });

  test('can read every refusal: 403, 413, 422 and 429', async () => {
    expect(await submit(page, { email: 'v@x.test' }, { 'X-Website-Signature': 'x' })).toMatchObject({
      status: 403,
      body: { error: 'invalid_signature' },
    });
    expect(await submit(page, { text: 'x'.repeat(300_000) })).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
    expect(await submit(page, { text: 'x'.repeat(5_000_000) })).toMatchObject({
      status: 413,
      body: { error: 'payload_too_large' },
    });
    expect(await submit(page, {})).toMatchObject({
      status: 422,
      body: { errors: { email: [expect.any(String)] } },
    });
    let last = await submit(page, {});
    for (let tries = 0; last.status !== 429 && tries < 6; tries++) last = await submit(page, {});
    expect(last).toMatchObject({ status: 429, body: { message: 'Too many requests.' } });
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
    expect(last.headers.ratelimit).toMatch(/^"api-submit";r=0;t=\d+$/);
    expect(last.headers['ratelimit-policy']).toBe('"api-submit";q=6;w=60');
  });
});

test('a page of another origin can read no answer', async () => {
  for (const path of ['signature', 'forms/config?f=contact~fr']) {
    expect(await call(stranger, path)).toMatchObject({ status: 0 });
  }
  const before = await app.services.db.orm.submission.count();
  expect(await submit(stranger, { email: 'v@x.test' })).toMatchObject({ status: 0 });
  expect(await app.services.db.orm.submission.count()).toBe(before);
});
