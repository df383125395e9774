import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { freePort } from '../../dist/modules/embedded/free-port.js';
import { median, ROUNDS, turnsOf } from '../load.js';
import { seedWebsiteId } from '../seed.js';

const HOST = 'www.site-1.test';

/** Slow 4G as Lighthouse simulates it, on a telephone of a quarter of this machine's speed. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
const CPU_SLOWDOWN = 4;

const FILLING_IN_MS = 5_000;

/** The proofs of work that a visitor solves by default, where other rows have easy ones. */
const ALTCHA_MAX_NUMBER = '100000';

const VALUES = {
  name: 'Camille Martin',
  email: 'camille.martin@company.test',
  message: 'Bonjour, je souhaite recevoir un devis pour la rénovation de ma cuisine.',
};

const html = (body) => `<!doctype html><html lang="fr"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Contact</title></head>
<body><h1>Contact</h1><p>Écrivez-nous.</p>${body}<footer>© Site</footer></body></html>`;

const inCamelCase = (object) =>
  Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key.replace(/_./g, ([, letter]) => letter.toUpperCase()),
      value,
    ]),
  );

/** The page with what the tab Install of the panel gives for it. */
async function scriptPage(gateway, origin) {
  const { outputFiles } = await build({
    entryPoints: [
      fileURLToPath(new URL('../../web/panel/pages/website/install/snippet.ts', import.meta.url)),
    ],
    bundle: true,
    write: false,
    format: 'esm',
  });
  const { snippetOf } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  const website = seedWebsiteId(1);
  const config = `${gateway}/api/websites/${website}/forms/config?f=contact~fr`;
  const { forms } = await (await fetch(config, { headers: { origin } })).json();
  const { fields, privacy_notice: notice, ...form } = forms['contact~fr'];
  const measured = {
    ...inCamelCase(form),
    fields: fields.map(inCamelCase),
    privacyNoticeText: notice.text,
    privacyNoticeUrl: notice.url,
    // The page has an element for the form, not what the placement's selector names.
    cssSelector: null,
  };
  return html(snippetOf([measured], { gateway, website, locale: 'fr' }));
}

/** The same form in the page itself, with the least script that sends it. */
const staticPage = ({ markup, style }) =>
  html(`<style>${style}</style>${markup}<script>
const form = document.querySelector('form');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const answer = await fetch('/bare', { method: 'POST', body: JSON.stringify(Object.fromEntries(new FormData(form))) });
  form.innerHTML = '<p class="fg-message">' + (await answer.json()).message + '</p>';
});
</script>`);

/** Notes in the page when the form and the message appear, when the visitor clicks, and what moves. */
const WATCH = `window.seen = { shift: 0 };
new PerformanceObserver((list) => { for (const entry of list.getEntries()) seen.shift += entry.value; })
  .observe({ type: 'layout-shift', buffered: true });
const note = () => {
  if (seen.form === undefined && document.querySelector('.fg-submit')) seen.form = performance.now();
  if (seen.message === undefined && document.querySelector('.fg-message')) seen.message = performance.now();
};
new MutationObserver(note).observe(document, { childList: true, subtree: true });
addEventListener('click', (event) => { if (event.target.closest('.fg-submit')) seen.click = performance.now(); }, true);`;

async function visit(browser, url, fillingInMs) {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.addInitScript(WATCH);
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  const requests = [];
  session.on('Network.loadingFinished', ({ encodedDataLength }) => requests.push(encodedDataLength));
  await page.goto(url);
  await page.locator('.fg-submit').waitFor();
  for (const [name, value] of Object.entries(VALUES)) await page.locator(`[name=${name}]`).fill(value);
  await page.locator('[name=gdpr]').check();
  await pause(fillingInMs);
  const before = requests.length;
  await page.locator('.fg-submit').click();
  await page.locator('.fg-message').waitFor();
  const seen = await page.evaluate('seen');
  await context.close();
  return {
    visibleMs: seen.form,
    thanksMs: seen.message - seen.click,
    shift: seen.shift,
    requestsBefore: before,
    bytes: requests.reduce((sum, size) => sum + size, 0),
  };
}

/** Serves both pages; `/bare` answers a submission at once. */
async function servePages() {
  const pages = new Map();
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      request.resume().on('end', () => response.end('{"message":"Merci."}'));
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(pages.get(request.url) ?? '');
  });
  const port = await freePort();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { pages, origin: `http://${HOST}:${port}`, close: () => server.close() };
}

/** The form's markup and style, as the script shows it. */
async function copyForm(browser, url) {
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  await page.goto(url);
  await page.locator('.fg-submit').waitFor();
  const copied = await page.evaluate(`({
    markup: document.querySelector('form').outerHTML,
    style: [...document.adoptedStyleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText).join(''),
  })`);
  await page.close();
  return copied;
}

/** What a visitor waits for on a slow line with a slow telephone, against the same form in the page itself. */
export async function measure(stack) {
  const database = await stack.database();
  const gateway = await stack.gateway(database, { ALTCHA_MAX_NUMBER });
  const { pages, origin, close } = await servePages();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      // The proof of work needs a secure context, and the bench has no certificate.
      `--unsafely-treat-insecure-origin-as-secure=${origin}`,
    ],
  });
  pages.set('/script', await scriptPage(gateway.url, origin));
  const copied = await copyForm(browser, `${origin}/script`);
  pages.set('/static', staticPage(copied));
  const contestants = { bare: '/static', script: '/script' };
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const found = {};
    for (const [who, path] of turnsOf(Object.entries(contestants), round)) {
      found[who] = await visit(browser, `${origin}${path}`, 0);
      found[`${who}Slow`] = await visit(browser, `${origin}${path}`, FILLING_IN_MS);
    }
    // The first one only fills the caches of the machine.
    if (round > 0) rounds.push(found);
  }
  await browser.close();
  close();
  await gateway.stop();
  const of = (read) => median(rounds.map(read));
  const against = (what) => ({
    figure: of(({ script }) => script[what]),
    baseline: of(({ bare }) => bare[what]),
    baselineName: 'the same form in the page itself',
    atMost: 2 * of(({ bare }) => bare[what]),
    rounds,
  });
  return [
    { path: 'visitor: form visible, in ms', ...against('visibleMs') },
    { path: 'visitor: click to thank-you at once, in ms', ...against('thanksMs') },
    {
      path: 'visitor: click to thank-you after 5 s, in ms',
      figure: of(({ scriptSlow }) => scriptSlow.thanksMs),
      baseline: of(({ bareSlow }) => bareSlow.thanksMs),
      baselineName: 'the same form in the page itself',
      atMost: of(({ bareSlow }) => bareSlow.thanksMs) + 150,
    },
    {
      path: 'visitor: layout shift',
      figure: Math.max(...rounds.map(({ script }) => script.shift)),
      atMost: 0,
    },
    { path: 'visitor: bytes of a visit and a submission', figure: of(({ script }) => script.bytes) },
    { path: 'visitor: requests before the click', figure: of(({ scriptSlow }) => scriptSlow.requestsBefore) },
  ];
}
