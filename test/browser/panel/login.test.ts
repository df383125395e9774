import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAccount } from '../../support/panel.js';
import { hasFocus, LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const PASSWORD = 'correct horse battery';
/** The addresses of the English texts. */
const TEXTS = /\/assets\/en-[^/]*\.js$/;
const { app, open } = panelTest();

beforeAll(async () => {
  await createAccount(app().services, { email: 'olive@acme.test', password: PASSWORD });
});

describe('the login', () => {
  test('is worked by keyboard alone, and leads to the address that asked for it', async () => {
    const { page, expectSafe } = await open('/account?team=7');
    await eventually(() => hasFocus(page.getByRole('textbox', { name: 'E-mail' })));
    await page.keyboard.type('olive@acme.test');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    expect(page.url()).toBe(`${app().url}/panel/account?team=7`);
    await expectSafe();
  });

  test('asks for the list of the inbox together with the viewer, and waits for it only as long as it may come soon', async () => {
    const { page, expectSafe } = await open('/inbox');
    await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
    await page.waitForLoadState('networkidle');
    const asked: string[] = [];
    let tellListed!: () => void;
    let release!: () => void;
    const listed = new Promise<void>((resolve) => {
      tellListed = resolve;
    });
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/graphql', async (route) => {
      const [, operation = ''] = /(?:query|mutation) (\w+)/.exec(route.request().postData()!) ?? [];
      asked.push(operation);
      if (operation === 'viewer') await listed;
      if (operation === 'leads') {
        tellListed();
        await released;
      }
      await route.continue();
    });
    await page.getByRole('textbox', { name: 'E-mail' }).fill('olive@acme.test');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    expect(asked.slice(0, 3)).toEqual(['login', 'viewer', 'leads']);
    expect(asked).not.toContain('loginStep');
    release();
    await page.getByText('No new leads.').waitFor();
    expect(asked.filter((operation) => operation === 'leads')).toHaveLength(1);
    await expectSafe();
  });

  test('goes on to where it was asked for when the account is logged in already', async () => {
    const { page, expectSafe } = await open('/login?to=%2Faccount', { as: 'olive@acme.test' });
    await page.getByRole('heading', { name: 'Account' }).waitFor({ timeout: 15_000 });
    expect(page.url()).toBe(`${app().url}/panel/account`);
    await expectSafe();
  });

  test('is not undone by a look for a session that began before it', async () => {
    const { page } = await open('/account');
    await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
    const late: (() => Promise<void>)[] = [];
    await page.route('**/graphql', async (route) => {
      const isEarly = route.request().postData()?.includes('query viewer') && late.length === 0;
      if (!isEarly) return route.continue();
      const response = await route.fetch();
      late.push(() => route.fulfill({ response }).catch(() => undefined));
    });
    await page.goto(`${app().url}/panel/login?to=%2Faccount`);
    await page.getByRole('textbox', { name: 'E-mail' }).fill('olive@acme.test');
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Account' }).waitFor({ timeout: 15_000 });
    await late[0]?.();
    expect(page.url()).toBe(`${app().url}/panel/account`);
  });

  test('refuses a wrong password in words, with the focus where it is to be mended', async () => {
    const { page, expectSafe } = await open('/login');
    await page.getByRole('textbox', { name: 'E-mail' }).fill('olive@acme.test');
    await page.getByRole('textbox', { name: 'Password' }).fill('a guess');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('The e-mail or the password is wrong.').waitFor();
    const field = page.getByRole('textbox', { name: 'Password' });
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await eventually(() => hasFocus(field));
    await expectSafe();
  });

  test('asks for what is missing without asking the gateway', async () => {
    const { page, requested } = await open('/login');
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    await page.waitForLoadState('networkidle');
    const before = requested().length;
    await page.getByRole('button', { name: 'Log in' }).click();
    expect(await page.getByText('Fill in this field.').count()).toBe(2);
    expect(requested().slice(before)).toEqual([]);
  });

  test.each(['//evil.test/', '/\\evil.test', 'https://evil.test', 'javascript:alert(1)'])(
    'stays on its own host when it is to lead to %s',
    async (to) => {
      const { page, expectSafe } = await open(`/login?to=${encodeURIComponent(to)}`);
      await page.getByRole('textbox', { name: 'E-mail' }).fill('olive@acme.test');
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('button', { name: 'Account' }).waitFor();
      expect(page.url().startsWith(`${app().url}/panel/`)).toBe(true);
      await expectSafe();
    },
  );

  test('speaks the language of the browser', async () => {
    const { page, expectAccessible } = await open('/login', { locale: 'fr-CH' });
    await page.getByRole('button', { name: 'Se connecter' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Mot de passe' }).count()).toBe(1);
    expect(await page.evaluate('document.documentElement.lang')).toBe('fr');
    await expectAccessible();
  });

  test('asks again for texts that do not come, and says so when they never do', async () => {
    const { page } = await open('/login', { expected: /ERR_FAILED|Failed to fetch/ });
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    let refused = 0;
    await page.route(TEXTS, (route) => {
      refused += 1;
      return refused === 1 ? route.abort() : route.fallback();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(refused).toBe(2);
    await page.unroute(TEXTS);
    await page.route(TEXTS, (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText('The panel could not be loaded.').waitFor();
    await page.unroute(TEXTS);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('button', { name: 'Log in' }).waitFor();
  });

  test('does not follow a link of the demo elsewhere, and says so', async () => {
    const token = '01939a60-5c00-7a10-8b20-6c1f3a5e0001.'.padEnd(80, 'A');
    const { page, expectSafe } = await open(`/login#${token}`);
    await page.getByText('This link has been used or has expired.').waitFor();
    await expectSafe();
  });

  test('does not call a link used that the gateway could not be asked about', async () => {
    const { page } = await open('/login', { expected: /503/ });
    await page.getByRole('textbox', { name: 'E-mail' }).waitFor();
    let isAway = true;
    await page.route('**/graphql', (route) =>
      isAway && route.request().postData()?.includes('mutation loginByLink(')
        ? route.fulfill({ status: 503, json: {} })
        : route.fallback(),
    );
    await page.goto(`${app().url}/panel/login#${'A'.repeat(80)}`);
    await page.reload();
    await page.getByText('The gateway is not available at the moment.').waitFor();
    expect(await page.getByText('This link has been used').count()).toBe(0);
    isAway = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This link has been used or has expired.').waitFor();
  });

  test(`weighs at most ${MAX_WEIGHT.login} bytes`, async () => {
    const { page, weight } = await open('/login');
    await page.getByRole('button', { name: 'Log in' }).waitFor();
    expect(await weight()).toBeLessThanOrEqual(MAX_WEIGHT.login);
  });

  test.each(LOOKS)('is accessible and fits: %j', async (look) => {
    const opened = await open('/login', look);
    await opened.page.getByRole('button', { name: 'Log in' }).waitFor();
    await opened.expectAccessible();
    await opened.expectFits();
    await picture(opened, `login-${look.colorScheme}-${look.viewport.width}`);
    await opened.page.getByRole('button', { name: 'Log in' }).click();
    await opened.page.getByText('Fill in this field.').first().waitFor();
    await opened.expectAccessible();
  });
});
