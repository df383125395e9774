import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provision, team } from '../../support/factories.js';
import { loggedIn } from '../../support/panel.js';
import { createForm, formInput, readForm } from '../../support/panel-forms.js';
import {
  hasFocus,
  LOOKS,
  MAX_WEIGHT,
  type Opened,
  panelTest,
  picture,
  pressTwice,
} from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const OWNER = { as: 'owner@acme.test' };
const OPTIONS = [
  { value: 'quote', label: 'Devis' },
  { value: 'urgent', label: 'Urgent' },
  { value: 'other', label: 'Autre' },
];
const FIELDS = [
  { name: 'name', label: 'Nom' },
  { name: 'email', type: 'email', label: 'E-mail', isRequired: true },
  { name: 'topic', type: 'select', label: 'Sujet', options: OPTIONS },
  { name: 'budget', type: 'number', label: 'Budget' },
];

beforeAll(async () => {
  await provision(app().services, [team('acme')]);
});

/** The page of a new form, with the fields above unless others are given. */
async function openForm(
  slug: string,
  {
    input = formInput(FIELDS, { name: slug }),
    search = '',
    ...options
  }: Parameters<typeof open>[1] & {
    input?: ReturnType<typeof formInput>;
    search?: string;
  } = {},
): Promise<Opened & { id: string }> {
  const id = await createForm(app(), slug, input);
  const opened = await open(`/forms/${id}${search}`, { ...OWNER, ...options });
  await opened.page.getByRole('grid').first().waitFor();
  return { ...opened, id };
}

const stored = async (id: string) =>
  readForm(await loggedIn(app().url, app().services, 'owner@acme.test'), id);

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
};

/** Chooses from a drop-down list of the page. */
async function select(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).last().click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

const fieldRow = (page: Page, name: string) =>
  page.getByRole('grid', { name: 'Fields' }).getByRole('row', { name });

describe('a long form', () => {
  const many = Array.from({ length: 40 }, (_, number) => ({
    name: `field${number}`,
    label: `Field ${number}`,
  }));

  test.each([1_280, 360])('is saved from anywhere in it, %i px wide', async (width) => {
    const { page, id } = await openForm(`long-${width}`, {
      input: formInput(many, { name: `long-${width}` }),
      viewport: { width, height: 740 },
    });
    await fieldRow(page, 'Field 0').click();
    const label = page.getByRole('textbox', { name: 'Label', exact: true });
    await label.fill('Other');
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    // Unlike a click of the test itself, which would scroll to it.
    const { x, y } = (await page.getByRole('button', { name: 'Save' }).boundingBox())!;
    await picture({ page }, `form-long-${width}`);
    await page.mouse.click(x + 5, y + 5);
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect((await stored(id)).fields[0]?.label).toBe('Other');
  });

  test('gives the focus to the field that takes its place in a narrow window, and back to its row', async () => {
    const { page } = await openForm('by-hand', { viewport: { width: 360, height: 740 } });
    await fieldRow(page, 'budget').focus();
    await page.keyboard.press('Enter');
    const back = page.getByRole('button', { name: 'All fields' });
    await eventually(() => hasFocus(back));
    await page.keyboard.press('Enter');
    await eventually(() => hasFocus(fieldRow(page, 'budget')));
  });

  test('is saved by Ctrl+S with what is being typed, which keeps the focus', async () => {
    const { page, id } = await openForm('by-key');
    await fieldRow(page, 'budget').click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('amount');
    await page.keyboard.press('ControlOrMeta+s');
    await eventually(async () =>
      (await stored(id)).fields.some((field: { name: string }) => field.name === 'amount'),
    );
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    await eventually(() => hasFocus(name));
  });
});

