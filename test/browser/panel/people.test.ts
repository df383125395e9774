import { beforeAll, describe, expect, test } from '@jest/globals';
import { recordAudit } from '../../../src/audit/audit.js';
import { totpCode } from '../../../src/auth/second-factor/totp.js';
import { provision, team } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { holdBack, LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

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
  const opener = account.page.getByRole('link', { name: 'Open in the authenticator app' });
  expect(await opener.getAttribute('href')).toContain(`secret=${key.replaceAll(' ', '')}`);
  await account.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await account.page.getByRole('button', { name: 'Copy the key' }).click();
  await account.page.getByText('Copied', { exact: true }).waitFor();
  expect(await account.page.evaluate('navigator.clipboard.readText()')).toBe(key.replaceAll(' ', ''));
  const code = account.page.getByRole('textbox', { name: 'Code' });
  expect(await code.getAttribute('inputmode')).toBe('numeric');
  await account.page.setViewportSize({ width: 360, height: 740 });
  await account.expectFits();
  await picture(account, 'second-factor-set-up-360');
  await account.page.getByRole('textbox', { name: 'Code' }).fill('000000');
  await account.page.keyboard.press('Enter');
  await account.page.getByText('This code is wrong, or was used before.').waitFor();
  await account.page.getByRole('textbox', { name: 'Code' }).fill(codeOf(key));
  await account.page.keyboard.press('Enter');
  const codes = account.page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
  await codes.first().waitFor();
  expect(await codes.count()).toBe(10);
  await account.expectAccessible();
  await account.page.keyboard.press('Escape');
  await account.page.mouse.click(2, 2);
  expect(await codes.count()).toBe(10);
  await account.page.getByRole('button', { name: 'I have kept them' }).click();
  await account.page.getByRole('dialog').waitFor({ state: 'detached' });
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
    const goOn = page.getByRole('button', { name: 'Je les ai gardés : continuer' });
    await goOn.waitFor();
    await page.route('**/graphql', (route) => route.fulfill({ json: { errors: [{ message: 'Broken.' }] } }));
    await goOn.click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/graphql');
    await goOn.click();
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
    const letGo = await holdBack(page, 'resetUserPassword');
    await act('Reset the password');
    const dialog = page.getByRole('dialog');
    await eventually(() => dialog.getByRole('button', { name: 'Cancel' }).isDisabled());
    await page.keyboard.press('Escape');
    await page.mouse.click(2, 2);
    letGo();
    const copy = dialog.getByRole('button', { name: 'Copy the password' });
    await copy.waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(2, 2);
    expect(await copy.count()).toBe(1);
    await opened.expectAccessible();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await act('Disable');
    await row.getByText('Disabled').waitFor();
    await act('Delete the account');
    await page.getByText('No account matches.').waitFor();
    await opened.expectAccessible();
    await page.getByRole('link', { name: 'Clear search and filters' }).click();
    await page.getByRole('row', { name: new RegExp(STAFF) }).waitFor();
    expect(new URL(page.url()).search).not.toMatch(/q=/);
    expect((await app().services.db.orm.user.findUniqueOrThrow({ where: { id } })).deletedAt).not.toBeNull();
    await opened.expectSafe();
  });

  test('offers staff nothing for their own account that would shut them out', async () => {
    const opened = await open(`/people?q=${STAFF}`, { as: STAFF });
    await opened.page.getByRole('button', { name: `Actions for ${STAFF}` }).click();
    const items = opened.page.getByRole('menuitem');
    await items.first().waitFor();
    expect(await items.allInnerTexts()).toEqual(['Edit', 'Audit trail of this account']);
    await picture(opened, 'people-own');
  });

  test('names the teams whose only owner an account is, which is not deleted', async () => {
    const { services } = app();
    await provision(services, [team('lumen', { name: 'Lumen Corse' })]);
    const opened = await open('/people?q=owner@lumen.test', { as: STAFF });
    const { page, expectAccessible } = opened;
    await page.getByRole('button', { name: 'Actions for owner@lumen.test' }).click();
    await page.getByRole('menuitem', { name: 'Delete the account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete the account' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/only owner of Lumen Corse: appoint another owner first/)
      .waitFor();
    await expectAccessible();
    await picture(opened, 'people-only-owner');
  });

  test('no longer lists an account that a colleague has deleted, once that was told', async () => {
    const { services } = app();
    await createAccount(services, { email: 'gone@acme.test', password: PASSWORD });
    const { page } = await open('/people?q=gone', { as: STAFF, expected: /404/ });
    const found = page.getByRole('row').filter({ hasText: 'gone@acme.test' });
    await found.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Delete the account' }).click();
    await services.db.orm.user.update({
      where: { email: 'gone@acme.test' },
      data: { deletedAt: new Date() },
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the account' }).click();
    await page.getByText('This does not exist, or it is not yours to see.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await found.waitFor({ state: 'detached' });
  });

  test.each([
    ['Edit', 'Name', 'Another', 'Save'],
    ['Change the address', 'New e-mail', 'new@acme.test', 'Send the link'],
  ])('no longer lists it after "%s" either', async (item, field, value, button) => {
    const { services } = app();
    const email = `gone-${item.slice(0, 4).toLowerCase()}@acme.test`;
    await createAccount(services, { email, password: PASSWORD });
    const { page } = await open(`/people?q=${email}`, { as: STAFF, expected: /404/ });
    const found = page.getByRole('row').filter({ hasText: email });
    await found.getByRole('button').click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
    await services.db.orm.user.update({ where: { email }, data: { deletedAt: new Date() } });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: field }).fill(value);
    await dialog.getByRole('button', { name: button }).click();
    await dialog.getByText('This does not exist, or it is not yours to see.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await found.waitFor({ state: 'detached' });
  });

  test('renames an account, makes it staff and no longer, and sends a link to another address', async () => {
    const email = 'riser@acme.test';
    const { orm } = app().services.db;
    const id = await createAccount(app().services, { email });
    const opened = await open(`/people?q=${email}`, { as: STAFF });
    const { page } = opened;
    const row = page.getByRole('row', { name: /riser@acme\.test/ });
    const choose = async (name: string, item: string) => {
      await row.getByRole('button', { name: `Actions for ${name}` }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    const staffBox = page.getByRole('checkbox', { name: /^Agency staff/ });
    await choose(email, 'Edit');
    await page.getByRole('textbox', { name: 'Name' }).fill('Rita Riser');
    await staffBox.check({ force: true });
    await opened.expectAccessible();
    await picture(opened, 'people-edit');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Staff', { exact: true }).waitFor();
    expect(await orm.user.findUniqueOrThrow({ where: { id } })).toMatchObject({
      name: 'Rita Riser',
      staff: true,
    });
    await choose('Rita Riser', 'Edit');
    await staffBox.uncheck({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Staff', { exact: true }).waitFor({ state: 'detached' });

    await choose('Rita Riser', 'Change the address');
    await page.getByRole('textbox', { name: 'New e-mail' }).fill('rita@acme.test');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await page.getByText('The link is on its way to rita@acme.test.').waitFor();
    expect(await orm.oneTimeLink.count({ where: { userId: id, email: 'rita@acme.test' } })).toBe(1);

    await page.goto(`${app().url}/panel/audit?action=user.updated`);
    await page.getByRole('row', { name: /account Rita Riser.*became staff/ }).waitFor();
    await page.getByRole('row', { name: /account Rita Riser.*no longer staff/ }).waitFor();
    await page.goto(`${app().url}/panel/people?q=${STAFF}`);
    await page.getByRole('button', { name: `Actions for ${STAFF}` }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).waitFor();
    expect(await staffBox.count()).toBe(0);
    await opened.expectSafe();
  });

  test('renames an account without giving it back what a colleague has taken from it meanwhile', async () => {
    const email = 'faller@acme.test';
    const { orm } = app().services.db;
    const id = await createAccount(app().services, { email, staff: true });
    const { page } = await open(`/people?q=${email}`, { as: STAFF });
    await page.getByRole('button', { name: `Actions for ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Fay Faller');
    await orm.user.update({ where: { id }, data: { staff: false } });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await orm.user.findUniqueOrThrow({ where: { id } })).toMatchObject({
      name: 'Fay Faller',
      staff: false,
    });
  });

  test('keeps what is typed while an account is saved, to be saved next', async () => {
    const email = 'typed@acme.test';
    const { orm } = app().services.db;
    const id = await createAccount(app().services, { email });
    const { page } = await open(`/people?q=${email}`, { as: STAFF });
    await page.getByRole('button', { name: `Actions for ${email}` }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('textbox', { name: 'Name' });
    await name.fill('First');
    const letGo = await holdBack(page, 'updateUser');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await name.fill('Second');
    letGo();
    await page.getByText('Saved').waitFor();
    expect((await orm.user.findUniqueOrThrow({ where: { id } })).name).toBe('First');
    expect(await name.inputValue()).toBe('Second');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await orm.user.findUniqueOrThrow({ where: { id } })).name).toBe('Second');
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
  const { orm } = app().services.db;
  const plan = await orm.plan.findFirstOrThrow();
  const operator = { userId: null, channel: 'command_line', ip: null } as const;
  await recordAudit(orm, operator, {
    teamId: null,
    action: 'plan.updated',
    subject: ['plan', plan.id],
    detail: { code: plan.code, before: { submissionsPerHour: 10 }, changed: { submissionsPerHour: 20 } },
  });
  const { page, expectSafe } = await open('/audit?action=team.created', { as: STAFF });
  await page
    .getByRole('row', { name: /Created the team.*team acme/ })
    .first()
    .waitFor();
  expect(await page.getByRole('row', { name: /Created an account/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  const change = `plan ${plan.name} · Leads an hour, for each website: 10 → 20`;
  await page.getByRole('row', { name: new RegExp(`The operator.*Changed a plan.*${change}`) }).waitFor();
  await page
    .getByRole('row', { name: /Created an account/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: /What/ }).click();
  await page.getByRole('option').first().waitFor();
  const actions = await page.getByRole('option').allInnerTexts();
  expect(actions.length).toBeGreaterThan(40);
  expect(actions).toEqual([...actions].sort(new Intl.Collator('en-GB').compare));
  await page.keyboard.press('Escape');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  expect((await download).suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.csv$/);
  await expectSafe();
});

test('a day of the audit trail ends at midnight, also where the clocks have skipped the one before', async () => {
  const { orm } = app().services.db;
  const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const made = { teamId, channel: 'command_line', subjectType: 'team', detail: {} } as const;
  await orm.auditEvent.createMany({
    data: [
      { ...made, action: 'team.created', subjectId: '1', createdAt: '2018-11-05T01:59:00Z' },
      { ...made, action: 'team.suspended', subjectId: '2', createdAt: '2018-11-05T02:01:00Z' },
    ],
  });
  const search = `?team=${teamId}&from=2018-11-04&to=2018-11-04`;
  const { page } = await open(`/audit${search}`, { as: STAFF, timezoneId: 'America/Sao_Paulo' });
  const events = page.getByRole('table').getByRole('row');
  await events.nth(1).waitFor();
  expect(await events.count()).toBe(2);
  await page.reload();
  await events.nth(1).waitFor();
  expect(new URL(page.url()).search).toBe(search);
});

test('the audit trail tells the values of a website and a webhook before and after, in French too', async () => {
  const { orm } = app().services.db;
  const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const website = await orm.website.findFirstOrThrow({ where: { teamId } });
  const operator = { userId: null, channel: 'command_line', ip: null } as const;
  await recordAudit(orm, operator, {
    teamId,
    action: 'website.updated',
    subject: ['website', website.id],
    detail: {
      before: { company: '', locale: 'fr', disabled: false, city: 'Xx'.repeat(100) },
      changed: { company: '<b>Fromagerie</b>', locale: 'de', disabled: true, city: 'Cergy' },
    },
  });
  await recordAudit(orm, operator, {
    teamId,
    action: 'webhook.updated',
    subject: ['webhook', '01939a60-5c00-7a10-8b20-6c1f3a5e0001'],
    detail: {
      host: 'b.test',
      events: ['form.changed'],
      before: { url: 'a.test', events: ['submission.created'], websiteIds: [], state: 'active' },
      changed: { url: 'b.test', events: ['form.changed'], websiteIds: ['www'], state: 'paused' },
    },
  });
  // As versions before have recorded it.
  await recordAudit(orm, operator, {
    teamId,
    action: 'website.updated',
    subject: ['website', website.id],
    detail: { changed: ['company', 'locale'] },
  });
  const english = await open(`/audit?team=${teamId}`, { as: STAFF });
  const row = ({ page }: typeof english, text: string) =>
    page.getByRole('row').filter({ hasText: text }).first().waitFor();
  await row(english, 'language: French → German · company: none → <b>Fromagerie</b> · disabled: no → yes');
  await row(english, 'state: enabled → disabled · events: new lead → form changed · websites: all → www');
  await row(english, 'company · language');
  const table = english.page.getByRole('region', { name: 'Audit trail' });
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)).toBe(false);
  const french = await open(`/audit?team=${teamId}`, {
    as: STAFF,
    locale: 'fr-FR',
    viewport: { width: 360, height: 740 },
  });
  await row(french, 'langue\u00a0: français → allemand · société\u00a0: aucun → <b>Fromagerie</b>');
  await row(french, 'évènements\u00a0: nouvelle demande → formulaire modifié · sites\u00a0: tous → www');
  await french.expectFits();
  await french.expectAccessible();
  await picture(french, 'audit-values-360-fr');
  await picture(english, 'audit-values');
  await english.expectSafe();
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
