import { beforeAll, describe, expect, test } from '@jest/globals';
import { provision, team, websiteId } from '../../support/factories.js';
import { recordedLeads } from '../../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../../support/panel.js';
import { LOOKS, MAX_WEIGHT, type Opened, panelTest, picture } from '../../support/panel-pages.js';

const { app, open } = panelTest();
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];

let owner: PanelClient;
let teamId: number;

beforeAll(async () => {
  const { services, url } = app();
  await provision(services, [team('acme')]);
  teamId = (await services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  await services.db.orm.user.update({ where: { email: OWNER }, data: { name: 'Olive Owner' } });
  owner = await loggedIn(url, services, OWNER);
});

const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { id }
}`;
const SAVE = `mutation ($id: ID!, $version: Int!, $input: FormInput!) {
  saveForm(id: $id, version: $version, input: $input) { id }
}`;

const email = { name: 'email', type: 'email', label: 'E-mail', isRequired: true };
const topic = {
  name: 'topic',
  type: 'select',
  label: 'Sujet',
  options: [
    { value: 'quote', label: 'Devis', translations: [{ locale: 'en', label: 'Quote' }] },
    { value: 'other', label: 'Autre' },
  ],
};
const budget = {
  name: 'budget',
  type: 'number',
  label: 'Budget',
  attributes: { min: '0' },
  visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
};
const first = {
  name: 'Demande',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  fields: [email, topic, budget],
  translations: [{ locale: 'en', submitButtonText: 'Send' }],
};
/** Much is different: texts, order, a type, an attribute, options, a condition, a language. */
const second = {
  ...first,
  name: 'Demande de devis',
  confirmationMessage: 'Merci.\nÀ bientôt.',
  recipients: ['devis@acme.test', 'bureau@acme.test'],
  recipientRules: [
    {
      when: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
      recipients: ['ventes@acme.test'],
    },
  ],
  fields: [
    {
      ...budget,
      label: 'Budget en €',
      attributes: { min: '100' },
      visibility: { match: 'any', rules: [{ field: 'topic', operator: 'in', value: ['quote', 'visit'] }] },
    },
    { ...email, label: 'Adresse e-mail', isRequired: false },
    {
      ...topic,
      type: 'radio',
      options: [
        { value: 'visit', label: 'Visite' },
        { value: 'quote', label: 'Un devis', translations: [{ locale: 'en', label: 'A quote' }] },
      ],
    },
    { name: 'message', type: 'textarea', label: 'Votre message' },
  ],
  translations: [{ locale: 'en', submitButtonText: 'Send it' }, { locale: 'de' }],
};

let serial = 0;
/** A form with two versions that differ in much, and a third with another name. */
async function threeVersions(): Promise<string> {
  serial += 1;
  const { createForm } = await owner.ask(CREATE, { teamId, slug: `form-${serial}`, input: first });
  const { id } = createForm;
  await owner.ask(SAVE, { id, version: 1, input: second });
  await owner.ask(SAVE, { id, version: 2, input: { ...second, name: 'Troisième' } });
  return id;
}

const openHistory = (id: string, search = '', options: Parameters<typeof open>[1] = {}) =>
  open(`/forms/${id}?tab=history${search}`, { as: OWNER, ...options });

const changes = ({ page }: Opened) => page.getByRole('table', { name: 'What differs' });

describe('the history of a form', () => {
  test('lists who saved which version, when and what it changed', async () => {
    const id = await threeVersions();
    const opened = await openHistory(id);
    const { page } = opened;
    const items = page.getByRole('list', { name: 'Versions' }).getByRole('listitem');
    await items.first().waitFor();
    const texts = await items.allInnerTexts();
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(/Version 3\s+present\s+Olive Owner · [\s\S]+Changed: Name/);
    expect(texts[1]).toMatch(
      /Changed: Name, Recipients, Recipients by answer, Message after submitting · 1\d more/,
    );
    expect(texts[2]).toContain('The form was created.');
    await opened.expectAccessible();
    expect(await opened.weight()).toBeLessThan(MAX_WEIGHT.page);
    await opened.expectSafe();
    await picture(opened, 'history-list');
  });

  test('says in words what a version changed, field by field, and what its fields were', async () => {
    const id = await threeVersions();
    const opened = await openHistory(id);
    const { page } = opened;
    await page.getByRole('link', { name: 'Version 2' }).click();
    await changes(opened).waitFor();
    const rows = (await changes(opened).getByRole('row').allInnerTexts()).map((row) =>
      row.split('\t').join(' | '),
    );
    expect(rows).toEqual([
      'What | Before | After',
      'The form itself',
      'Name | Demande | Demande de devis',
      expect.stringMatching(/^Recipients \| nothing \|\s+devis@acme.test\s+bureau@acme.test$/),
      'Recipients by answer | nothing | When “Sujet” is “Un devis”: ventes@acme.test',
      'Message after submitting | Merci. | Merci.\nÀ bientôt.',
      'Language German | no | yes',
      'Text of the button (English) | Send | Send it',
      expect.stringMatching(/^Budget en €\s*budget$/),
      'Place | place 3 | place 1',
      'Label | Budget | Budget en €',
      'Attribute min | 0 | 100',
      'Shown | when “Sujet” is “Devis” | when “Sujet” is “Un devis” or “Visite”',
      expect.stringMatching(/^Adresse e-mail\s*email$/),
      'Label | E-mail | Adresse e-mail',
      'Required | yes | no',
      expect.stringMatching(/^Sujet\s*topic$/),
      'Type | Drop-down list | Choice of one',
      'Added: Option “Visite” | nothing | Visite',
      'Option “Un devis” | Devis | Un devis',
      'Option “Un devis” (English) | Quote | A quote',
      'Deleted: Option “Autre” | Autre | nothing',
      expect.stringMatching(/^Votre message\s*message\s*Added$/),
      'Type | nothing | Long text',
    ]);
    const fields = page.getByRole('table').nth(1);
    expect(await fields.getByRole('row').count()).toBe(5);
    await opened.expectAccessible();
    await opened.expectSafe();
    await picture(opened, 'history-version');
  });

  test('compares any two versions by keyboard, as the address has it', async () => {
    const id = await threeVersions();
    const opened = await openHistory(id, '&version=3');
    const { page } = opened;
    await changes(opened).waitFor();
    expect(await changes(opened).getByRole('row').count()).toBe(3);
    await page.getByRole('button', { name: /^Version 2.*Before$/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^Version 1 / }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByText('1 difference', { exact: true }).waitFor({ state: 'hidden' });
    await changes(opened)
      .getByRole('row', { name: /^Name Demande Troisième/ })
      .waitFor();
    expect(new URL(page.url()).search).toBe('?tab=history&version=3&since=1');
    await page.getByRole('link', { name: 'All versions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Versions' }).waitFor();
    await page.goBack();
    await changes(opened)
      .getByRole('row', { name: /^Name Demande Troisième/ })
      .waitFor();
    await opened.expectSafe();
  });

  test('compares the first version with nothing', async () => {
    const opened = await openHistory(await threeVersions(), '&version=1');
    const { page } = opened;
    await page.getByText('The form was created.').waitFor();
    await page.getByRole('region', { name: 'Fields in this version' }).waitFor();
    expect(await page.getByRole('heading', { name: 'What differs' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Version 1/ }).count()).toBe(0);
    await opened.expectAccessible();
    await picture(opened, 'history-first');
  });

  test('says when a version is not kept', async () => {
    const id = await threeVersions();
    const { page, expectAccessible } = await openHistory(id, '&version=9');
    await page.getByText('Version 9 is not kept').waitFor();
    await expectAccessible();
  });

  test('says when the version to compare with is not kept', async () => {
    const id = await threeVersions();
    const { page } = await openHistory(id, '&version=3&since=9');
    await page.getByText('Version 9 is not kept').waitFor();
    expect(await page.getByText('Nothing differs.').count()).toBe(0);
  });

  test('shows earlier versions a page at a time', async () => {
    const id = await threeVersions();
    for (let version = 3; version < 23; version += 1) {
      await owner.ask(SAVE, { id, version, input: { ...second, name: `Name ${version}` } });
    }
    const { page } = await openHistory(id);
    const items = page.getByRole('list', { name: 'Versions' }).getByRole('listitem');
    await page.getByRole('button', { name: 'Show earlier versions' }).click();
    await items.nth(22).waitFor();
    expect(await items.count()).toBe(23);
    await page.getByText('The latest 500 versions are kept').waitFor();
  });
});

describe('restoring a version', () => {
  test('says first what it changes, and makes a new version that is edited from then on', async () => {
    const id = await threeVersions();
    const opened = await openHistory(id, '&version=1');
    const { page } = opened;
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1?' });
    await dialog.getByText('saved as version 4').waitFor();
    await dialog.getByRole('row', { name: /^Name Troisième Demande/ }).waitFor();
    await opened.expectAccessible();
    await picture(opened, 'history-restore');
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('The form is again what it was in version 1.').waitFor();
    const latest = page.getByRole('list', { name: 'Versions' }).getByRole('listitem').first();
    await latest.getByText('Version 4').waitFor();
    expect(await latest.innerText()).toContain('As in version 1 again.');
    await page.getByRole('heading', { name: 'Demande', exact: true, level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await opened.expectSafe();
  });

  test.each(LOOKS)('has its buttons in sight however much differs in %j', async (look) => {
    const fields = Array.from({ length: 100 }, (_, index) => ({
      ...email,
      name: `email${index}`,
      label: `${index}: ${'Adresse e-mail de la personne à prévenir '.repeat(3)}`,
    }));
    const id = await threeVersions();
    await owner.ask(SAVE, { id, version: 3, input: { ...first, fields } });
    const opened = await openHistory(id, '&version=1', look);
    const { page } = opened;
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('row').nth(100).waitFor();
    for (const name of ['Cancel', 'Restore']) {
      const { y, height } = (await dialog.getByRole('button', { name }).boundingBox())!;
      expect(y + height).toBeLessThan(look.viewport.height);
    }
    await opened.expectAccessible();
    await picture(opened, `history-restore-long-${look.colorScheme}-${look.viewport.width}`);
  });

  test('is refused in words when another has saved meanwhile', async () => {
    const id = await threeVersions();
    const { page } = await openHistory(id, '&version=1');
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table').waitFor();
    await owner.ask(SAVE, { id, version: 3, input: second });
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('alert').getByText('CONFLICT').waitFor();
    await dialog.getByText('saved as version 5').waitFor();
  });

  test('shows what it has made although its answer was lost', async () => {
    const id = await threeVersions();
    const { page } = await openHistory(id, '&version=1', { expected: /Failed to load/ });
    await page.getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table').waitFor();
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation restoreFormVersion(')) return route.fallback();
      await route.fetch();
      return route.abort();
    });
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText('The gateway cannot be reached.').waitFor();
    await dialog.getByText('Nothing differs.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true);
    await picture({ page }, 'history-restore-lost');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'All versions' }).click();
    const latest = page.getByRole('list', { name: 'Versions' }).getByRole('listitem').first();
    await latest.getByText('Version 4').waitFor();
  });

  test('tells the field at fault when it is no longer valid', async () => {
    const id = await threeVersions();
    await app().services.db.orm.$executeRaw`
      UPDATE form_snapshots
         SET content = jsonb_set(content, '{fields,0,attributes}', '{"onclick": "x"}')
       WHERE form_id = ${Number(id)} AND content->>'name' = 'Demande'`;
    const opened = await openHistory(id, '&version=1');
    await opened.page.getByRole('button', { name: 'Restore' }).click();
    const dialog = opened.page.getByRole('dialog');
    await dialog.getByRole('table').waitFor();
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('alert').getByText('E-mail: This attribute cannot be set.').waitFor();
    await opened.expectAccessible();
  });

  test('waits until what is edited is saved', async () => {
    const id = await threeVersions();
    const { page } = await open(`/forms/${id}`, { as: OWNER });
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByRole('menuitem').first().click();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('link', { name: 'Version 1' }).click();
    await page.getByText('Save what you have changed first').waitFor();
    expect(await page.getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true);
  });

  test('is not offered to a member, who sees the history', async () => {
    const id = await threeVersions();
    const opened = await openHistory(id, '&version=1&since=3', { as: MEMBER });
    await changes(opened).waitFor();
    expect(await opened.page.getByRole('button', { name: 'Restore' }).count()).toBe(0);
    await opened.expectSafe();
  });
});

test('a lead leads to the version that it was sent with, the present one too', async () => {
  const { services } = app();
  const { orm } = services.db;
  const site = await websiteId(services, 'www.acme.test');
  const [id] = await recordedLeads(services, site, 1);
  const { formId } = await orm.submission.findUniqueOrThrow({ where: { id: id! } });
  const { page } = await open(`/inbox/${id}`, { as: MEMBER });
  await page.getByRole('link', { name: '1, the present one' }).click();
  await page.getByRole('heading', { name: 'Version 1' }).waitFor();
  await page.goBack();
  await orm.form.update({ where: { id: formId }, data: { version: 2 } });
  await page.reload();
  await page.getByRole('link', { name: '1 of 2' }).click();
  await page.getByRole('heading', { name: 'Version 1' }).waitFor();
  await orm.submission.update({ where: { id: id! }, data: { formVersion: 7 } });
  await page.goto(`${app().url}/panel/inbox/${id}`);
  await page.getByText('7 of 2, which is not kept').waitFor();
});

describe.each(LOOKS)('in $colorScheme, $viewport.width wide', (look) => {
  test.each([
    ['fr', 'Ce qui diffère'],
    ['en', 'What differs'],
  ] as const)('the history fits and is accessible in %s', async (language, name) => {
    const id = await threeVersions();
    const as = `${language}-${look.colorScheme}-${look.viewport.width}@agency.test`;
    await createAccount(app().services, { email: as, staff: true });
    await app().services.db.orm.user.update({ where: { email: as }, data: { language } });
    const opened = await openHistory(id, '', { as, ...look });
    const label = `history-${language}-${look.colorScheme}-${look.viewport.width}`;
    await opened.page.getByRole('list', { name: 'Versions' }).waitFor();
    await opened.expectFits();
    await opened.expectAccessible();
    await picture(opened, `${label}-list`);
    await opened.page.getByRole('link', { name: 'Version 2' }).click();
    await opened.page.getByRole('table', { name }).waitFor();
    await opened.expectFits();
    await opened.expectAccessible();
    await picture(opened, `${label}-version`);
    await opened.expectSafe();
  });
});
