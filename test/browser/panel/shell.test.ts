import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provision, team } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { hasFocus, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const PASSWORD = 'correct horse battery';
const { app, open } = panelTest();

beforeAll(async () => {
  await provision(app().services, [team('acme'), team('globex')]);
  await createAccount(app().services, { email: 'staff@agency.test', password: PASSWORD, staff: true });
  await createAccount(app().services, { email: 'olive@acme.test', password: PASSWORD });
});

const endSessions = async (email: string) => {
  await app().services.db.orm.session.updateMany({
    where: { user: { email } },
    data: { revokedAt: new Date() },
  });
};

test('the account menu logs out, and the way back needs the password', async () => {
  const { page, expectAccessible, expectSafe } = await open('/account', { as: 'olive@acme.test' });
  await page.getByRole('button', { name: 'Account', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Log out' }).waitFor();
  await expectAccessible();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Log in' }).waitFor();
  await expectSafe();
});

describe('an ended session', () => {
  test('asks for the password on the spot, and loses nothing that was typed', async () => {
    const { page, expectAccessible, expectSafe } = await open('/account', { as: 'olive@acme.test' });
    await page.getByRole('textbox', { name: 'Name' }).fill('Olive Owner');
    // What the page still reads would find the session ended before *Save* does.
    await page.waitForLoadState('networkidle');
    await endSessions('olive@acme.test');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log in again' });
    await dialog.getByText('olive@acme.test').waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    await page.keyboard.type('a guess of it');
    await page.keyboard.press('Enter');
    await dialog.getByText('The e-mail or the password is wrong.').waitFor();
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Saved').waitFor();
    expect(await dialog.count()).toBe(0);
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Olive Owner');
    const { name } = await app().services.db.orm.user.findUniqueOrThrow({
      where: { email: 'olive@acme.test' },
    });
    expect(name).toBe('Olive Owner');
    await expectSafe();
  });

  test('asks for the password again when the code came too late', async () => {
    const { page, expectAccessible } = await open('/account', { as: 'olive@acme.test' });
    await page.getByRole('table').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Olive Late');
    await page.waitForLoadState('networkidle');
    await endSessions('olive@acme.test');
    const late = { message: 'Log in again.', extensions: { code: 'UNAUTHENTICATED' } };
    await page.route('**/graphql', (route) => {
      const sent = route.request().postData() ?? '';
      if (sent.includes('mutation login(')) return route.fulfill({ json: { data: { login: false } } });
      if (sent.includes('loginStep')) return route.fulfill({ json: { data: { loginStep: 'CODE' } } });
      if (sent.includes('mutation confirmLogin(')) return route.fulfill({ json: { errors: [late] } });
      return route.fallback();
    });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log in again' });
    const password = dialog.getByRole('textbox', { name: 'Password' });
    const code = dialog.getByRole('textbox', { name: 'Code' });
    const logIn = dialog.getByRole('button', { name: 'Log in' });
    await password.fill(PASSWORD);
    await logIn.click();
    await code.waitFor();
    await expectAccessible();
    await dialog.getByRole('button', { name: 'Enter the password again' }).click();
    await password.waitFor();
    await logIn.click();
    await code.fill('123456');
    await logIn.click();
    await dialog.getByText('This took too long. Log in with the password again.').waitFor();
    await page.unroute('**/graphql');
    await password.fill(PASSWORD);
    await logIn.click();
    await page.getByText('Saved').waitFor();
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Olive Late');
  });

  test('asks once for all that it has refused', async () => {
    const { page } = await open('/account', { as: 'staff@agency.test' });
    await page.getByRole('table').waitFor();
    await endSessions('staff@agency.test');
    await page.getByRole('textbox', { name: 'Name' }).fill('Sam Staff');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Log in again' }).waitFor();
    // The page reads its sessions anew once the window is looked at again.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    const dialog = page.getByRole('dialog', { name: 'Log in again' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('Saved').waitFor();
    expect(await dialog.count()).toBe(0);
  });
});

describe('another tab', () => {
  const NAME = 'Log in again';

  async function openTwice(email: string) {
    const opened = await open('/account', { as: email });
    await opened.page.getByRole('table').waitFor();
    const other = await opened.page.context().newPage();
    await other.goto(`${app().url}/panel/account`);
    await other.getByRole('table').waitFor();
    return { ...opened, other };
  }

  async function logOut(page: Page) {
    await page.getByRole('button', { name: 'Account', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
  }

  async function logIn(page: Page, email: string) {
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
  }

  test('that logs out has this one ask for the password; as another account it takes this one along', async () => {
    const { page, other, expectSafe } = await openTwice('olive@acme.test');
    await logOut(other);
    await page.getByRole('dialog', { name: NAME }).waitFor();
    await logIn(other, 'staff@agency.test');
    await page.getByRole('link', { name: 'People' }).waitFor();
    expect(page.url()).toBe(`${app().url}/panel/`);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByText('olive@acme.test').count()).toBe(0);
    await expectSafe();
  });

  test('that logs out leaves nothing of this one to be read, and what was typed is kept', async () => {
    const { page, other } = await openTwice('olive@acme.test');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Olive Said');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await name.fill('Olive Hidden');
    await logOut(other);
    const dialog = page.getByRole('dialog', { name: NAME });
    await dialog.waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('main').isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });
    // A colour that lets something through has a fourth component.
    const behind = 'getComputedStyle(document.elementFromPoint(4, 4)).backgroundColor';
    expect(await page.evaluate(behind)).toMatch(/^rgb\(/);
    const message = 'document.elementFromPoint(innerWidth - 40, innerHeight - 40)';
    expect(await page.evaluate(`${message} === document.elementFromPoint(4, 4)`)).toBe(true);
    expect(await page.getByRole('main').and(page.locator('[inert] *')).count()).toBe(1);
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Olive Hidden');
  });

  test('that logs in as another account leaves unsaved changes, and has this one ask for the password', async () => {
    const { page, other, expectAccessible } = await openTwice('olive@acme.test');
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Olive Kept');
    await logOut(other);
    await logIn(other, 'staff@agency.test');
    const dialog = page.getByRole('dialog', { name: NAME });
    await dialog.getByText('Another tab has logged in as staff@agency.test.').waitFor();
    await expectAccessible();
    await picture({ page }, 'other-account');
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Olive Kept');
    await other.getByRole('link', { name: 'People' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { orm } = app().services.db;
    expect(await orm.user.count({ where: { email: 'olive@acme.test', name: 'Olive Kept' } })).toBe(1);
  });

  test('that logs in again spares this one the password', async () => {
    const { page, other } = await openTwice('olive@acme.test');
    await page.getByRole('textbox', { name: 'Name' }).fill('Olive Again');
    await page.waitForLoadState('networkidle');
    await endSessions('olive@acme.test');
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: NAME });
    await dialog.waitFor();
    await other.reload();
    await logIn(other, 'olive@acme.test');
    await page.getByText('Saved').waitFor();
    expect(await dialog.count()).toBe(0);
    const { orm } = app().services.db;
    expect(await orm.user.count({ where: { email: 'olive@acme.test', name: 'Olive Again' } })).toBe(1);
  });
});

describe('the view of a client', () => {
  const SEEN = 'You see what an owner of acme sees. Nothing can be changed.';

  async function openAsStaff(path: string) {
    const team = await app().services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const { page } = await open(`${path}?team=${team.id}`, { as: 'staff@agency.test' });
    return page;
  }

  const settings = async (page: Page) => {
    const { id } = await app().services.db.orm.website.findFirstOrThrow({
      where: { team: { slug: 'acme' } },
    });
    const { searchParams } = new URL(page.url());
    searchParams.set('tab', 'settings');
    await page.goto(`${app().url}/panel/websites/${id}?${searchParams}`);
    return page.getByRole('textbox', { name: 'Name', exact: true });
  };

  test('is over once the viewer has logged in again, and the page says so no longer', async () => {
    const page = await openAsStaff('/websites');
    await page.getByRole('button', { name: 'See as this client' }).click();
    await page.getByText(SEEN).waitFor();
    await page.getByRole('link', { name: 'Websites' }).click();
    await page.getByRole('heading', { name: 'Websites', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await endSessions('staff@agency.test');
    await page.getByRole('link', { name: 'Forms' }).click();
    const dialog = page.getByRole('dialog', { name: 'Log in again' });
    await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('link', { name: 'People' }).waitFor();
    expect(await page.getByText(SEEN).count()).toBe(0);
  });

  test('has no heading of saved views, since none is there and none can be saved', async () => {
    const page = await openAsStaff('/inbox');
    const heading = page.getByRole('heading', { name: 'Saved views' });
    await heading.waitFor();
    await page.getByRole('button', { name: 'See as this client' }).click();
    await page.getByText(SEEN).waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('searchbox', { name: 'Search' }).waitFor();
    expect(await heading.count()).toBe(0);
    await picture({ page }, 'inbox-view-as');
  });

  test('that ends in one tab ends in the others', async () => {
    const page = await openAsStaff('/websites');
    await page.getByRole('button', { name: 'See as this client' }).click();
    await page.getByText(SEEN).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${app().url}/panel/websites`);
    await other.getByText(SEEN).waitFor();
    await page.getByRole('button', { name: 'Back to the agency' }).click();
    await other.getByRole('link', { name: 'People' }).waitFor();
    expect(await other.getByText(SEEN).count()).toBe(0);
  });

  test('does not begin over unsaved changes without asking', async () => {
    const page = await openAsStaff('/websites');
    const name = await settings(page);
    await name.fill('Not saved yet');
    await page.getByRole('button', { name: 'See as this client' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Not saved yet');
    await page.getByRole('button', { name: 'See as this client' }).click();
    await dialog.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText(SEEN).waitFor();
  });

  test('in another tab leaves unsaved changes where they are, which are saved once it is over', async () => {
    const page = await openAsStaff('/websites');
    const name = await settings(page);
    await name.fill('Typed before the view');
    const other = await page.context().newPage();
    await other.goto(
      `${app().url}/panel/websites${new URL(page.url()).search.replace(/&?tab=settings/, '')}`,
    );
    await other.getByRole('button', { name: 'See as this client' }).click();
    await other.getByText(SEEN).waitFor();
    await page.getByText(/^Another tab shows the panel as an owner of acme sees it/).waitFor();
    expect(await name.inputValue()).toBe('Typed before the view');
    await page.getByRole('button', { name: 'Back to the agency' }).click();
    await page.getByText(/^Another tab shows/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: false }).first().waitFor();
    expect(await app().services.db.orm.website.count({ where: { name: 'Typed before the view' } })).toBe(1);
  });
});

describe('a gateway that is away', () => {
  const away = { status: 503, json: { message: 'Service temporarily unavailable.' } };

  test('is asked again until it is back, and the page says so meanwhile', async () => {
    const { page } = await open('/login', { as: 'olive@acme.test', expected: /503/ });
    await page.route('**/graphql', (route) => route.fulfill(away));
    await page.goto(`${app().url}/panel/account`);
    await page.getByText('The gateway is not available at the moment. Trying again…').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByText('Trying again…').waitFor({ state: 'detached' });
  });

  test('of the version before, while an upgrade goes on, counts as away', async () => {
    const { page } = await open('/login', { as: 'olive@acme.test', expected: /400/ });
    await page.route('**/graphql', async (route) => {
      const { query, variables } = route.request().postDataJSON();
      const postData = JSON.stringify({ query: query.replace(/\{/, '{ unknownYet '), variables });
      await route.continue({ postData });
    });
    await page.goto(`${app().url}/panel/account`);
    await page.getByText('Trying again…').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  });

  test('is not sent a change twice, but told with *Try again* left to the viewer', async () => {
    const { page } = await open('/account', { as: 'olive@acme.test', expected: /503/ });
    await page.getByRole('table').waitFor();
    let changes = 0;
    await page.route('**/graphql', (route) => {
      if (route.request().postData()?.includes('mutation updateViewer(')) changes += 1;
      return route.fulfill({ ...away, headers: { 'X-Request-Id': 'request-5678' } });
    });
    await page.getByRole('textbox', { name: 'Name' }).fill('Twice');
    await page.getByRole('button', { name: 'Save' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toContain('Code SERVICE_UNAVAILABLE');
    expect(await alert.innerText()).toContain('Request request-5678');
    expect(changes).toBe(1);
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await page.getByText('Code SERVICE_UNAVAILABLE').count()).toBe(0);
  });
});

test('a query that fails is tried again by its button', async () => {
  const { page, expectAccessible } = await open('/login', { as: 'olive@acme.test', expected: /500/ });
  await page.route('**/graphql', async (route) => {
    const isSessions = route.request().postData()?.includes('query sessions');
    if (!isSessions) return route.continue();
    const headers = { 'X-Request-Id': 'request-9999' };
    const error = { message: 'Server error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
    return route.fulfill({ headers, json: { errors: [error] } });
  });
  await page.goto(`${app().url}/panel/account`);
  await page.getByText('Request request-9999').waitFor();
  await expectAccessible();
  await page.unroute('**/graphql');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table').waitFor();
});

describe('the team switcher', () => {
  test('narrows the address to a team that staff search for, by keyboard', async () => {
    const { page, expectAccessible, expectSafe } = await open('/account', { as: 'staff@agency.test' });
    await page.getByRole('button', { name: 'Team: All teams' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'acme' }).waitFor();
    await expectAccessible();
    await page.keyboard.type('glo');
    await page.getByRole('option', { name: 'acme' }).waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Team: globex' }).waitFor();
    const { id } = await app().services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    expect(new URL(page.url()).searchParams.get('team')).toBe(String(id));
    await page.reload();
    await page.getByRole('button', { name: 'Team: globex' }).click();
    await page.getByRole('option', { name: 'All teams' }).click();
    await page.getByRole('button', { name: 'Team: All teams' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expectSafe();
  });

  test('is there for a member of several teams, and offers these alone', async () => {
    const { services } = app();
    const { id: userId } = await services.db.orm.user.findUniqueOrThrow({
      where: { email: 'member@globex.test' },
    });
    const teams = await services.db.orm.team.findMany({ where: { slug: { in: ['acme', 'globex'] } } });
    const { id: acmeId } = teams.find(({ slug }) => slug === 'acme')!;
    await services.db.orm.membership.create({ data: { teamId: acmeId, userId, role: 'member' } });
    const { page, expectAccessible, expectSafe } = await open('/inbox', { as: 'member@globex.test' });
    await page.getByRole('button', { name: 'Team: All teams' }).click();
    await page.getByRole('option', { name: 'acme' }).waitFor();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['All teams', 'acme', 'globex']);
    await expectAccessible();
    await page.getByRole('option', { name: 'acme' }).click();
    await page.getByRole('button', { name: 'Team: acme' }).waitFor();
    expect(new URL(page.url()).searchParams.get('team')).toBe(String(acmeId));
    expect(await page.getByRole('button', { name: /View as/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Websites' }).click();
    await page.getByRole('heading', { name: 'Websites', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('team')).toBe(String(acmeId));
    await expectSafe();
  });

  test('narrows the lists of an admin of two teams, on a phone as well', async () => {
    const { services } = app();
    const { id: userId } = await services.db.orm.user.findUniqueOrThrow({
      where: { email: 'admin@globex.test' },
    });
    const { id: teamId } = await services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    await services.db.orm.membership.create({ data: { teamId, userId, role: 'admin' } });
    const opened = await open('/websites', {
      as: 'admin@globex.test',
      locale: 'fr-FR',
      colorScheme: 'dark',
      viewport: { width: 360, height: 740 },
    });
    const { page, expectAccessible, expectFits, expectSafe } = opened;
    const row = (host: string) => page.getByRole('row', { name: new RegExp(host) });
    await row('www.acme.test').waitFor();
    await row('www.globex.test').waitFor();
    const choose = async (from: string, to: string) => {
      await page.getByRole('button', { name: 'Ouvrir la navigation' }).click();
      await page.getByRole('button', { name: `Équipe : ${from}` }).click();
      await page.getByRole('option', { name: to }).waitFor();
      await picture(opened, `team-switcher-${to}`);
      await expectAccessible();
      await expectFits();
      await page.getByRole('option', { name: to }).click();
      // The page is in sight again.
      await page.getByRole('button', { name: 'Ouvrir la navigation' }).waitFor();
    };
    await choose('Toutes les équipes', 'globex');
    await row('www.acme.test').waitFor({ state: 'detached' });
    await row('www.globex.test').waitFor();
    await page.reload();
    await row('www.globex.test').waitFor();
    expect(await row('www.acme.test').count()).toBe(0);
    await choose('globex', 'acme');
    await row('www.acme.test').waitFor();
    await row('www.globex.test').waitFor({ state: 'detached' });
    await choose('acme', 'Toutes les équipes');
    await row('www.globex.test').waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expectSafe();
  });

  test('is not there for a member of one team', async () => {
    const { page } = await open('/account', { as: 'member@acme.test' });
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(await page.getByRole('button', { name: /^Team/ }).count()).toBe(0);
  });
});

test('a question mark shows the keys, unless it is typed', async () => {
  const { page, expectAccessible } = await open('/account', { as: 'olive@acme.test' });
  await page.getByRole('textbox', { name: 'Name' }).press('?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Save' }).press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await expectAccessible();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

test('an address without a page says so and leads on', async () => {
  const { page, expectAccessible, expectSafe } = await open('/no/such/page', { as: 'olive@acme.test' });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await expectAccessible();
  await page.getByRole('link', { name: 'Go to the first page' }).click();
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
  await expectSafe();
});

test('a link to what no longer exists says so and leads on', async () => {
  const { page, expectAccessible, expectFits } = await open('/forms/999999', {
    as: 'owner@acme.test',
    viewport: { width: 360, height: 740 },
  });
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await expectAccessible();
  await expectFits();
  await picture({ page }, 'gone-360');
  await page.getByRole('link', { name: 'Go to the first page' }).click();
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
});

test('a team in the address that is not the viewer’s does not follow to other pages', async () => {
  const { page } = await open('/inbox?team=999999', { as: 'owner@acme.test', expected: /404/ });
  await page.getByText('This does not exist, or it is not yours to see.').waitFor();
  await page.getByRole('link', { name: 'Websites' }).click();
  await page.getByRole('heading', { name: 'Websites' }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('the first tab stop skips the navigation', async () => {
  const { page } = await open('/account', { as: 'staff@agency.test' });
  await page.getByRole('table').waitFor();
  await page.keyboard.press('Tab');
  const link = page.getByRole('link', { name: 'Skip to the content' });
  expect(await hasFocus(link)).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  const field = page.getByRole('textbox', { name: 'Name' });
  expect(await hasFocus(field)).toBe(true);
});

test('a narrow screen has the navigation behind a button', async () => {
  const opened = await open('/account', {
    as: 'staff@agency.test',
    viewport: { width: 360, height: 740 },
  });
  const { page, expectAccessible, expectFits } = opened;
  await page.getByRole('table').waitFor();
  expect(await page.getByRole('button', { name: 'Account', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await page.getByRole('button', { name: 'Account', exact: true }).waitFor();
  await expectAccessible();
  await expectFits();
  await picture(opened, 'navigation-360');
  await page.getByRole('link', { name: 'Websites' }).focus();
  await page.keyboard.press('Escape');
  const opener = page.getByRole('button', { name: 'Open the navigation' });
  await eventually(() => hasFocus(opener));
  expect(await opener.getAttribute('aria-expanded')).toBe('false');
  await opener.click();
  await page.getByRole('button', { name: 'Account', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Account settings' }).waitFor();
});

describe('another team', () => {
  const NONE = '01a20a93-4191-73cd-ac72-36a83b08fe57';

  test.each([
    ['/inbox?website=SITE&form=FORM&q=garden', '/inbox?q=garden'],
    [`/inbox/${NONE}?folder=all&website=SITE`, '/inbox?folder=all'],
    [`/inbox/${NONE}/consent`, '/inbox'],
    ['/statistics?site=SITE&by=source', '/statistics?by=source'],
    ['/captcha?site=SITE&period=week', '/captcha?period=week'],
    ['/websites?q=www', '/websites?q=www'],
    ['/websites/SITE?tab=forms', '/websites'],
    ['/forms/FORM?tab=texts', '/forms'],
    ['/teams/TEAM?tab=audit&by=1', '/teams/GLOBEX?tab=audit'],
  ])('takes what is of the former one out of %s', async (from, to) => {
    const { orm } = app().services.db;
    const { id } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const { id: other } = await orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    const site = await orm.website.findFirstOrThrow({ where: { teamId: id } });
    const form = await orm.form.findFirstOrThrow({ where: { teamId: id } });
    const path = from.replace('SITE', site.id).replace('FORM', String(form.id)).replace('TEAM', String(id));
    const { page } = await open(`${path}${path.includes('?') ? '&' : '?'}team=${id}`, {
      as: 'staff@agency.test',
    });
    await page.getByRole('button', { name: /^Team/ }).click();
    await page.getByRole('option', { name: 'globex' }).click();
    const wanted = new URL(`/panel${to.replace('GLOBEX', String(other))}`, app().url);
    wanted.searchParams.set('team', String(other));
    await eventually(() => {
      const { pathname, searchParams } = new URL(page.url());
      searchParams.sort();
      wanted.searchParams.sort();
      return pathname === wanted.pathname && String(searchParams) === String(wanted.searchParams);
    });
  });
});
