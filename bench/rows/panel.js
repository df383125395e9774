import { chromium } from 'playwright-core';
import { quantile } from '../../faults/table.js';
import { ask } from '../load.js';
import { logIn } from '../panel.js';
import { SEED_PASSWORD } from '../seed.js';

/** Fewer than the gateway allows an address in a quarter of an hour. */
const LOGINS = 8;
/** How often the answer alone is timed. */
const ANSWERS = 10;
const KEYS = 60;
const MARKED = 500;
/** What the panel may take beside the gateway's answer, in ms. */
const BESIDE_ANSWER_MS = 150;
const STAFF = 'staff@seed.test';
/** The pages whose weight is told. */
const PAGES = [
  '/login',
  '/',
  '/inbox',
  '/websites',
  '/forms',
  '/teams',
  '/captcha',
  '/audit',
  '/statistics',
  '/account',
];

/** Notes in the page when the login was answered, when the first lead stood there, and how long keys took. */
const CLOCK = `(() => {
  const times = { answered: null, shown: null, pressed: null, moved: [], inFlight: 0 };
  globalThis.times = times;
  const { fetch } = globalThis;
  globalThis.fetch = async (...given) => {
    times.inFlight += 1;
    const answer = await fetch(...given).finally(() => { times.inFlight -= 1; });
    if (String(given[1]?.body).includes('mutation login(')) times.answered = performance.now();
    return answer;
  };
  addEventListener('keydown', ({ key }) => {
    if (key === 'j') {
      Object.assign(times, { pressed: performance.now(), from: document.querySelector('article header ~ *') });
    }
  }, true);
  const look = () => {
    if (times.shown === null && document.querySelector('#leads [role=rowgroup] > [role=row]')) {
      times.shown = performance.now();
    }
    const body = document.querySelector('article header ~ *');
    // Another lead keeps the header, and has a body of its own.
    if (times.pressed !== null && body && body !== times.from) {
      times.moved.push(performance.now() - times.pressed);
      times.pressed = null;
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();`;

/** Waits for a condition in the page, whose policy forbids what `waitForFunction` does. */
const waitUntil = (page, condition) =>
  page.evaluate(`new Promise((resolve) => {
    const look = () => (${condition} ? resolve() : requestAnimationFrame(look));
    look();
  })`);

/** Logs in in a browser that has nothing of the panel yet. @returns the page, which shows the inbox. */
async function logInByPage(browser, url) {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  let request = null;
  page.on('request', (sent) => {
    if (sent.postData()?.includes('query leads(')) request ??= sent.postData();
  });
  await page.addInitScript(CLOCK);
  await page.goto(`${url}/panel/inbox`);
  await page.getByRole('textbox', { name: 'E-mail' }).fill(STAFF);
  await page.getByRole('textbox', { name: 'Password' }).fill(SEED_PASSWORD);
  await page.getByRole('button', { name: 'Log in' }).click();
  await waitUntil(page, 'times.shown !== null');
  const { answered, shown } = await page.evaluate('({ answered: times.answered, shown: times.shown })');
  return { context, page, request, shownMs: shown - answered };
}

/** Times the answer that the inbox waits for, asked for without a browser. */
async function timeAnswer(url, body) {
  const cookie = await logIn(url, STAFF);
  const headers = { 'content-type': 'application/json', cookie };
  const latencies = [];
  for (let i = 0; i <= ANSWERS; i++) {
    const from = performance.now();
    const [{ errors }] = await ask(url, [{ method: 'POST', path: '/graphql', headers, body }]);
    if (errors) throw new Error(JSON.stringify(errors));
    if (i > 0) latencies.push(performance.now() - from);
  }
  return latencies;
}

/** Opens the next lead by its key, as who reads one after the other. */
async function timeKeys(page) {
  for (let pressed = 0; pressed < KEYS; pressed++) {
    await page.keyboard.press('j');
    await waitUntil(page, `times.moved.length === ${pressed + 1}`);
    // Its neighbours are read meanwhile, as while a person reads.
    await waitUntil(page, 'times.inFlight === 0');
  }
  return page.evaluate('times.moved');
}

/** Searches for a word that many have sent. @returns ms until the list has it. */
async function timeSearch(page) {
  const answered = page.waitForResponse((response) => {
    const asked = response.request().postData() ?? '';
    return asked.includes('query leads(') && asked.includes('bonjour');
  });
  const from = performance.now();
  await page.getByRole('searchbox', { name: 'Search' }).fill('bonjour');
  await answered;
  await page.locator('#leads:not([aria-busy=true]) [role=rowgroup] > [role=row]').first().waitFor();
  return performance.now() - from;
}

/**
 * Reads on to 500 leads or a few more, selects those and marks them as done. @returns ms until the gateway has done so.
 */
async function timeMarking(page) {
  const grid = page.getByRole('grid', { name: 'Leads' });
  const lastShown = `Math.max(...[...document.querySelectorAll('#leads [aria-rowindex]')].map((row) => row.ariaRowIndex))`;
  // The first row is the heading. The list reads more when its end comes near.
  while ((await page.evaluate(lastShown)) <= MARKED) {
    await grid.press('End');
    await waitUntil(page, `document.querySelector('#leads').ariaBusy !== 'true'`);
  }
  await page.getByRole('checkbox', { name: 'Select the leads shown' }).check();
  const from = performance.now();
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await page.getByText(/leads done$/).waitFor();
  return performance.now() - from;
}

/** Weighs pages: compressed bytes of everything that comes before they rest, by a browser that has nothing yet. */
async function weigh(browser, url) {
  const rows = [];
  const [name, value] = (await logIn(url, STAFF)).split('=');
  for (const path of PAGES) {
    const context = await browser.newContext({ locale: 'en-GB' });
    if (path !== '/login') await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    const sizes = [];
    page.on('requestfinished', (request) => sizes.push(request.sizes()));
    await page.goto(`${url}/panel${path}`, { waitUntil: 'networkidle' });
    const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
    await context.close();
    rows.push({
      path: `panel${path}, kB in all`,
      figure: bytes / 1_000,
      atMost: path === '/login' ? 140 : 230,
    });
  }
  return rows;
}

/** The panel over a million submissions, as staff use it in a browser. */
export async function measure(stack) {
  const database = await stack.database({ submissions: 1_000_000 });
  const gateway = await stack.gateway(database);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const shown = [];
    let last = null;
    for (let login = 0; login < LOGINS; login++) {
      await last?.context.close();
      last = await logInByPage(browser, gateway.url);
      shown.push(last.shownMs);
    }
    const answerMs = quantile(await timeAnswer(gateway.url, last.request), 0.5);
    const moved = await timeKeys(last.page);
    const searchMs = await timeSearch(last.page);
    const markMs = await timeMarking(last.page);
    return [
      {
        path: 'panel, inbox of 1,000,000 shown after login, p50 in ms',
        figure: quantile(shown, 0.5),
        baseline: answerMs,
        baselineName: 'its answer alone',
        atMost: Math.round(answerMs + BESIDE_ANSWER_MS),
      },
      { path: 'panel, next lead by key, p95 in ms', figure: quantile(moved, 0.95), atMost: 50 },
      { path: 'panel, search of a common word shown, ms', figure: searchMs },
      { path: `panel, ${MARKED} leads marked at once, ms`, figure: markMs },
      ...(await weigh(browser, gateway.url)),
    ];
  } finally {
    await browser.close();
    await gateway.stop();
  }
}
