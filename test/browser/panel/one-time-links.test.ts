import { beforeAll, describe, expect, test } from '@jest/globals';
import { reconcile } from '../../../src/notifications/reconcile.js';
import { provision, team } from '../../support/factories.js';
import { createAccount, loggedIn } from '../../support/panel.js';
import { LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const PASSWORD = 'correct horse battery';
const OTHER_PASSWORD = 'battery staple horse';
const { app, open } = panelTest();

beforeAll(async () => {
  await provision(app().services, [team('acme')]);
});

/** The path, below the panel's, in the latest e-mail to an address. */
async function mailedPath(email: string): Promise<string> {
  // As the worker does every two seconds.
  await reconcile(app().services);
  const message = await eventually(() =>
    app().sink.messages.findLast(({ recipients }) => recipients.includes(email)),
  );
  return /\/panel(\/\S+)/.exec(message.mail.text!)![1]!;
}

async function invite(email: string, role = 'member'): Promise<string> {
  const { services, url } = app();
  const { id } = await services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const owner = await loggedIn(url, services, 'owner@acme.test');
  await owner.ask(
    `mutation ($id: ID!, $email: String!, $role: Role!) {
       inviteMember(teamId: $id, input: { email: $email, name: "New Comer", role: $role }) { id } }`,
    { id, email, role },
  );
  return mailedPath(email);
}

const roleOf = async (email: string) =>
  (await app().services.db.orm.membership.findFirst({ where: { user: { email } } }))?.role;

describe('an invitation', () => {
  test('opens a new account with a password of its choice', async () => {
    const { page, expectSafe } = await open(await invite('new@elsewhere.test', 'admin'));
    await page.getByText('owner@acme.test invites you to join acme as an administrator.').waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill('too short');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByText('Use 12 to 200 characters.').waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(page.url()).not.toContain('#');
    expect(await page.getByText('New Comer').count()).toBe(1);
    expect(await roleOf('new@elsewhere.test')).toBe('admin');
    await expectSafe();
  });

  test('is accepted with the password of the account that its address has', async () => {
    await createAccount(app().services, { email: 'known@elsewhere.test', password: PASSWORD });
    const { page } = await open(await invite('known@elsewhere.test'));
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await eventually(
      async () =>
        (await page.getByRole('textbox', { name: 'E-mail' }).inputValue()) === 'known@elsewhere.test',
    );
    await page.goBack();
    await page.getByRole('textbox', { name: 'Password' }).fill('a guess of it');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByText('The e-mail or the password is wrong.').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(await roleOf('known@elsewhere.test')).toBe('member');
  });

  test('is accepted by one button where its account is logged in', async () => {
    await createAccount(app().services, { email: 'here@elsewhere.test', password: PASSWORD });
    const { page } = await open(await invite('here@elsewhere.test'), { as: 'here@elsewhere.test' });
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(await roleOf('here@elsewhere.test')).toBe('member');
  });

  test('asks for no password before it knows which account is logged in', async () => {
    const as = 'late@elsewhere.test';
    await createAccount(app().services, { email: as, password: PASSWORD });
    const path = await invite(as);
    const { page } = await open('/login', { as });
    let letGo!: () => void;
    const isFree = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('query viewer ')) await isFree;
      await route.continue();
    });
    const invitation = page.waitForResponse(
      (response) => response.request().postData()?.includes('query followedInvitation') ?? false,
    );
    await page.goto(`${app().url}/panel${path}`);
    await invitation;
    await expect(page.getByRole('textbox').waitFor({ timeout: 1_000 })).rejects.toThrow('Timeout');
    letGo();
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(await roleOf(as)).toBe('member');
  });

  test('asks for the password where the session has ended meanwhile', async () => {
    const as = 'ended@elsewhere.test';
    const id = await createAccount(app().services, { email: as, password: PASSWORD });
    const { page } = await open(await invite(as), { as });
    await page.getByText(/invites you to join acme/).waitFor();
    await app().services.db.orm.session.deleteMany({ where: { userId: id } });
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    expect(await roleOf(as)).toBe('member');
  });

  test('says that it was answered where the answer of the gateway was lost', async () => {
    const { page } = await open(await invite('unheard@elsewhere.test'));
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('acceptInvitation')) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByText('This invitation has been answered').waitFor();
    // What came with the lost answer's headers has logged the account in.
    await page.getByRole('link', { name: 'Back to the login' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
  });

  test('says that another account is logged in', async () => {
    await createAccount(app().services, { email: 'other@elsewhere.test' });
    const { page } = await open(await invite('guest@elsewhere.test'), { as: 'other@elsewhere.test' });
    await page.getByText('You are logged in as other@elsewhere.test.').waitFor();
  });

  test('that is over says so, in French too', async () => {
    const { page, expectSafe, expectAccessible } = await open('/invitation#gone', { locale: 'fr-FR' });
    await page.getByText('Cette invitation a reçu une réponse').waitFor();
    await expectAccessible();
    await expectSafe();
  });

  test.each(LOOKS)('is accessible, fits and is light: %j', async (look) => {
    const opened = await open(
      await invite(`look-${look.colorScheme}-${look.viewport.width}@elsewhere.test`),
      look,
    );
    await opened.page.getByRole('button', { name: 'Accept the invitation' }).waitFor();
    await opened.expectAccessible();
    await opened.expectFits();
    await picture(opened, `invitation-${look.colorScheme}-${look.viewport.width}`);
    expect(await opened.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
  });
});

