import { beforeAll, describe, expect, test } from '@jest/globals';
import { totpCode } from '../../../src/auth/second-factor/totp.js';
import { provision, team } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';

const PASSWORD = 'correct horse battery';
const STAFF = 'staff@agency.test';
const { app, open } = panelTest();

beforeAll(async () => {
  await provision(app().services, [team('acme'), team('globex')]);
  await createAccount(app().services, { email: STAFF, password: PASSWORD, staff: true });
});

/** The code that an authenticator app shows for a key as the page prints it; `later` steps from now. */
const codeOf = (key: string, later = 0) =>
  totpCode(key.replaceAll(' ', ''), new Date(Date.now() + later * 30_000));

test('an account sets up two-factor login, and then logs in with a code', async () => {
  const email = 'safe@acme.test';
  await createAccount(app().services, { email, password: PASSWORD });
  const account = await open('/account', { as: email });
  await account.page.getByRole('button', { name: 'Set up two-factor login' }).click();
  await account.page.getByRole('dialog').getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
  await account.page.keyboard.press('Enter');
  await account.page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  await account.expectAccessible();
  await picture(account, 'second-factor-set-up');
  const key = await account.page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText();
  await account.page.getByRole('textbox', { name: 'Code' }).fill('000000');
  await account.page.keyboard.press('Enter');
  await account.page.getByText('This code is wrong, or was used before.').waitFor();
  await account.page.getByRole('textbox', { name: 'Code' }).fill(codeOf(key));
  await account.page.keyboard.press('Enter');
  const codes = account.page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  expect(await codes.count()).toBe(10);
  await account.expectAccessible();
  await account.expectSafe();

  const login = await open('/login');
  await login.page.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await login.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await login.page.getByRole('button', { name: 'Log in' }).click();
  await login.page.getByRole('textbox', { name: 'Code' }).waitFor();
  await login.expectAccessible();
  await picture(login, 'login-code');
  await login.page.reload();
  await login.page.getByRole('textbox', { name: 'Code' }).fill(codeOf(key, 1));
  await login.page.getByRole('button', { name: 'Log in' }).click();
  await login.page.getByRole('button', { name: 'Account' }).waitFor();
  await login.expectSafe();
});

test('staff who must have it set it up with their login', async () => {
  const email = 'new@agency.test';
  const { db } = app().services;
  await createAccount(app().services, { email, password: PASSWORD, staff: true });
  await db.orm.installationSettings.create({ data: { staffSecondFactor: true } });
  try {
    const opened = await open('/login', { locale: 'fr-FR' });
    const { page } = opened;
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email);
    await page.getByRole('textbox', { name: 'Mot de passe' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const key = await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText();
    await opened.expectAccessible();
    await picture(opened, 'login-enrolment-fr');
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(key));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Je les ai gardés : continuer' }).click();
    await page.getByRole('button', { name: 'Compte', exact: true }).waitFor();
    await opened.expectSafe();
  } finally {
    await db.orm.installationSettings.deleteMany();
  }
});

describe('the page of people', () => {
  test('finds an account, disables and deletes it after a question', async () => {
    const email = 'leaver@acme.test';
    const id = await createAccount(app().services, { email, password: PASSWORD });
    const opened = await open('/people', { as: STAFF });
    const { page } = opened;
    await page.getByRole('searchbox', { name: 'Search by name or e-mail' }).fill('leaver');
    await page.waitForURL(/q=leaver/);
    const row = page.getByRole('row', { name: /leaver@acme\.test/ });
    const act = async (item: string) => {
      await row.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
      await page.getByRole('dialog').getByRole('button', { name: item }).click();
    };
    await act('Disable');
    await row.getByText('Disabled').waitFor();
    await act('Delete the account');
    await page.getByText('No account matches.').waitFor();
    expect((await app().services.db.orm.user.findUniqueOrThrow({ where: { id } })).deletedAt).not.toBeNull();
    await opened.expectSafe();
  });

  test('is not offered to a client', async () => {
    const { page } = await open('/inbox', { as: 'owner@acme.test' });
    await page.getByRole('link', { name: 'Websites' }).waitFor();
    for (const name of ['People', 'Audit']) expect(await page.getByRole('link', { name }).count()).toBe(0);
  });
});

test('staff see the panel as a client, and go back', async () => {
  const opened = await open('/people?q=owner@acme.test', { as: STAFF });
  const { page } = opened;
  await page.getByRole('button', { name: 'Actions for owner@acme.test' }).click();
  await page.getByRole('menuitem', { name: 'See as acme' }).click();
  await page.getByText('You see what an owner of acme sees. Nothing can be changed.').waitFor();
  expect(await page.getByRole('link', { name: 'People' }).count()).toBe(0);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await opened.expectAccessible();
  await picture(opened, 'view-as');
  await page.getByRole('button', { name: 'Back to the agency' }).click();
  await page.getByRole('link', { name: 'People' }).waitFor();
});

test('the audit trail tells in words who did what, and its filter stands in the address', async () => {
  const { page, expectSafe } = await open('/audit?action=team.created', { as: STAFF });
  await page
    .getByRole('row', { name: /Created the team/ })
    .first()
    .waitFor();
  expect(await page.getByRole('row', { name: /Created an account/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await page
    .getByRole('row', { name: /Created an account/ })
    .first()
    .waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  expect((await download).suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/);
  await expectSafe();
});

test.each(['people', 'audit'].flatMap((path) => LOOKS.map((look) => ({ path, ...look }))))(
  'the page is accessible, fits and is light: %j',
  async ({ path, ...look }) => {
    const opened = await open(`/${path}`, { as: STAFF, ...look, locale: 'fr-FR' });
    await opened.page.getByRole('row').nth(1).waitFor();
    await opened.expectAccessible();
    await opened.expectFits();
    await picture(opened, `${path}-${look.colorScheme}-${look.viewport.width}`);
    expect(await opened.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
    await opened.expectSafe();
  },
);