describe('fields', () => {
  test('say why their pattern is not enforced, until it is changed', async () => {
    // Such patterns are refused today: an earlier version saved them.
    const id = await createForm(app(), 'unenforced', formInput(FIELDS, { name: 'unenforced' }));
    await app().services.db.orm.formField.updateMany({
      where: { formId: Number(id), name: 'name' },
      data: { attributes: { pattern: '(?=.*[A-Z]).+' } },
    });
    const { page, expectAccessible } = await open(`/forms/${id}?field=name`, OWNER);
    const reason = page.getByText('(?=.*[A-Z])').and(page.locator('[slot=errorMessage]'));
    await reason.waitFor();
    expect(await page.getByRole('tab', { name: /Fields/ }).innerText()).toContain('1');
    await expectAccessible();
    await picture({ page }, 'form-unenforced-pattern');
    await page.getByRole('textbox', { name: 'Pattern' }).fill('[A-Z].+');
    await reason.waitFor({ state: 'detached' });
    await save(page);
  });

  test('are added, named after their label, and saved', async () => {
    const { page, id, expectSafe, expectAccessible } = await openForm('added');
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByRole('menuitem', { name: 'Drop-down list' }).click();
    await page.getByRole('textbox', { name: 'Label', exact: true }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Délai souhaité');
    await page.keyboard.press('Tab');
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe(
      'delai_souhaite',
    );
    const label = page.getByRole('textbox', { name: 'Label of the option' });
    await label.first().fill('Ce mois');
    await label.nth(1).fill('Plus tard');
    await page.getByRole('button', { name: 'Add option' }).click();
    await eventually(() => hasFocus(label.nth(2)));
    await page.keyboard.type('Jamais');
    await page.keyboard.press('Tab');
    await expectAccessible();
    await save(page);
    const { fields } = await stored(id);
    expect(fields.at(-1)).toMatchObject({
      name: 'delai_souhaite',
      label: 'Délai souhaité',
      type: 'select',
      options: ['Ce mois', 'Plus tard', 'Jamais'].map((text) => ({ value: text, label: text })),
    });
    await expectSafe();
  });

  test('keep the values of saved options when these get other labels', async () => {
    const opened = await openForm('relabelled', {
      input: formInput([
        { name: 'topic', type: 'select', label: 'Sujet', options: [{ value: 'Devis', label: 'Devis' }] },
      ]),
      search: '?field=topic',
      locale: 'fr-FR',
      ...LOOKS[2],
    });
    const { page, id, expectAccessible, expectFits } = opened;
    const label = page.getByRole('textbox', { name: 'Libellé du choix' });
    await page.getByText('Un choix enregistré garde sa valeur').waitFor();
    await label.fill('Demande de devis');
    await page.getByRole('button', { name: 'Ajouter un choix' }).click();
    await eventually(() => hasFocus(label.nth(1)));
    await page.keyboard.type('Urgent');
    await page.keyboard.press('Tab');
    const value = page.getByRole('textbox', { name: 'Valeur enregistrée' });
    expect(await value.nth(0).inputValue()).toBe('Devis');
    expect(await value.nth(1).inputValue()).toBe('Urgent');
    await expectAccessible();
    await expectFits();
    await picture(opened, 'form-option-kept-fr');
    await page.getByRole('button', { name: 'Enregistrer' }).click();
    await page.getByText('Enregistré', { exact: true }).waitFor();
    expect((await stored(id)).fields[0].options).toMatchObject([
      { value: 'Devis', label: 'Demande de devis' },
      { value: 'Urgent', label: 'Urgent' },
    ]);
  });

  test('get their options back that a key on the closed list of types has deleted', async () => {
    const opened = await openForm('retyped', { search: '?field=topic' });
    const { page, id } = opened;
    const type = page.getByRole('button', { name: 'Type', exact: false }).last();
    await type.focus();
    await page.keyboard.press('n');
    await page.getByText('3 options of Sujet are deleted.').waitFor();
    expect(await page.getByRole('grid', { name: 'Options' }).count()).toBe(0);
    await picture(opened, 'form-options-deleted');
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByRole('grid', { name: 'Options' }).getByRole('row', { name: 'Devis' }).waitFor();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect((await stored(id)).fields[2]).toMatchObject({ type: 'select', options: OPTIONS });
  });

  test('get back what another type does not have', async () => {
    const field = { name: 'name', label: 'Nom', isRequired: true, attributes: { maxlength: '40' } };
    const { page, id } = await openForm('less', { input: formInput([field]), search: '?field=name' });
    await page.getByRole('button', { name: 'Type', exact: false }).last().focus();
    await page.keyboard.press('h');
    await page.getByText('Nom loses what its new type does not have.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    expect((await stored(id)).fields).toMatchObject([field]);
  });

  test('get a deleted option back in its place, which mends what the gateway has refused', async () => {
    const visibility = { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] };
    const fields = FIELDS.map((field) => (field.name === 'budget' ? { ...field, visibility } : field));
    const { page, id } = await openForm('option', { input: formInput(fields), search: '?field=topic' });
    await page.getByRole('button', { name: 'Delete Devis' }).click();
    await page.getByText('The option Devis is deleted.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The form is not saved: 1 thing is to be mended.').waitFor();
    await page.getByRole('heading', { name: 'Budget' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await page.getByText('The form is not saved').waitFor({ state: 'detached' });
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Fields', exact: true }).waitFor();
    expect((await stored(id)).fields[2].options).toEqual(OPTIONS);
  });

  test('have every attribute of their type', async () => {
    const { page, id } = await openForm('attributes', { search: '?field=name' });
    const fill = (name: string, text: string) => page.getByRole('textbox', { name, exact: true }).fill(text);
    await page.getByRole('checkbox', { name: 'Must be filled in' }).check({ force: true });
    await fill('Text inside while it is empty', 'Camille Martin');
    await fill('Help text', 'Comme sur la carte');
    await fill('Fewest characters', '2');
    await fill('Most characters', '40');
    await fill('Pattern', '[^0-9]+');
    await select(page, 'Browsers fill in', 'The full name');
    await page.getByRole('button', { name: 'Another attribute of HTML' }).click();
    await fill('Attribute', 'data-kind');
    await fill('Value', 'person');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    await save(page);
    expect((await stored(id)).fields[0]).toMatchObject({
      isRequired: true,
      placeholder: 'Camille Martin',
      helpText: 'Comme sur la carte',
      attributes: {
        minlength: '2',
        maxlength: '40',
        pattern: '[^0-9]+',
        autocomplete: 'name',
        'data-kind': 'person',
      },
    });
  });

  test('keep another attribute whose value was cleared, without a blank in its place', async () => {
    const { page, id } = await openForm('cleared', { search: '?field=name' });
    const fill = (name: string, text: string) => page.getByRole('textbox', { name, exact: true }).fill(text);
    await page.getByRole('button', { name: 'Another attribute of HTML' }).click();
    await fill('Attribute', 'data-kind');
    await fill('Value', 'person');
    await page.getByRole('button', { name: 'Add attribute' }).click();
    const value = page.getByRole('textbox', { name: 'data-kind' });
    await value.fill('');
    expect(await value.inputValue()).toBe('');
    await value.pressSequentially(' a b');
    expect(await value.inputValue()).toBe('a b');
    await value.fill('');
    await save(page);
    expect((await stored(id)).fields[0]!.attributes).toEqual({ 'data-kind': '' });
    await page.getByRole('button', { name: 'Delete data-kind' }).click();
    await save(page);
    expect((await stored(id)).fields[0]!.attributes).toEqual({});
  });

  test('are moved by keyboard and by drag', async () => {
    const { page, id, expectSafe } = await openForm('moved');
    const firstRow = page.getByRole('grid').getByRole('row').first();
    await fieldRow(page, 'Nom').focus();
    await page.keyboard.press('ArrowRight');
    const focused = page.locator(':focus');
    await page.getByRole('button').and(focused).waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: /^Insert/ })
      .and(focused)
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await firstRow.filter({ hasText: 'E-mail' }).waitFor();
    await fieldRow(page, 'Budget').dragTo(fieldRow(page, 'E-mail'), {
      targetPosition: { x: 40, y: 2 },
    });
    await firstRow.filter({ hasText: 'Budget' }).waitFor();
    await save(page);
    const names = (await stored(id)).fields.map(({ name }: { name: string }) => name);
    expect(names[0]).toBe('budget');
    expect(names.indexOf('name')).toBeGreaterThan(names.indexOf('email'));
    await expectSafe();
  });

  test('are duplicated and deleted, with what depends on them, and brought back', async () => {
    const visibility = { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] };
    const fields = FIELDS.map((field) => (field.name === 'budget' ? { ...field, visibility } : field));
    const { page, id } = await openForm('deleted', { input: formInput(fields), search: '?field=topic' });
    await page.getByRole('button', { name: 'Duplicate' }).click();
    const heading = page.getByRole('heading', { name: 'Sujet' });
    await heading.waitFor();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await eventually(async () => (await name.inputValue()) === 'topic_2');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Sujet is deleted.').waitFor();
    await eventually(async () => (await fieldRow(page, 'Sujet').count()) === 1);
    await fieldRow(page, 'Sujet').click();
    await heading.waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const said = page.getByText('Sujet is deleted, and 1 condition that read it.');
    await said.waitFor();
    await eventually(async () => (await fieldRow(page, 'Sujet').count()) === 0);
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await fieldRow(page, 'Sujet').waitFor();
    await heading.waitFor();
    await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Votre sujet');
    await save(page);
    const saved = await stored(id);
    expect(saved.fields.map(({ name }: { name: string }) => name)).toEqual([
      'name',
      'email',
      'topic',
      'budget',
    ]);
    expect(saved.fields[3].visibility).toEqual(visibility);
  });
});

