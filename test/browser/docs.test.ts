import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { createOpenApi } from '../../src/openapi.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser } from '../support/browser.js';

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp(), launchBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await app?.close();
});

test('the page shows every operation, and requests nothing from another host', async () => {
  const page = await browser.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${app.url}/api/docs`);

  const { paths } = createOpenApi({ publicUrl: app.url });
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  // Each operation has its summary as a heading, in the shadow tree of the viewer.
  await page
    .locator('rapi-doc h2')
    .nth(operations.length - 1)
    .waitFor();
  const headings = await page.locator('rapi-doc h2').allTextContents();
  expect(headings.map((text) => text.trim())).toEqual(
    expect.arrayContaining(operations.map(({ summary }) => summary)),
  );
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/docs.png` });

  expect(complaints).toEqual([]);
  expect(requested.length).toBeGreaterThanOrEqual(3);
  expect(requested.filter((url) => !url.startsWith(`${app.url}/`) && !url.startsWith('data:'))).toEqual([]);
  await page.close();
});
