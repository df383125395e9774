import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createToken, provision, team, websiteId } from '../../support/factories.js';
import { createAccount, loggedIn } from '../../support/panel.js';
import { createForm, formInput, readForm } from '../../support/panel-forms.js';
import { hasFocus, LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';

const { app, open } = panelTest();
const OWNER = { as: 'owner@acme.test' };

beforeAll(async () => {
  await provision(app().services, [team('acme')]);
});

const owner = () => loggedIn(app().url, app().services, 'owner@acme.test');

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
};

const PLACE = `mutation ($site: ID!, $form: ID!) {
  saveFormLink(websiteId: $site, formId: $form, input: {}) { enabled }
}`;

test('the list tells where a form is placed and what it lacks, and finds one', async () => {
  const input = formInput([{ name: 'city', label: 'Ville' }], {
    name: 'Listed form',
    active: false,
    translations: [{ locale: 'en' }],
  });
  const id = await createForm(app(), 'listed', input);
  const site = await websiteId(app().services, 'www.acme.test');
  await (await owner()).ask(PLACE, { site, form: id });
  const { page, expectAccessible } = await open('/forms', OWNER);
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.fill('listed ');
  await page.waitForURL(/q=listed/);
  const row = page.getByRole('row', { name: /Listed form/ });
  await row.waitFor();
  await page.getByRole('row', { name: /Contact/ }).waitFor({ state: 'detached' });
  // What the address leaves out of it stays to be typed on.
  expect(await search.inputValue()).toBe('listed ');
  expect(await row.innerText()).toMatch(
    /Listed form\s+listed\s+Not shown\s+www.acme.test\s+French, English\s+3 texts \(English\)/,
  );
  await expectAccessible();
  await row.getByRole('link').first().click();
  await page.getByRole('tab', { name: 'Websites' }).click();
  const link = page.getByRole('link', { name: 'www.acme.test' });
  expect(await link.getAttribute('href')).toContain(`/websites/${site}?tab=forms`);
});

test('keys go through the list and to its search', async () => {
  const { page } = await open('/forms', OWNER);
  const links = page.getByRole('row').getByRole('link');
  await links.first().waitFor();
  await page.keyboard.press('j');
  expect(await hasFocus(links.first())).toBe(true);
  await page.keyboard.press('j');
  expect(await hasFocus(links.nth(1))).toBe(true);
  await page.keyboard.press('k');
  expect(await hasFocus(links.first())).toBe(true);
  await page.keyboard.press('/');
  expect(await hasFocus(page.getByRole('searchbox', { name: 'Search' }))).toBe(true);
});

test('a form is renamed, duplicated, hidden and deleted, and each says what will happen', async () => {
  const id = await createForm(app(), 'whole', formInput([{ name: 'x' }], { name: 'Whole' }));
  const site = await websiteId(app().services, 'www.acme.test');
  await (await owner()).ask(PLACE, { site, form: id });
  const { page, expectAccessible, expectSafe } = await open(`/forms/${id}`, OWNER);
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByRole('dialog', { name: item }).waitFor();
  };
  const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name }).click();
  await choose('Rename');
  await page.getByRole('textbox', { name: 'Name of the form' }).fill('Renamed');
  await confirm('Rename');
  await page.getByRole('heading', { name: 'Renamed' }).waitFor();
  await choose('Stop showing it');
  await page.getByText('Once you save, this website no longer shows it. Its leads stay.').waitFor();
  await expectAccessible();
  await confirm('Stop showing it');
  await save(page);
  expect(await readForm(await owner(), id)).toMatchObject({ name: 'Renamed', active: false });
  await choose('Duplicate');
  await page.getByRole('textbox', { name: 'Short name in pages' }).fill('whole');
  await confirm('Duplicate');
  await page.getByText('Another form of the team has this short name.').waitFor();
  await page.getByRole('textbox', { name: 'Short name in pages' }).fill('whole-2');
  await confirm('Duplicate');
  await page.getByRole('heading', { name: 'Renamed (copy)' }).waitFor();
  await choose('Delete form');
  await page.getByText('Renamed (copy) is on no website and has no leads.').waitFor();
  await confirm('Delete form');
  await page.getByText('Renamed (copy) is deleted.').waitFor();
  await page.getByRole('heading', { name: 'Forms' }).waitFor();
  expect(await app().services.db.orm.form.count({ where: { slug: 'whole-2' } })).toBe(0);
  await expectSafe();
});