describe('a condition', () => {
  test('is built as a sentence', async () => {
    const { page, id, expectAccessible, ...opened } = await openForm('sentence', { search: '?field=budget' });
    await select(page, 'Show this field', 'When all of these hold');
    await select(page, 'Field', 'Sujet');
    await select(page, 'Comparison', 'is one of');
    await page.getByRole('checkbox', { name: 'Urgent' }).check({ force: true });
    await page.getByText('Show “Budget” when “Sujet” is “Devis” or “Urgent”.').waitFor();
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page
      .getByText('Show “Budget” when “Sujet” is “Devis” or “Urgent” and (“Nom” is filled in).')
      .waitFor();
    await expectAccessible();
    await picture({ page, ...opened } as Opened, 'form-condition');
    await save(page);
    expect((await stored(id)).fields[3].visibility).toEqual({
      match: 'all',
      rules: [
        { field: 'topic', operator: 'in', value: ['quote', 'urgent'] },
        { match: 'any', rules: [{ field: 'name', operator: 'is_not_empty' }] },
      ],
    });
  });

  test('comes back when a key on the closed list has chosen Always', async () => {
    const visibility = { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] };
    const fields = FIELDS.map((field) => (field.name === 'budget' ? { ...field, visibility } : field));
    const { page } = await openForm('always', { input: formInput(fields), search: '?field=budget' });
    const sentence = page.getByText('Show “Budget” when “Sujet” is “Devis”.');
    await sentence.waitFor();
    await page.getByRole('button', { name: 'Show this field' }).focus();
    await page.keyboard.press('a');
    await page.getByText('The condition of Budget is deleted.').waitFor();
    await sentence.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await sentence.waitFor();
    await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  });

  test('keeps its values when another field is edited', async () => {
    const isIn = (...cities: string[]) => ({
      match: 'all',
      rules: [{ field: 'name', operator: 'in', value: cities }],
    });
    const fields = [
      FIELDS[0]!,
      { name: 'north', label: 'Nord', visibility: isIn('Lille', 'Arras') },
      { name: 'south', label: 'Sud', visibility: isIn('Nice') },
    ];
    const { page, id } = await openForm('values', { input: formInput(fields), search: '?field=north' });
    const values = page.getByRole('textbox', { name: 'Value' });
    await values.fill('Lille\nArras\nDouai\n');
    await fieldRow(page, 'Sud').click();
    await page.getByRole('heading', { name: 'Sud' }).waitFor();
    expect(await values.inputValue()).toBe('Nice');
    await values.press('End');
    await values.pressSequentially('\nToulon');
    await save(page);
    const saved = (await stored(id)).fields;
    expect(saved[1].visibility).toEqual(isIn('Lille', 'Arras', 'Douai'));
    expect(saved[2].visibility).toEqual(isIn('Nice', 'Toulon'));
  });

  test('offers no field that depends on this one, and says at once what is wrong', async () => {
    const visibility = { match: 'all', rules: [{ field: 'budget', operator: 'gt', value: '5' }] };
    const fields = FIELDS.map((field) => (field.name === 'topic' ? { ...field, visibility } : field));
    const { page } = await openForm('circle', { input: formInput(fields), search: '?field=budget' });
    await select(page, 'Show this field', 'When all of these hold');
    await page.getByRole('button', { name: 'Field', exact: false }).last().click();
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Nom', 'E-mail']);
    await page.keyboard.press('Escape');
    await fieldRow(page, 'Sujet').click();
    await page.getByRole('textbox', { name: 'Value', exact: true }).fill('five');
    await page.getByText('“five” is not a value of this field.').waitFor();
    await page.getByRole('tab', { name: 'Fields: 1 to mend' }).waitFor();
  });
});

