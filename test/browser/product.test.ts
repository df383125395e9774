import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { freePort } from '../../src/embedded/free-port.js';
import { launchBrowser } from '../support/browser.js';
import { freshDataDir, type Running, runProgram } from '../support/formgate.js';
import { picture, violationsOf } from '../support/panel-pages.js';
import { eventually } from '../support/wait.js';

const START = fileURLToPath(new URL('../../scripts/formgate.js', import.meta.url));
const START_TIMEOUT_MS = 120_000;
/** What a row of the inbox says about an e-mail that did not go out. */
const NOT_SENT = /E-mail failed|No recipient|Held by the quota/;

let dataDir: string;
let product: Running;
let browser: Browser;

beforeAll(async () => {
  dataDir = await freshDataDir();
  const env = { DATA_DIR: dataDir, PORT: String(await freePort()) };
  product = runProgram([process.execPath, START, 'start'], { env });
  [browser] = await Promise.all([launchBrowser(), product.printed(/Its e-mails appear at \S+/)]);
}, START_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  product?.child.kill();
  await product?.finished;
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
});

/** Returns an address that the banner of the start names. */
const printed = (pattern: RegExp): string => pattern.exec(product.output())![1]!;

test('`npm start` alone answers “where is my lead?”: the printed link, a word, its e-mail, another one in the mail catcher', async () => {
  const context = await browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).hostname !== 'localhost' && new URL(request.url()).hostname !== '127.0.0.1') {
      foreign.push(request.url());
    }
  });
  await page.goto(printed(/(http\S+\/panel\/\S+#\S+)/));
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();

  await page.getByRole('button', { name: 'Demo' }).click();
  await page.getByRole('dialog', { name: 'Demo' }).getByText('docs/install.md').waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await picture({ page }, 'demo-mark');
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Inbox' }).click();
  const leads = page.getByRole('grid', { name: 'Leads' }).getByRole('row');
  await page.getByRole('link', { name: /^Done/ }).click();
  await eventually(() => page.url().includes('folder=done'));
  // The name of a lead whose e-mail was sent, as a client would remember it; which of them is the newest depends on the
  // hour of the start.
  const sent = leads.filter({ has: page.getByRole('link'), hasNotText: NOT_SENT }).first();
  const row = page.locator(`[id="${await sent.getAttribute('id')}"]`);
  const word = (await row.getByRole('link').innerText()).trim();
  await page.getByRole('searchbox', { name: 'Search' }).fill(word);
  await eventually(() => page.url().includes('q='));
  await row.click();
  await page.getByRole('heading', { name: word }).first().waitFor();
  const accepted = page.getByRole('listitem').filter({ hasText: 'Accepted' });
  await accepted.first().waitFor();
  const before = await accepted.count();

  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText(/^Sent again by/).waitFor();
  await eventually(async () => (await accepted.count()) > before);

  const mail = await context.newPage();
  await mail.goto(printed(/Its e-mails appear at (\S+)/));
  await mail.getByRole('listitem').first().getByRole('link').click();
  await mail.getByText(word).first().waitFor();
  expect(foreign).toEqual([]);
});

test('a proof of work shows nothing, though the policy of the page forbids the style of its widget', async () => {
  const page = await browser.newPage();
  await page.addInitScript(`new MutationObserver(() => {
    const widget = document.querySelector('formgate-altcha');
    if (widget) (window.heights ??= []).push(widget.getBoundingClientRect().height);
  }).observe(document, { childList: true, subtree: true })`);
  await page.goto(printed(/Forms to try in a browser at (\S+)/));
  await page.locator('.fg-form input').first().focus();
  // It is removed once it has solved the challenge.
  await eventually(() =>
    page.evaluate('window.heights?.length > 1 && !document.querySelector("formgate-altcha")'),
  );
  expect(await page.evaluate('Math.max(...window.heights)')).toBe(0);
  await page.close();
});
