import { beforeAll, describe, expect, test } from '@jest/globals';
import { provision, team } from '../../support/factories.js';
import { createAccount, loggedIn, panelClient } from '../../support/panel.js';
import { LOOKS, MAX_WEIGHT, type Opened, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const PASSWORD = 'correct horse battery';
const OTHER_PASSWORD = 'battery staple horse';
const { app, open } = panelTest();

beforeAll(async () => {
  await provision(app().services, [team('acme')]);
});

/** The account page of a new account. */
async function openAccount(email: string, options: Parameters<typeof open>[1] = {}): Promise<Opened> {
  await createAccount(app().services, { email, password: PASSWORD });
  const opened = await open('/account', { as: email, ...options });
  await opened.page.getByRole('table').waitFor();
  return opened;
}

const stored = (email: string) => app().services.db.orm.user.findUniqueOrThrow({ where: { email } });

test('the name is changed, and shows in the navigation at once', async () => {
  const { page, expectSafe } = await openAccount('name@acme.test');
  const field = page.getByRole('textbox', { name: 'Name' });
  await field.fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Fill in this field.').waitFor();
  await field.fill('Naïma <b>Name</b>');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect(await page.getByText('Naïma <b>Name</b>').count()).toBe(1);
  expect((await stored('name@acme.test')).name).toBe('Naïma <b>Name</b>');
  await expectSafe();
});

test('a name is saved without the spaces around it, which the page then leaves unasked', async () => {
  const opened = await openAccount('spaces@acme.test');
  const { page } = opened;
  const field = page.getByRole('textbox', { name: 'Name' });
  await field.fill('   ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Fill in this field.').waitFor();
  await picture(opened, 'account-name-of-spaces');
  await field.fill('  Olive Owner ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect((await stored('spaces@acme.test')).name).toBe('Olive Owner');
  await page.getByRole('link', { name: 'Forms' }).click();
  await page.waitForURL(/\/panel\/forms/);
});

test('a change that the gateway refuses is taken back, with the code and the request', async () => {
  const { page } = await openAccount('refused@acme.test');
  await page.route('**/graphql', (route) =>
    route.fulfill({
      headers: { 'X-Request-Id': 'request-1234' },
      json: { errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] },
    }),
  );
  await page.getByRole('textbox', { name: 'Name' }).fill('Somebody Else');
  await page.getByRole('button', { name: 'Save' }).click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(
    /Your role does not allow this\.\s+Code FORBIDDEN\s+Request request-1234/,
  );
  expect(await page.getByText('refused@acme.test').count()).toBe(2);
});

test('a refusal takes back its own change alone, and typed text is not left without a question', async () => {
  const { page } = await openAccount('two-changes@acme.test');
  let refuse!: () => void;
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await page.route('**/graphql', async (route) => {
    if (!route.request().postData()?.includes('"name":"Refused"')) return route.fallback();
    await refused;
    return route.fulfill({ json: { errors: [{ message: 'Broken.' }] } });
  });
  await page.getByRole('textbox', { name: 'Name' }).fill('Refused');
  await page.getByRole('link', { name: 'Forms' }).click();
  await page.getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Colours' }).click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await page.getByText('Saved').waitFor();
  refuse();
  // What says that it is saved is an alert as well.
  await page.getByRole('alert').filter({ hasText: 'INTERNAL_SERVER_ERROR' }).waitFor();
  expect(await page.getByText('Refused').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Colours' }).innerText()).toContain('Dark');
});

test('what is wrong with a code is in sight in a small window, though its field has the focus already', async () => {
  const { page } = await openAccount('small@acme.test', {
    locale: 'fr',
    viewport: { width: 360, height: 640 },
  });
  await page.getByRole('button', { name: 'Activer la double authentification' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Code', { exact: true }).fill('000000');
  await page.keyboard.press('Enter');
  const message = dialog.getByText(/^Ce code est faux/);
  await eventually(async () => {
    const [text, frame] = [await message.boundingBox(), await dialog.boundingBox()];
    return text && frame && text.y + text.height <= frame.y + frame.height;
  });
});

test('the password is changed with the present one, which ends the other sessions', async () => {
  const { page, expectSafe } = await openAccount('password@acme.test');
  const other = await loggedIn(app().url, app().services, 'password@acme.test');
  const fill = async (current: string, wanted: string) => {
    await page.getByRole('textbox', { name: 'Current password' }).fill(current);
    await page.getByRole('textbox', { name: 'New password' }).fill(wanted);
    await page.getByRole('button', { name: 'Change password' }).click();
  };
  await fill(PASSWORD, 'too short');
  await page.getByText('Use 12 to 200 characters.').waitFor();
  await fill('a guess of it', OTHER_PASSWORD);
  await page.getByText('This is not your current password.').waitFor();
  await fill(PASSWORD, OTHER_PASSWORD);
  await page.getByText('The password is changed.').waitFor();
  expect(await page.getByRole('textbox', { name: 'New password' }).inputValue()).toBe('');
  expect((await other.ask('{ me { email } }')).me).toBeNull();
  const login = 'mutation ($password: String!) { login(email: "password@acme.test", password: $password) }';
  await panelClient(app().url).ask(login, { password: OTHER_PASSWORD });
  await expectSafe();
});

test('the language is chosen by keyboard, and stays for every browser', async () => {
  const { page, expectAccessible, expectSafe } = await openAccount('language@acme.test');
  await page.getByRole('button', { name: 'Language' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('option', { name: 'Français' }).waitFor();
  await expectAccessible();
  await page.keyboard.press('f');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Compte' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('fr');
  await expectAccessible();
  const elsewhere = await open('/account', { as: 'language@acme.test', locale: 'en-US' });
  await elsewhere.page.getByRole('button', { name: 'Compte' }).waitFor();
  await expectSafe();
});

test('the colours are chosen, whatever the system prefers', async () => {
  const { page, expectAccessible } = await openAccount('theme@acme.test', { colorScheme: 'light' });
  const background = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  const light = await background();
  await page.getByRole('button', { name: 'Colours' }).click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await page.getByText('Saved').waitFor();
  expect(await background()).not.toBe(light);
  await expectAccessible();
  await page.reload();
  await page.getByRole('table').waitFor();
  expect(await background()).not.toBe(light);
  expect((await stored('theme@acme.test')).theme).toBe('dark');
});

test('shortcuts of a single character are turned off, and stay so in this browser', async () => {
  const { page, expectAccessible } = await openAccount('keys@acme.test');
  const box = page.getByRole('checkbox', { name: /^Keyboard shortcuts of a single character/ });
  const label = page.getByText(/^Keyboard shortcuts of a single character/);
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  expect(await box.isChecked()).toBe(true);
  await label.click();
  await expectAccessible();
  await page.reload();
  await page.getByRole('table').waitFor();
  expect(await box.isChecked()).toBe(false);
  await page.keyboard.press('?');
  expect(await help.count()).toBe(0);
  await label.click();
  await page.keyboard.press('?');
  await help.waitFor();
});

describe('the sessions', () => {
  test('are listed with browser and address, and one is ended', async () => {
    const { page, expectSafe } = await openAccount('one@acme.test');
    const { db, sessions } = app().services;
    const { id } = await stored('one@acme.test');
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
    await sessions.open(db.orm, id, { ip: '198.51.100.7', userAgent: firefox });
    await page.reload();
    const row = page.getByRole('row', { name: /Firefox, Windows/ });
    expect(await row.innerText()).toContain('198.51.100.7');
    await page.getByRole('button', { name: 'End the session of Firefox, Windows' }).click();
    await page.getByText('The session has ended.').waitFor();
    expect(await row.count()).toBe(0);
    const left = await db.orm.session.count({ where: { userId: id, revokedAt: null } });
    expect(left).toBe(1);
    await expectSafe();
  });

  test('that cannot be ended comes back alone', async () => {
    const { page } = await openAccount('two@acme.test');
    const { db, sessions } = app().services;
    const { id } = await stored('two@acme.test');
    const open = (system: string) =>
      sessions.open(db.orm, id, {
        ip: '198.51.100.7',
        userAgent: `Mozilla/5.0 (${system}; rv:128.0) Gecko/20100101 Firefox/128.0`,
      });
    await open('Windows NT 10.0; Win64; x64');
    await open('X11; Linux x86_64');
    await page.reload();
    const end = (system: string) =>
      page.getByRole('button', { name: `End the session of Firefox, ${system}` });
    await end('Windows').waitFor();
    let refuse!: () => void;
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    let isFirst = true;
    await page.route('**/graphql', async (route) => {
      const sent = route.request().postData() ?? '';
      // What the page reads again would hide what it has taken back.
      if (sent.includes('query sessions')) return refused;
      if (!isFirst || !sent.includes('mutation revokeSession(')) return route.fallback();
      isFirst = false;
      await refused;
      return route.fulfill({ json: { errors: [{ message: 'Broken.' }] } });
    });
    await end('Windows').click();
    await end('Windows').waitFor({ state: 'detached' });
    await end('Linux').click();
    await page.getByText('The session has ended.').waitFor();
    refuse();
    await end('Windows').waitFor();
    expect(await end('Linux').count()).toBe(0);
  });

  test('but this one are ended together, after a question', async () => {
    const { page, expectAccessible } = await openAccount('many@acme.test');
    const others = await Promise.all([1, 2].map(() => loggedIn(app().url, app().services, 'many@acme.test')));
    await page.reload();
    await page.getByRole('button', { name: 'End the other sessions' }).click();
    const dialog = page.getByRole('dialog', { name: 'End the other sessions' });
    await dialog.waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'End the other sessions' }).click();
    await dialog.getByRole('button', { name: 'End the other sessions' }).click();
    await page.getByText('2 sessions have ended.').waitFor();
    for (const other of others) expect((await other.ask('{ me { email } }')).me).toBeNull();
    await eventually(async () => (await page.getByRole('row').count()) === 2);
  });
});

test('an invitation is accepted or declined', async () => {
  const { db } = app().services;
  const acme = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  await createAccount(app().services, { email: 'wanted@acme.test', password: PASSWORD });
  const invite = async () => {
    const owner = await loggedIn(app().url, app().services, 'owner@acme.test');
    await owner.ask(
      `mutation ($id: ID!) {
         inviteMember(teamId: $id, input: { email: "wanted@acme.test", name: "W", role: member }) { id } }`,
      { id: acme.id },
    );
  };
  await invite();
  const { page, expectAccessible } = await open('/account', { as: 'wanted@acme.test' });
  await page.getByText('owner@acme.test invites you to join acme as a member.').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Decline' }).click();
  await page.getByRole('heading', { name: 'Invitations' }).waitFor({ state: 'detached' });
  await invite();
  await page.reload();
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('You belong to acme now.').waitFor();
  expect(await db.orm.membership.count({ where: { user: { email: 'wanted@acme.test' } } })).toBe(1);
});

test.each(LOOKS)('the page is accessible, fits and is light: %j', async (look) => {
  const name = `${look.colorScheme}-${look.viewport.width}`;
  const opened = await openAccount(
    `look-${name}-with-a-name-that-does-not-end-before-the-line@acme.test`,
    look,
  );
  await opened.expectAccessible();
  await opened.expectFits();
  await picture(opened, `account-${name}`);
  expect(await opened.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
  await opened.expectSafe();
});