test('a fault that the gateway finds is shown at its field, which gets the focus', async () => {
  const { page, id, expectAccessible, ...opened } = await openForm('faulty', { search: '?field=name' });
  await page.getByRole('textbox', { name: 'Pattern' }).fill('(?<=a)b');
  await page.getByRole('textbox', { name: 'Link' }).fill('nowhere');
  await fieldRow(page, 'Budget').click();
  await page.getByRole('heading', { name: 'Budget' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The form is not saved: 1 thing is to be mended.').waitFor();
  await page.getByRole('heading', { name: 'Nom' }).waitFor();
  await page.locator('input[name=linkUrl]:focus').waitFor();
  expect(await page.getByText('Enter an address that begins with http').count()).toBe(2);
  await expectAccessible();
  await picture({ page, ...opened } as Opened, 'form-faults');
  await page.getByRole('textbox', { name: 'Link' }).fill('');
  await eventually(
    async () => (await page.getByText('Enter an address that begins with http').count()) === 0,
  );
  // The gateway reads the pattern once the rest is right.
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('input[name="attributes.pattern"]:focus').waitFor();
  await page.getByRole('tab', { name: 'Fields: 1 to mend' }).waitFor();
  await page.getByRole('textbox', { name: 'Pattern' }).fill('[ab]+');
  await save(page);
  expect((await stored(id)).version).toBe(2);
});

test('a refusal that names no field is shown, and the form can be saved again', async () => {
  const { page, id } = await openForm('refused', { search: '?field=name', expected: /status of 400/ });
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Prénom');
  await page.route('**/graphql', (route) => {
    if (!route.request().postData()?.includes('mutation saveForm(')) return route.fallback();
    const errors = [{ message: 'Too many values.', extensions: { code: 'BAD_USER_INPUT' } }];
    return route.fulfill({ status: 400, json: { errors } });
  });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('BAD_USER_INPUT').waitFor();
  await page.unroute('**/graphql');
  await save(page);
  expect((await stored(id)).fields[0].label).toBe('Prénom');
});

test('a label of white space is said to be missing', async () => {
  const { page } = await openForm('blank', { search: '?field=name' });
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill(' \u00a0');
  await page.getByRole('tab', { name: 'Fields: 1 to mend' }).waitFor();
  await page.getByText('Fill in this field.').waitFor();
});

test('a field without a label is not saved, and its label has the focus', async () => {
  const { page, id } = await openForm('nameless', { search: '?field=name' });
  const label = page.getByRole('textbox', { name: 'Label', exact: true });
  await label.fill('');
  await fieldRow(page, 'Budget').click();
  await page.getByRole('heading', { name: 'Budget' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Fill in this field.').waitFor();
  await page.getByRole('heading', { name: 'name', exact: true }).waitFor();
  await eventually(() => hasFocus(label));
  expect((await stored(id)).version).toBe(1);
  await label.fill('Votre nom');
  await save(page);
  expect(await stored(id)).toMatchObject({ version: 2, fields: [{ label: 'Votre nom' }, {}, {}, {}] });
});

test('a field that was stored without a label is said to miss it once the form is opened', async () => {
  const [name, ...others] = FIELDS;
  const { page } = await openForm('unnamed', { input: formInput([{ ...name!, label: '' }, ...others]) });
  await page.getByRole('tab', { name: 'Fields: 1 to mend' }).waitFor();
});

test('a double click on Save makes one version, after which nothing is left to save', async () => {
  const { page, id } = await openForm('twice', { search: '?field=name' });
  const before = (await stored(id)).version;
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Nom et prénom');
  await pressTwice(page.getByRole('button', { name: 'Save' }));
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect(await stored(id)).toMatchObject({
    version: before + 1,
    fields: [{ label: 'Nom et prénom' }, {}, {}, {}],
  });
});

test('a name that was just typed is saved by the first click on Save', async () => {
  const { page, id } = await openForm('renamed', { search: '?field=budget' });
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('amount');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect((await stored(id)).fields.map(({ name }: { name: string }) => name)).toContain('amount');
});

test('leaving with unsaved changes asks first', async () => {
  const { page } = await openForm('leaving', { search: '?field=name' });
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Prénom');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  expect(await page.getByRole('textbox', { name: 'Label', exact: true }).inputValue()).toBe('Prénom');
  await page.getByRole('link', { name: 'Inbox' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('searchbox', { name: 'Search' }).waitFor();
});

test('the address stays that of the form while Back asks, and Leave goes where Back would', async () => {
  const { page, id } = await openForm('back');
  await page.getByRole('link', { name: 'Forms' }).click();
  await page.getByRole('link', { name: 'back', exact: true }).click();
  await fieldRow(page, 'Nom').click();
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Prénom');
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  // To the form without the field, which loses nothing.
  await page.evaluate('history.back()');
  await page.getByText('Choose a field to edit it').waitFor();
  const goBack = async () => {
    await page.evaluate('history.back()');
    await asked.waitFor();
    await page.waitForURL(new RegExp(`/forms/${id}`));
  };
  await goBack();
  await asked.getByRole('button', { name: 'Stay' }).click();
  await fieldRow(page, 'Prénom').waitFor();
  await page.getByText('Not saved yet').waitFor();
  await goBack();
  await asked.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('button', { name: 'Create form' }).waitFor();
  await page.evaluate('history.forward()');
  await fieldRow(page, 'Nom').waitFor();
});

test('what is typed and taken back leaves nothing to save', async () => {
  const { page } = await openForm('taken-back', { search: '?field=name' });
  const unsaved = page.getByText('Not saved yet');
  const label = page.getByRole('textbox', { name: 'Label', exact: true });
  await label.fill('Prénom');
  await unsaved.waitFor();
  await label.fill('Nom');
  await unsaved.waitFor({ state: 'detached' });
  const name = page.getByRole('textbox', { name: 'Name', exact: true });
  await name.fill('first_name');
  await unsaved.waitFor();
  await name.fill('name');
  await unsaved.waitFor({ state: 'detached' });
  await name.fill('first_name');
  await unsaved.waitFor();
  await name.press('Escape');
  await unsaved.waitFor({ state: 'detached' });
  expect(await name.inputValue()).toBe('name');
});

test('a text that is too long is kept as it was pasted, and said to be so at once', async () => {
  const { page } = await openForm('long', { search: '?field=name' });
  const tooLong = page.getByText('This is longer than 500 characters.');
  const label = page.getByRole('textbox', { name: 'Label', exact: true });
  await label.fill('n'.repeat(501));
  await tooLong.waitFor();
  expect((await label.inputValue()).length).toBe(501);
  await label.fill('n'.repeat(500));
  await tooLong.waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Help text' }).fill('h'.repeat(5_001));
  await page.getByText('This is longer than 5,000 characters.').waitFor();
});

describe('two who edit one form', () => {
  const both = async (slug: string) => {
    const mine = await openForm(slug, { search: '?field=name' });
    const theirs = await open(`/forms/${mine.id}?field=budget`, { as: 'admin@acme.test' });
    await theirs.page.getByRole('textbox', { name: 'Label', exact: true }).waitFor();
    return { mine, theirs };
  };

  test('lose nothing when they change different things', async () => {
    const { mine, theirs } = await both('merged');
    await theirs.page.getByRole('textbox', { name: 'Label', exact: true }).fill('Votre budget');
    await save(theirs.page);
    await mine.page.getByRole('textbox', { name: 'Label', exact: true }).fill('Votre nom');
    await mine.page.getByRole('button', { name: 'Save' }).click();
    await mine.page.getByText('Saved, together with what was changed elsewhere').waitFor();
    await fieldRow(mine.page, 'Votre budget').waitFor();
    const { fields, version } = await stored(mine.id);
    expect([fields[0].label, fields[3].label, version]).toEqual(['Votre nom', 'Votre budget', 3]);
  });

  test('choose which holds where they change the same', async () => {
    const { mine, theirs } = await both('collided');
    await fieldRow(theirs.page, 'Nom').click();
    await theirs.page.getByRole('heading', { name: 'Nom', exact: true }).waitFor();
    await theirs.page.getByRole('textbox', { name: 'Label', exact: true }).fill('Nom et prénom');
    await theirs.page.getByRole('textbox', { name: 'Help text' }).fill('De leur part');
    await save(theirs.page);
    await mine.page.getByRole('textbox', { name: 'Label', exact: true }).fill('Votre nom');
    await mine.page.getByRole('checkbox', { name: 'Must be filled in' }).check({ force: true });
    await mine.page.getByRole('button', { name: 'Save' }).click();
    const dialog = mine.page.getByRole('dialog', { name: 'Changed elsewhere meanwhile' });
    await dialog.waitFor();
    await mine.expectAccessible();
    await picture(mine, 'form-meeting');
    await dialog.getByRole('radio', { name: /Nom et prénom/ }).check({ force: true });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await mine.page.getByText('Saved', { exact: true }).waitFor();
    expect((await stored(mine.id)).fields[0]).toMatchObject({
      label: 'Nom et prénom',
      helpText: 'De leur part',
      isRequired: true,
    });
    await mine.expectSafe();
  });
});

test('a row says whether its field must be filled in as a word of its own', async () => {
  const { page } = await openForm('apart');
  await page.getByRole('gridcell', { name: /E-mail required/ }).waitFor();
});

test('a member sees the fields and changes nothing', async () => {
  const visibility = {
    match: 'all',
    rules: [{ field: 'topic', operator: 'in', value: ['quote', 'urgent'] }],
  } as const;
  const [name, email, topic] = FIELDS;
  const input = formInput([{ ...topic!, attributes: { title: 'Sujet' } }, { ...name!, visibility }, email!]);
  const { page, expectAccessible } = await openForm('member', {
    as: 'member@acme.test',
    input,
    search: '?field=topic',
  });
  const panel = page.getByRole('region', { name: 'Field Sujet' });
  const label = panel.getByRole('textbox', { name: 'Label', exact: true });
  expect(await label.isDisabled()).toBe(true);
  for (const action of ['Save', 'Add field', 'Delete', 'Move Sujet']) {
    expect(await page.getByRole('button', { name: action, exact: true }).count()).toBe(0);
  }
  // A browser lets through what is done to the labels, rows and icons of disabled controls.
  await panel.getByText('Must be filled in').click({ force: true });
  expect(await panel.getByRole('checkbox', { name: 'Must be filled in' }).isChecked()).toBe(false);
  const option = (of: string) => panel.getByRole('row', { name: of });
  await option('Devis').dragTo(option('Autre'), { force: true });
  expect(await option('Devis').getAttribute('draggable')).not.toBe('true');
  await panel.getByRole('button', { name: 'Type' }).click({ force: true });
  expect(await page.getByRole('option').count()).toBe(0);
  await expectAccessible();
  await fieldRow(page, 'Nom').click();
  await page.getByText('Show “Nom” when “Sujet” is “Devis” or “Urgent”.').waitFor();
  expect(await page.getByRole('button', { name: 'Add a rule' }).count()).toBe(0);
  expect(await page.getByText('Not saved yet').count()).toBe(0);
});

test('a message is at the top of a narrow window, away from the buttons of a dialog', async () => {
  const { page } = await openForm('messages', { viewport: { width: 360, height: 740 } });
  await fieldRow(page, 'Budget').click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('Budget is deleted.').waitFor();
  const bar = (await page.getByRole('button', { name: 'Open the navigation' }).boundingBox())!;
  const shown = (await page.getByRole('alertdialog').boundingBox())!;
  expect(shown.y).toBeGreaterThan(bar.y + bar.height);
  expect(shown.y + shown.height).toBeLessThan(200);
});

describe.each(LOOKS)('as $viewport.width px in $colorScheme', (look) => {
  test('the page fits and is accessible', async () => {
    const opened = await openForm(`look-${look.viewport.width}-${look.colorScheme}`, {
      ...look,
      locale: 'fr-FR',
      search: '?field=topic',
    });
    const { page, expectFits, expectAccessible } = opened;
    await page.getByRole('heading', { name: 'Sujet' }).waitFor();
    await expectFits();
    await expectAccessible();
    await picture(opened, `form-fr-${look.viewport.width}-${look.colorScheme}`);
  });
});

test('the page is light, in French as well', async () => {
  const { weight } = await openForm('light', { locale: 'fr-FR' });
  expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
});

test('a keystroke among 200 fields changes the row of its field alone', async () => {
  const fields = Array.from({ length: 200 }, (_, index) => ({
    name: `field_${index}`,
    label: `Champ ${index}`,
  }));
  const { page } = await openForm('many', { input: formInput(fields), search: '?field=field_150' });
  const label = page.getByRole('textbox', { name: 'Label', exact: true });
  await fieldRow(page, 'Champ 150').waitFor();
  await label.focus();
  await page.evaluate(`
    window.delays = [];
    window.changed = new Set();
    const rowOf = (node) => (node.closest ? node : node.parentElement)?.closest('[role="row"]')?.dataset.key;
    new MutationObserver((changes) => {
      for (const { target } of changes) window.changed.add(rowOf(target));
    }).observe(document.querySelector('[role="grid"]'), { subtree: true, childList: true, characterData: true });
    document.activeElement.addEventListener('beforeinput', () => {
      const begin = performance.now();
      requestAnimationFrame(() => setTimeout(() => window.delays.push(performance.now() - begin)));
    });`);
  await page.keyboard.type('Un libellé plus long', { delay: 60 });
  await fieldRow(page, 'Un libellé plus long').waitFor();
  expect(await page.evaluate('[...window.changed]')).toEqual([expect.any(String)]);
  await eventually(async () => (await page.evaluate('window.delays.length')) === 20);
  const delays = ((await page.evaluate('window.delays')) as number[]).sort((a, b) => a - b);
  process.stdout.write(
    `A keystroke in a label among 200 fields: median ${delays[10]!.toFixed(1)} ms, slowest ${delays[19]!.toFixed(1)} ms\n`,
  );
});
