import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page, Route } from 'playwright-core';
import { startTestApp, type TestApp } from './app.js';
import { launchBrowser } from './browser.js';
import { loggedIn } from './panel.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails with the rules that a page breaks, of WCAG 2.2 A and AA and of good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Axe describes all that has passed too, and finds a selector for each, unless it is told that nobody reads it. */
const AXE_OPTIONS = { runOnly: RULES, resultTypes: ['violations'], selectors: false };

/** The rows of tables in a narrow window, where each is a block of lines, in which something is out of sight. */
const CUT_ROWS = `[...document.querySelectorAll('table[style*="--heading-"] tbody tr')]
  .filter((row) => getComputedStyle(row).display === 'block')
  .filter((row) => row.scrollWidth > row.clientWidth)
  .map((row) => row.textContent)`;

/** A page of the panel in a browser of its own, and what was seen of it so far. */
export type Opened = Readonly<{
  page: Page;
  /** Compressed bytes of everything that came since the page was opened; an operation that is repeated counts once. */
  weight(): Promise<number>;
  /** Addresses of the requests to `/graphql` and elsewhere, the first one first. */
  requested(): readonly string[];
  /** Fails when a policy was violated, a script complained, or another host was asked. */
  expectSafe(): Promise<void>;
  /** Fails when assistive technology would meet an obstacle on the page as it stands. */
  expectAccessible(): Promise<void>;
  /** Fails when the page is wider than its window. */
  expectFits(): Promise<void>;
}>;

type OpenOptions = BrowserContextOptions & {
  /** E-mail of the account that is logged in; none is without it. */
  as?: string;
  /** Messages of the console that the test provokes. */
  expected?: RegExp;
};

type PanelTest = Readonly<{
  app(): TestApp;
  /** Opens a path below `/panel`. */
  open(path: string, options?: OpenOptions): Promise<Opened>;
}>;

/** Longest wait for one step: a browser shares the machine with the other tests. */
const STEP_MS = 60_000;

/** Runs the tests of a file over a gateway with a worker, in a browser; each page is closed with its test. */
export function panelTest(options: Parameters<typeof startTestApp>[0] = {}): PanelTest {
  let app: TestApp;
  let browser: Browser;
  /** Errors that no page has caught, which fail the test in which they came. */
  const uncaught: string[] = [];
  /** The windows of the running test: left open, they would read again what they show, beside all later tests. */
  const windows: BrowserContext[] = [];

  beforeAll(async () => {
    [app, browser] = await Promise.all([startTestApp({ worker: true, ...options }), launchBrowser()]);
  });

  afterEach(async () => {
    await Promise.all(
      windows.splice(0).map(async (window) => {
        // What a test holds back would else fail in a page that is gone.
        await Promise.all(window.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
        await window.close();
      }),
    );
    expect(uncaught.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  async function open(path: string, { as, expected, ...context }: OpenOptions = {}): Promise<Opened> {
    const opened = await browser.newContext({ locale: 'en-GB', ...context });
    windows.push(opened);
    if (as) {
      const [name, value] = (await loggedIn(app.url, app.services, as)).cookie().split('=');
      await opened.addCookies([
        { name: name!, value: value!, url: app.url, httpOnly: true, sameSite: 'Lax' },
      ]);
    }
    opened.setDefaultTimeout(STEP_MS);
    const page = await opened.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    const sizes = new Map<string, Promise<number>>();
    page.on('request', (request) => requested.push(request.url()));
    page.on('requestfinished', (request) => {
      const size = request.sizes().then(({ responseBodySize }) => responseBodySize);
      // A page that closes meanwhile has none; it fails only a test that waits for it.
      size.catch(() => undefined);
      // A slow machine has time for more of the operations that a page repeats; a file that comes twice counts twice.
      const operation = request.method() === 'POST' ? request.postData() : null;
      const key = operation ?? `${sizes.size}`;
      if (!sizes.has(key)) sizes.set(key, size);
    });
    page.on('console', (message) => {
      // The browser itself reports here what its policies have refused.
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', ({ message, stack }) => {
      complaints.push(message);
      if (!expected?.test(message)) uncaught.push(stack ?? message);
    });
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
      console.error('Violated: ' + event.violatedDirective + ' ' + event.blockedURI));`);
    await page.goto(`${app.url}/panel${path}`);
    return {
      page,
      requested: () => requested,
      async weight() {
        await page.waitForLoadState('networkidle');
        return (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
      },
      async expectSafe() {
        expect(complaints.filter((text) => !expected?.test(text))).toEqual([]);
        expect(requested.filter((url) => !url.startsWith(`${app.url}/`) && !url.startsWith('data:'))).toEqual(
          [],
        );
      },
      async expectAccessible() {
        expect(await violationsOf(page)).toEqual([]);
      },
      async expectFits() {
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
          0,
        );
        expect(await page.evaluate(CUT_ROWS)).toEqual([]);
      },
    };
  }

  return { app: () => app, open };
}

/** Whether an element has the focus. */
export const hasFocus = async (locator: Locator): Promise<boolean> =>
  (await locator.and(locator.page().locator(':focus')).count()) === 1;

/** Presses a button twice before the page can show the first press, as a fast double click or two Enter do. */
export const pressTwice = (button: Locator): Promise<void> =>
  button.evaluate((element: { click(): void }) => {
    element.click();
    element.click();
  });

/** Comes back to a page after a minute, as from another window, so that it reads again what it shows. */
export async function comeBack(page: Page, query: string): Promise<void> {
  const answered = page.waitForResponse(
    (response) => response.request().postData()?.includes(`query ${query}(`) ?? false,
  );
  await page.clock.setFixedTime(Date.now() + 60_000);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`);
  await answered;
}

/** Holds the first calls of a mutation back on their way to the gateway, all unless told. @returns what lets them go. */
export async function holdBack(
  page: Page,
  mutation: string,
  count = Number.POSITIVE_INFINITY,
): Promise<() => void> {
  let held = 0;
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes(`mutation ${mutation}(`) && held++ < count) await free;
    await route.continue();
  });
  return letGo;
}

/** Has an operation fail in the gateway. @returns the function that mends it. */
export async function breakDown(page: Page, operation: string): Promise<() => Promise<void>> {
  const handler = (route: Route) =>
    route.request().postData()?.includes(`query ${operation}`)
      ? route.fulfill({ status: 500, json: { errors: [{ message: 'Broken.' }] } })
      : route.fallback();
  await page.route('**/graphql', handler);
  return () => page.unroute('**/graphql', handler);
}

/** Runs axe on a page as it is shown. @returns each violation of WCAG with its elements. */
export async function violationsOf(page: Page): Promise<unknown> {
  await page.evaluate(AXE);
  return page.evaluate(
    `axe.run(document, ${JSON.stringify(AXE_OPTIONS)}).then(({ violations }) =>
       violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`,
  );
}

/** Writes a picture of a page where `SCREENSHOTS` names a folder, for people to look at. */
export async function picture({ page }: Pick<Opened, 'page'>, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** The most that a page may weigh, compressed, with all that it loads: that of the login, and of any other. */
export const MAX_WEIGHT = { login: 140_000, page: 230_000 };

/** How the panel is looked at: each page is tried in all of these. */
export const LOOKS = [
  { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { colorScheme: 'light', viewport: { width: 360, height: 740 } },
] as const;
