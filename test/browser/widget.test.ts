import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { freePort } from '../../src/embedded/free-port.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser, type Pages, servePages } from '../support/browser.js';
import { provision, team, website, websiteId } from '../support/factories.js';

const SOLVE = fileURLToPath(new URL('solve-and-submit.js', import.meta.url));

let app: TestApp;
let pages: Pages;
let browser: Browser;
let site: string;

beforeAll(async () => {
  const port = await freePort();
  [app, pages, browser] = await Promise.all([
    startTestApp({ env: { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` } }),
    servePages(),
    launchBrowser(),
  ]);
  const host = `localhost:${pages.port}`;
  await provision(app.services, [team('acme', { websites: [website(host, { email: 'hello@acme.test' })] })]);
  site = await websiteId(app.services, host);
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await app?.close();
});

type Outcome = Record<'first' | 'again', { status: number; body: object }> & { solvedMs: number };

test.each([
  ['a plain page', ''],
  ['a page with a loader of AMD modules', 'window.define = () => {}; window.define.amd = {}'],
])('the widget solves a challenge of the gateway on %s', async (_case, prelude) => {
  const page = await browser.newPage();
  await page.goto(`http://localhost:${pages.port}/`);
  await page.evaluate(prelude);
  await page.addScriptTag({ path: SOLVE });
  const base = `${app.url}/api/websites/${site}`;
  const outcome = await page.evaluate<Outcome>(`solveAndSubmit(${JSON.stringify(base)})`);
  console.info(`Solved in ${Math.round(outcome.solvedMs)} ms`);
  expect(outcome.first).toEqual({ status: 200, body: expect.objectContaining({ success: true }) });
  expect(outcome.again).toEqual({ status: 403, body: { error: 'captcha_failed' } });
  await page.close();
});
