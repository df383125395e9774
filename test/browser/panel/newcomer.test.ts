import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provision, team } from '../../support/factories.js';
import { loggedIn } from '../../support/panel.js';
import { readForm } from '../../support/panel-forms.js';
import { panelTest, picture } from '../../support/panel-pages.js';
import { reachableEnv, type ServedPage, servePage } from '../../support/probed.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest({ env: await reachableEnv() });

let served: ServedPage;

beforeAll(async () => {
  await provision(app().services, [team('acme')]);
  served = await servePage();
});
afterAll(() => served?.close());

const owner = () => loggedIn(app().url, app().services, 'owner@acme.test');

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
};

/** Adds a field of a type and types its label over. */
async function add(page: Page, type: string, label: string): Promise<void> {
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('menuitem', { name: type, exact: true }).click();
  await page.getByRole('textbox', { name: 'Label', exact: true }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type(label);
  await page.keyboard.press('Tab');
  await page.getByRole('heading', { name: label }).waitFor();
}

async function select(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).last().click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** Makes a form with eight fields, two conditions and two languages. */
async function makeForm(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Forms', exact: true }).click();
  await page.getByRole('button', { name: 'Create form' }).click();
  await page.getByRole('textbox', { name: 'Name of the form' }).fill('Devis été');
  expect(await page.getByRole('textbox', { name: 'Short name in pages' }).inputValue()).toBe('devis-ete');
  await select(page, 'Language of its texts', 'French');
  await page.getByRole('dialog').getByRole('button', { name: 'Create form' }).click();
  await page.getByRole('heading', { name: 'Devis été' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1)!;
  await add(page, 'Text', 'Nom');
  await add(page, 'E-mail address', 'Votre e-mail');
  await add(page, 'Telephone number', 'Téléphone');
  await add(page, 'Drop-down list', 'Sujet');
  const label = page.getByRole('textbox', { name: 'Label of the option' });
  await label.first().fill('Devis');
  await label.nth(1).fill('Autre');
  await page.keyboard.press('Tab');
  await add(page, 'Number', 'Budget');
  await select(page, 'Show this field', 'When all of these hold');
  await select(page, 'Field', 'Sujet');
  await page.getByText('Show “Budget” when “Sujet” is “Devis”.').waitFor();
  await add(page, 'Date', 'Pour quand');
  await select(page, 'Show this field', 'When all of these hold');
  await select(page, 'Field', 'Budget');
  await select(page, 'Comparison', 'is at least');
  await page.getByRole('textbox', { name: 'Value', exact: true }).fill('1000');
  await add(page, 'Long text', 'Message');
  await add(page, 'Consent', 'J’accepte');
  await picture({ page }, 'form-newcomer');
  await save(page);
  await page.getByRole('tab', { name: 'Translations' }).click();
  await page.getByRole('button', { name: 'Add a language' }).first().click();
  await page.getByRole('menuitem', { name: 'English' }).click();
  await page
    .getByRole('group', { name: 'Budget' })
    .getByRole('textbox', { name: 'Label' })
    .fill('Your budget');
  await save(page);
  const saved = await readForm(await owner(), id);
  expect(saved.fields.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
    ['nom', 'text'],
    ['votre_e_mail', 'email'],
    ['telephone', 'tel'],
    ['sujet', 'select'],
    ['budget', 'number'],
    ['pour_quand', 'date'],
    ['message', 'textarea'],
    ['j_accepte', 'consent'],
  ]);
  expect(saved.fields[4]).toMatchObject({
    visibility: { match: 'all', rules: [{ field: 'sujet', operator: 'equals', value: 'Devis' }] },
    translations: [{ locale: 'en', label: 'Your budget' }],
  });
  expect(saved.fields[5].visibility.rules).toEqual([{ field: 'budget', operator: 'gte', value: '1000' }]);
}

/** Makes the website of the served page, which is in English, and shows the form on it. */
async function makeWebsite(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Websites', exact: true }).click();
  await page.getByRole('link', { name: 'New website' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Jardins de Corse');
  await page.getByRole('textbox', { name: 'Address (https://…)' }).fill(`http://${served.host}/contact`);
  await page.getByRole('textbox', { name: 'Contact e-mail' }).fill('bureau@jardins.test');
  await page.getByRole('button', { name: 'Create the website' }).click();
  await page.getByText('No form is on this website.').waitFor();
  await page.getByRole('button', { name: /Add a form/ }).click();
  await page.getByRole('option', { name: 'Devis été' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
}

/** Puts the code of the tab Install into the page, and tests the website. */
async function install(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Install' }).click();
  const code = await page.locator('pre').filter({ hasText: 'data-website' }).first().textContent();
  served.answer.html = `<!doctype html><title>Contact</title>${code}`;
  await page.getByRole('button', { name: 'Test it' }).click();
  await page.getByText('Everything works.').waitFor();
}

type Labels = Readonly<{ topic: string; budget: string }>;

/** Submits the form as a visitor of the page, whose condition shows the budget. */
async function submit(page: Page, name: string, { topic, budget }: Labels): Promise<void> {
  await page.goto(`http://${served.host}/contact`);
  await page.getByLabel('Nom').fill(name);
  await page.getByLabel(topic).selectOption('Devis');
  await page.getByLabel(budget).fill('1200');
  await page.getByLabel('J’accepte').check();
  await page.getByRole('button').click();
  await page.getByRole('status').waitFor();
}

const emailAbout = (word: string) =>
  eventually(() => app().sink.messages.find(({ mail }) => mail.text?.includes(word))?.mail.text);

test('a newcomer makes a form in two languages, a website, tests it, and reads the e-mails of visitors', async () => {
  const { page, expectSafe } = await open('/', { as: 'owner@acme.test' });
  await makeForm(page);
  await makeWebsite(page);
  await install(page);

  const visitor = await page.context().newPage();
  await submit(visitor, 'Zoé Martin', { topic: 'Sujet', budget: 'Your budget' });
  expect(await emailAbout('Zoé Martin')).toMatch(/Your budget/);

  await page.getByRole('tab', { name: 'Settings' }).click();
  await select(page, 'Language', 'French');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  // The word may still be that of the form.
  const { website } = app().services.db.orm;
  await eventually(
    async () => (await website.findFirstOrThrow({ where: { name: 'Jardins de Corse' } })).locale === 'fr',
  );
  await submit(visitor, 'Ana Ruiz', { topic: 'Sujet', budget: 'Budget' });
  const french = await emailAbout('Ana Ruiz');
  expect(french).toMatch(/Budget/);
  expect(french).not.toMatch(/Your budget/);
  await expectSafe();
});
