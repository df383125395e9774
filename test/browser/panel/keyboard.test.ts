import { beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { provision, team, website } from '../../support/factories.js';
import { loggedIn } from '../../support/panel.js';
import { createForm, formInput, readForm } from '../../support/panel-forms.js';
import { hasFocus, panelTest } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const OWNER = 'owner@acme.test';

beforeAll(async () => {
  await provision(app().services, [
    team('acme', { websites: ['one', 'two', 'three'].map((name) => website(`${name}.acme.test`)) }),
  ]);
});

/** Whether the page shows what has the focus: it is in the window, and it or the box that it stands for is outlined. */
const FOCUS_IS_SEEN = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return false;
  const { top, bottom } = element.getBoundingClientRect();
  const boxes = [element, ...(element.closest('label')?.children ?? [])].map((box) => getComputedStyle(box));
  const isOutlined = boxes.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px');
  return isOutlined && bottom > 0 && top < innerHeight;
})()`;

/** Waits until the page shows what has the focus: a list moves it on once it has rendered. */
const focusIsSeen = (page: Page) => eventually(() => page.evaluate(FOCUS_IS_SEEN));

/** Types into what has the focus, in place of what it holds. */
async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(text);
}

/** Presses Tab, or the other way round, until a control has the focus; fails where the page does not show the focus. */
async function tabTo(control: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = control.page();
  await control.waitFor();
  for (let steps = 0; !(await hasFocus(control)); steps += 1) {
    if (steps === 80) throw new Error(`${control} is not reached.`);
    await page.keyboard.press(key);
    await focusIsSeen(page);
  }
}

/** Presses keys, one after the other, and waits until a control has the focus that the page shows. */
async function pressTo(control: Locator, ...keys: string[]): Promise<void> {
  for (const key of keys) await control.page().keyboard.press(key);
  await eventually(() => hasFocus(control));
  await focusIsSeen(control.page());
}

const button = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true });

test('fields and their options are added, ordered and deleted by keyboard', async () => {
  const input = formInput([{ name: 'name', label: 'Nom' }]);
  const id = await createForm(app(), 'keys', input);
  const { page } = await open(`/forms/${id}`, { as: OWNER });
  const stored = async () => (await readForm(await loggedIn(app().url, app().services, OWNER), id)).fields;
  const label = page.getByRole('textbox', { name: 'Label', exact: true });
  const optionLabel = (place: number) =>
    page.getByRole('textbox', { name: 'Label of the option' }).nth(place - 1);

  const add = button(page, 'Add field');
  await tabTo(add);
  await pressTo(page.getByRole('menuitem').first(), 'Enter');
  await pressTo(add, 'Escape');
  await pressTo(page.getByRole('menuitem').first(), 'Space');
  await pressTo(page.getByRole('menuitem', { name: 'Drop-down list' }), ...'Drop');
  await pressTo(label, 'Enter');
  await type(page, 'Sujet');
  await pressTo(page.getByRole('textbox', { name: 'Name', exact: true }), 'Tab');
  await page.getByRole('heading', { name: 'Sujet' }).waitFor();

  await tabTo(optionLabel(1));
  await type(page, 'Devis');
  // Within the list arrows lead from row to row, and Tab through a row.
  const option = page.getByRole('grid', { name: 'Options' }).getByRole('row');
  await tabTo(option.first(), 'Shift+Tab');
  await pressTo(option.nth(1), 'ArrowDown');
  await tabTo(optionLabel(2));
  await type(page, 'Panne');
  await tabTo(button(page, 'Add option'));
  await pressTo(optionLabel(3), 'Enter');
  await type(page, 'Autre');
  const move = button(page, 'Move Autre');
  const place = page.getByRole('button', { name: /^Insert/ });
  await tabTo(move, 'Shift+Tab');
  await pressTo(place.last(), 'Enter');
  await pressTo(move, 'Escape');
  await pressTo(place.last(), 'Enter');
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
  await eventually(async () => (await optionLabel(1).inputValue()) === 'Autre');
  await eventually(() => hasFocus(option.first()));
  await pressTo(option.last(), 'ArrowDown', 'ArrowDown');
  await tabTo(button(page, 'Delete Panne'));
  await pressTo(option.last(), 'Enter');

  const save = button(page, 'Save');
  await tabTo(save, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  await eventually(() => hasFocus(save));
  await focusIsSeen(page);
  expect(await save.isDisabled()).toBe(true);
  expect((await stored()).map(({ label }: { label: string }) => label)).toEqual(['Nom', 'Sujet']);
  expect((await stored())[1].options.map(({ label }: { label: string }) => label)).toEqual([
    'Autre',
    'Devis',
  ]);

  const row = page.getByRole('grid', { name: 'Fields' }).getByRole('row');
  await tabTo(row.filter({ hasText: 'Sujet' }));
  await pressTo(button(page, 'Move Sujet'), 'ArrowRight');
  await pressTo(place.last(), 'Enter');
  await pressTo(place.first(), 'Home');
  await page.keyboard.press('Enter');
  await row.first().filter({ hasText: 'Sujet' }).waitFor();
  await focusIsSeen(page);

  const remove = button(page, 'Delete');
  await tabTo(remove);
  await page.keyboard.press('Enter');
  await page.getByText('Sujet is deleted.').waitFor();
  // Not at the same button of the next field, which a second Enter would delete.
  await eventually(() => hasFocus(page.getByRole('heading', { name: 'Nom' })));
  await tabTo(remove);
  await pressTo(add, 'Enter');
  await tabTo(save, 'Shift+Tab');
});

test('chosen websites are edited together by keyboard', async () => {
  const { page } = await open('/websites', { as: OWNER });
  const chosen = page.getByRole('checkbox', { name: /^Select (one|two)/ });
  for (const box of [chosen.first(), chosen.last()]) {
    await tabTo(box);
    await pressTo(box, 'Space');
  }
  const edit = button(page, 'Edit together…');
  await tabTo(edit, 'Shift+Tab');
  const dialog = page.getByRole('dialog', { name: 'Edit 2 websites' });
  await page.keyboard.press('Enter');
  await tabTo(dialog.getByRole('button', { name: /Language/ }));
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await eventually(() => hasFocus(edit));

  await page.keyboard.press('Enter');
  const language = dialog.getByRole('button', { name: /Language/ });
  await tabTo(language);
  await page.keyboard.press('Enter');
  await pressTo(page.getByRole('option', { name: 'German' }), ...'Ger');
  await pressTo(language, 'Enter');
  const replace = dialog.getByRole('checkbox', { name: 'Replace the departments' });
  await tabTo(replace);
  await pressTo(replace, 'Space');
  const departments = dialog.getByRole('button', { name: /Departments/ });
  await tabTo(departments);
  await pressTo(page.getByRole('searchbox', { name: 'Search', exact: true }), 'Enter');
  await page.keyboard.insertText('rhône');
  await page.getByRole('option', { name: /^69 / }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  // The first one clears the search.
  await pressTo(departments, 'Escape', 'Escape');
  await tabTo(button(dialog, 'Change 2 websites'));
  await pressTo(page.getByRole('checkbox', { name: 'Select all that are shown' }), 'Enter');
  await page.getByText('2 of 2 are changed.').waitFor();
  const { db } = app().services;
  const edited = { locale: 'de', departments: { some: { departmentCode: '69' } } };
  expect(await db.orm.website.count({ where: edited })).toBe(2);
});

test('websites are imported by keyboard, from the file or the pasted rows to the list', async () => {
  const { page } = await open('/websites/import', { as: OWNER });
  const chooser = page.waitForEvent('filechooser');
  const csv = (host: string) =>
    `name,host,url,locale,email\nFour,${host},https://four.acme.test,fr,a@acme.test`;
  const file = page.getByLabel('File (CSV)');
  await tabTo(file);
  await page.keyboard.press('Enter');
  const buffer = Buffer.from(csv('four .acme.test'));
  await (await chooser).setFiles({ name: 'sites.csv', mimeType: 'text/csv', buffer });
  const check = button(page, 'Check');
  await eventually(async () => !(await check.isDisabled()));
  expect(await hasFocus(file)).toBe(true);
  await tabTo(check);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /^Row 2 host/ }).waitFor();
  expect(await hasFocus(check)).toBe(true);
  // The table of faults can be scrolled.
  await tabTo(page.getByRole('region', { name: '1 fault' }));

  await tabTo(page.getByRole('textbox', { name: 'Or paste the rows' }), 'Shift+Tab');
  await type(page, csv('four.acme.test'));
  await tabTo(check);
  await page.keyboard.press('Enter');
  const create = button(page, 'Create 1 website');
  await tabTo(create);
  await page.keyboard.press('Enter');
  await page.getByText('1 website is created.').waitFor();
  await page.getByRole('row', { name: /Four four\.acme\.test/ }).waitFor();
  // A new page is read from its beginning.
  await eventually(() => hasFocus(page.getByRole('main')));
  await tabTo(page.getByRole('link', { name: 'Import websites' }));
});

