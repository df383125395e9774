import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';
import { createAccount, loggedIn } from '../support/panel.js';

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([
    startTestApp({ env: { GRAPHQL_LANDING_PAGE: 'on' } }),
    launchBrowser(),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await app?.close();
});

test('the query page runs a query with the session of its browser, and loads nothing from another host', async () => {
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  const cookie = (await loggedIn(app.url, app.services, 'staff@agency.test')).cookie();
  const [name, value] = cookie.split('=') as [string, string];
  const context = await browser.newContext({ colorScheme: 'light' });
  await context.addCookies([{ name, value, url: app.url, httpOnly: true, sameSite: 'Lax' }]);
  const page = await context.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));

  await page.goto(`${app.url}/graphql?query=${encodeURIComponent('{ me { email staff } }')}`);
  await page.getByRole('button', { name: /execute query/i }).click();
  await page.locator('.result-window').getByText('"staff@agency.test"').waitFor();
  // The schema has arrived by introspection.
  await page.getByRole('button', { name: /show documentation explorer/i }).click();
  await page.getByText('root types', { exact: false }).first().waitFor();
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/query-page.png` });

  expect(complaints).toEqual([]);
  expect(requested.length).toBeGreaterThanOrEqual(4);
  expect(requested.filter((url) => !url.startsWith(`${app.url}/`) && !url.startsWith('data:'))).toEqual([]);
  await context.close();
});