describe('a forgotten password', () => {
  test('is replaced by the link in the e-mail that the login page has sent', async () => {
    await createAccount(app().services, { email: 'lost@elsewhere.test', password: PASSWORD });
    const asking = await open('/login');
    await asking.page.getByRole('textbox', { name: 'E-mail' }).fill('lost@elsewhere.test');
    await asking.page.getByRole('link', { name: 'Forgot your password?' }).click();
    await asking.page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    expect(await asking.page.getByRole('textbox', { name: 'E-mail' }).inputValue()).toBe(
      'lost@elsewhere.test',
    );
    expect(new URL(asking.page.url()).search).toBe('');
    await asking.page.getByRole('button', { name: 'Send the link' }).click();
    await asking.page.getByText('an e-mail with a link is on its way').waitFor();
    await asking.expectAccessible();

    const path = await mailedPath('lost@elsewhere.test');
    const { page, expectSafe, expectAccessible } = await open(path);
    const late = await open(path);
    await late.page.getByRole('textbox', { name: 'New password' }).fill(OTHER_PASSWORD);
    await page.getByText('For lost@elsewhere.test.').waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill(OTHER_PASSWORD);
    await expectAccessible();
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    await expectSafe();

    await late.page.getByRole('button', { name: 'Set the password' }).click();
    await late.page.getByText('This link has been used or has expired.').waitFor();
    const again = await open(path);
    await again.page.getByText('This link has been used or has expired.').waitFor();
    await again.page.getByRole('button', { name: 'Send the link' }).waitFor();
    expect(await again.page.getByRole('textbox', { name: 'New password' }).count()).toBe(0);
  });

  test('says the same of an address without an account', async () => {
    const { page } = await open('/reset', { locale: 'fr-FR' });
    await page.getByRole('textbox', { name: 'E-mail' }).fill('stranger@elsewhere.test');
    await page.getByRole('button', { name: 'Envoyer le lien' }).click();
    await page.getByText('Si stranger@elsewhere.test a un compte').waitFor();
  });

  test.each(LOOKS)('has accessible and light pages that fit: %j', async (look) => {
    const email = `reset-${look.colorScheme}-${look.viewport.width}@elsewhere.test`;
    await createAccount(app().services, { email, password: PASSWORD });
    const asking = await open('/reset', look);
    await asking.page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await asking.expectAccessible();
    await asking.expectFits();
    await picture(asking, `reset-${look.colorScheme}-${look.viewport.width}`);
    expect(await asking.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
    await asking.page.getByRole('button', { name: 'Send the link' }).click();

    const opened = await open(await mailedPath(email), look);
    await opened.page.getByRole('button', { name: 'Set the password' }).waitFor();
    await opened.expectAccessible();
    await opened.expectFits();
    await picture(opened, `reset-link-${look.colorScheme}-${look.viewport.width}`);
    expect(await opened.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
  });
});

describe('another address', () => {
  test('is asked for on the account page and confirmed by the link sent to it', async () => {
    await createAccount(app().services, { email: 'before@elsewhere.test', password: PASSWORD });
    const asking = await open('/account', { as: 'before@elsewhere.test' });
    await asking.page.getByRole('button', { name: 'Change the address' }).click();
    const dialog = asking.page.getByRole('dialog', { name: 'Change the address' });
    await asking.expectAccessible();
    await dialog.getByRole('textbox', { name: 'New e-mail' }).fill('after@elsewhere.test');
    await dialog.getByRole('textbox', { name: 'Current password' }).fill('a guess of it');
    await dialog.getByRole('textbox', { name: 'New e-mail' }).fill('Before@elsewhere.test');
    await dialog.getByRole('button', { name: 'Send the link' }).click();
    await dialog.getByText('This is the address already.').waitFor();
    await dialog.getByRole('textbox', { name: 'New e-mail' }).fill('after@elsewhere.test');
    await dialog.getByRole('button', { name: 'Send the link' }).click();
    await dialog.getByText('This is not your current password.').waitFor();
    await dialog.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Send the link' }).click();
    await asking.page.getByText('The link is on its way to after@elsewhere.test.').waitFor();
    expect(await dialog.count()).toBe(0);

    const path = await mailedPath('after@elsewhere.test');
    const { page, expectSafe, expectAccessible } = await open(path, { as: 'before@elsewhere.test' });
    const other = await page.context().newPage();
    await other.goto(`${app().url}/panel/account`);
    await other.getByRole('main').getByText('before@elsewhere.test').waitFor();
    await page.getByText('you want to log in with after@elsewhere.test').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByText('From now on you log in with the new address.').waitFor();
    // Another tab would ask for the password under the address before.
    await other.getByRole('main').getByText('after@elsewhere.test').waitFor();
    await expectAccessible();
    await page.getByRole('link', { name: 'Go to the account' }).click();
    await page.getByText('after@elsewhere.test').waitFor();
    await expectSafe();

    const again = await open(path);
    await again.page.getByText('This link has been used or has expired.').waitFor();
  });

  test('that has an account is refused to who opens the link', async () => {
    await createAccount(app().services, { email: 'wishful@elsewhere.test', password: PASSWORD });
    await createAccount(app().services, { email: 'taken@elsewhere.test' });
    const wishful = await loggedIn(app().url, app().services, 'wishful@elsewhere.test');
    await wishful.ask(
      `mutation { requestEmailChange(email: "taken@elsewhere.test", password: "${PASSWORD}") }`,
    );
    const { page } = await open(await mailedPath('taken@elsewhere.test'));
    await page.getByRole('button', { name: 'Use this address' }).click();
    await page.getByText('There already is an account of this address.').waitFor();
  });

  test.each(LOOKS)('has an accessible and light page that fits: %j', async (look) => {
    const opened = await open('/email#gone', look);
    await opened.page.getByText('This link has been used or has expired.').waitFor();
    await opened.expectAccessible();
    await opened.expectFits();
    await picture(opened, `email-${look.colorScheme}-${look.viewport.width}`);
    expect(await opened.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
  });
});