test('what a press removes, with the button that was pressed, leaves the focus to the page', async () => {
  const { page } = await open('/websites', { as: OWNER });
  await page.getByRole('link', { name: 'two.acme.test' }).click();
  await page.getByRole('tab', { name: 'Forms' }).click();
  await tabTo(button(page, 'Remove Contact'));
  await page.keyboard.press('Enter');
  const remove = button(page.getByRole('dialog'), 'Remove');
  await tabTo(remove);
  await page.keyboard.press('Enter');
  await button(page, 'Remove Contact').waitFor({ state: 'detached' });
  await eventually(() => hasFocus(page.getByRole('main')));

  await loggedIn(app().url, app().services, OWNER);
  await page.goto(`${app().url}/panel/account`);
  const end = page.getByRole('button', { name: /^End the session/ }).first();
  await tabTo(end);
  const sessions = await page.getByRole('button', { name: /^End the session/ }).count();
  await page.keyboard.press('Enter');
  await eventually(
    async () => (await page.getByRole('button', { name: /^End the session/ }).count()) < sessions,
  );
  await eventually(() => hasFocus(page.getByRole('main')));
});

test.each([
  { tab: 'tokens', create: 'Create token', field: 'Name', text: 'CRM' },
  { tab: 'webhooks', create: 'Create a webhook', field: 'Address', text: 'https://hooks.example.com/leads' },
])(
  'what is created in $tab and shown once gives the focus back to the button',
  async ({ tab, create, field, text }) => {
    const { id } = await app().services.db.orm.team.findFirstOrThrow();
    const { page } = await open(`/teams/${id}?tab=${tab}`, { as: OWNER });
    const dialog = page.getByRole('dialog');
    await tabTo(button(page.getByRole('main'), create));
    await pressTo(dialog.getByRole('textbox', { name: field, exact: true }), 'Enter');
    await page.keyboard.insertText(text);
    await page.keyboard.press('Enter');
    const kept = button(dialog, 'I have kept it');
    await kept.waitFor();
    await eventually(() => hasFocus(dialog));
    await tabTo(kept);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await eventually(() => hasFocus(button(page, create)));
  },
);

test('a page without a login keeps the focus when its form gives way to the answer', async () => {
  const { page } = await open('/reset');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(OWNER);
  await page.keyboard.press('Enter');
  const main = page.getByRole('main');
  await main.getByRole('status').waitFor();
  await eventually(() => hasFocus(main));
});

/** Whether nothing, such as a bar that stays in view, lies over what has the focus. */
const FOCUS_IS_UNCOVERED = `(() => {
  const element = document.activeElement;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const found = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
  return found !== null && (element.contains(found) || found.contains(element));
})()`;

test('in a narrow window nothing that gets the focus is hidden by the bar', async () => {
  const { page } = await open('/websites', { as: OWNER, viewport: { width: 360, height: 640 } });
  await page.getByRole('link', { name: 'two.acme.test' }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  const first = page.getByRole('textbox', { name: 'Name', exact: true });
  await first.waitFor();
  await page.getByRole('textbox').last().focus();
  for (let steps = 0; !(await hasFocus(first)); steps += 1) {
    if (steps === 80) throw new Error('The first field is not reached.');
    await page.keyboard.press('Shift+Tab');
    await eventually(() => page.evaluate(FOCUS_IS_UNCOVERED));
  }
});