test('a form that has just been put on a website elsewhere keeps its settings there', async () => {
  const { orm } = app().services.db;
  const formId = await createForm(app(), 'met', formInput([{ name: 'x' }], { name: 'Met' }));
  const site = await websiteId(app().services, 'www.acme.test');
  const { page } = await open(`/forms/${formId}?tab=websites`, OWNER);
  // The list of websites is told when it does not come.
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query websitesForForm')
      ? route.fulfill({ status: 500, json: { errors: [{ message: 'Broken.' }] } })
      : route.fallback(),
  );
  await page.reload();
  await page.getByRole('button', { name: /Add to a website/ }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute('**/graphql');
  await page.getByRole('button', { name: 'Try again' }).click();
  const option = page.getByRole('option', { name: 'www.acme.test' });
  await option.waitFor();
  const input = { cssSelector: '#contact' };
  const elsewhere = PLACE.replace('$form: ID!', '$form: ID!, $input: FormLinkInput!').replace('{}', '$input');
  await (await owner()).ask(elsewhere, { site, form: formId, input });
  await option.click();
  await page.getByText('The form is on the website.').waitFor();
  expect(
    await orm.placement.findMany({ where: { formId: Number(formId) }, select: { cssSelector: true } }),
  ).toEqual([input]);
});

test('a form with leads is not deleted', async () => {
  const { services } = app();
  const { id } = await services.db.orm.form.findFirstOrThrow({ where: { slug: 'contact' } });
  const site = await websiteId(services, 'www.acme.test');
  const token = await createToken(services, 'acme', 'owner@acme.test');
  const answer = await fetch(`${app().url}/api/websites/${site}/forms/contact/submit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ email: 'zoe@example.test' }),
  });
  expect(answer.status).toBe(200);
  const { page } = await open(`/forms/${id}`, OWNER);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete form' }).click();
  await page.getByText('It has 1 lead').waitFor();
  expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete form' }).count()).toBe(0);
});

test('a member sees the list and creates nothing', async () => {
  const { page } = await open('/forms', { as: 'member@acme.test' });
  await page.getByRole('link', { name: 'Contact' }).waitFor();
  expect(await page.getByRole('button', { name: 'Create form' }).count()).toBe(0);
});

test.each(LOOKS)('the list fits $viewport.width px in $colorScheme', async (look) => {
  const opened = await open('/forms', { ...OWNER, ...look, locale: 'fr-FR' });
  await opened.page.getByRole('link', { name: 'Contact' }).waitFor();
  await opened.expectFits();
  await opened.expectAccessible();
  await picture(opened, `forms-fr-${look.viewport.width}-${look.colorScheme}`);
  expect(await opened.weight()).toBeLessThan(MAX_WEIGHT.page);
});

test('staff are asked which team a new form belongs to, and find it by a search', async () => {
  const { services } = app();
  await provision(services, [team('globex')]);
  await createAccount(services, { email: 'staff@agency.test', staff: true });
  const { page } = await open('/forms', { as: 'staff@agency.test' });
  await page.getByRole('row', { name: /^Contact contact globex www\.globex\.test/ }).waitFor();
  await page.getByRole('button', { name: 'Create form' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create form' });
  await dialog.getByRole('textbox', { name: 'Name of the form' }).fill('Theirs');
  await dialog.getByText('Choose the team that it belongs to.').waitFor();
  expect(await dialog.getByRole('button', { name: 'Create form' }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: /Choose….*Team/ }).click();
  await page.getByRole('searchbox', { name: 'Search', exact: true }).last().fill('glob');
  await page.getByRole('option', { name: 'globex' }).click();
  await dialog.getByRole('button', { name: 'Create form' }).click();
  await page.getByRole('heading', { name: 'Theirs' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Forms' }).waitFor();
  expect(new URL(page.url()).searchParams.has('create')).toBe(false);
  const form = { slug: 'theirs', team: { slug: 'globex' } };
  expect(await services.db.orm.form.count({ where: form })).toBe(1);
  const { id } = await services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
  await page.goto(`${app().url}/panel/forms?team=${id}`);
  await page.getByRole('button', { name: 'Create form' }).click();
  await dialog.getByRole('button', { name: /globex.*Team/ }).waitFor();
});
