import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { contactForm, createToken, provision, team, website, websiteId } from '../../support/factories.js';
import { call } from '../../support/integrator.js';
import { hasFocus, LOOKS, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];

const topicIs = (value: string) => ({ match: 'all', rules: [{ field: 'topic', operator: 'equals', value }] });
const RULES = [
  { when: topicIs('quote'), recipients: ['sales@acme.test', 'director@acme.test'] },
  {
    when: {
      match: 'any',
      rules: [
        { field: 'budget', operator: 'gte', value: 10_000 },
        {
          match: 'all',
          rules: [
            { field: 'name', operator: 'contains', value: 'Hôtel' },
            { field: 'topic', operator: 'in', value: ['quote', 'other'] },
          ],
        },
      ],
    },
    recipients: ['a-rather-long-address-of-the-director@a-rather-long-domain-name.acme.test'],
  },
];

beforeAll(async () => {
  await provision(app().services, [
    team('acme', {
      forms: [
        contactForm({ recipients: ['desk@acme.test'] }),
        contactForm({ slug: 'ruled', name: 'Ruled', recipients: ['desk@acme.test'], recipient_rules: RULES }),
        contactForm({ slug: 'renamed', name: 'Renamed', recipient_rules: RULES }),
        contactForm({ slug: 'bare', name: 'Bare', fields: [], translations: {} }),
      ],
      websites: [website('www.acme.test', { forms: [{ slug: 'contact' }, { slug: 'ruled' }] })],
    }),
  ]);
});

const formId = async (slug: string): Promise<number> =>
  (await app().services.db.orm.form.findFirstOrThrow({ where: { slug } })).id;

const rulesOf = async (slug: string) =>
  (await app().services.db.orm.form.findFirstOrThrow({ where: { slug } })).recipientRules;

const saved = async (page: Page) => {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
};

const rule = (page: Page, number: number) => page.getByRole('group', { name: `Recipient rule ${number}` });

/** Submits a lead and returns its id once its e-mail is sent. */
async function mailedLead(form: string, values: object): Promise<string> {
  const site = await websiteId(app().services, 'www.acme.test');
  const token = await createToken(app().services, 'acme', OWNER);
  const body = { email: 'visitor@example.test', ...values };
  const answer = await call(app().url, 'POST', `/websites/${site}/forms/${form}/submit`, { token, body });
  const { lead_id: id } = answer.body as { lead_id: string };
  await eventually(async () => {
    const { state } = await app().services.db.orm.notification.findUniqueOrThrow({
      where: { submissionId: id },
    });
    return state === 'sent';
  });
  return id;
}

describe('recipients by answer', () => {
  test('are written with the keyboard, said in a sentence, saved, and reach their desk', async () => {
    const { page, expectSafe, expectAccessible } = await open(
      `/forms/${await formId('contact')}?tab=websites`,
      {
        as: OWNER,
      },
    );
    const add = page.getByRole('button', { name: 'Add recipients by answer' });
    await add.focus();
    await page.keyboard.press('Enter');
    const first = rule(page, 1);
    const field = first.getByRole('button', { name: /Field/ });
    await eventually(() => hasFocus(field));
    await page.keyboard.press('Enter');
    await page.getByRole('listbox').waitFor();
    await page.keyboard.press('S');
    await page.keyboard.press('Enter');
    await first.getByText('When “Sujet” is “Devis”, to …').waitFor();
    await first.getByRole('textbox', { name: 'Send the e-mail to' }).focus();
    await page.keyboard.type('sales@acme.test');
    await page.keyboard.press('Enter');
    await page.keyboard.type('director@acme.test');
    await first.getByText('When “Sujet” is “Devis”, to sales@acme.test, director@acme.test.').waitFor();
    await expectAccessible();
    await saved(page);
    expect(await rulesOf('contact')).toEqual([
      { when: topicIs('quote'), recipients: ['sales@acme.test', 'director@acme.test'] },
    ]);

    await eventually(async () => {
      const id = await mailedLead('contact', { topic: 'quote' });
      const { recipients } = await app().sink.waitFor(({ raw }) => raw.includes(id));
      return recipients.join() === 'sales@acme.test,director@acme.test';
    });
    await page.getByRole('button', { name: 'Delete recipient rule 1' }).focus();
    await page.keyboard.press('Enter');
    await first.waitFor({ state: 'detached' });
    await eventually(() => hasFocus(add));
    await saved(page);
    expect(await rulesOf('contact')).toEqual([]);
    await expectSafe();
  });

  test('that the gateway refuses are said at their field', async () => {
    const { page } = await open(`/forms/${await formId('ruled')}?tab=websites`, { as: OWNER });
    const to = rule(page, 1).getByRole('textbox', { name: 'Send the e-mail to' });
    await to.fill('sales@acme.test\nnobody');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await rule(page, 1)
      .getByText(/^nobody: /)
      .waitFor();
    expect(await to.getAttribute('aria-invalid')).toBe('true');
    await to.fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await rule(page, 1).getByText('Add an address at least.').waitFor();
    const budget = rule(page, 2).getByRole('textbox', { name: 'Value' }).first();
    await budget.fill('much');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => (await budget.getAttribute('aria-invalid')) === 'true');
    const message = await budget.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${message?.split(' ').at(-1)}"]`).innerText()).toContain('much');
    await picture({ page }, 'rule-fault');
    expect(await rulesOf('ruled')).toEqual(RULES);
  });

  test('follow a field that is renamed', async () => {
    const { page } = await open(`/forms/${await formId('renamed')}?field=topic`, { as: OWNER });
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('subject');
    await page.keyboard.press('Tab');
    await page.getByRole('tab', { name: 'Websites' }).click();
    await rule(page, 1).getByText('When “Sujet” is “Devis”').waitFor();
    await saved(page);
    expect(await rulesOf('renamed')).toEqual(
      JSON.parse(JSON.stringify(RULES).replaceAll('"topic"', '"subject"')),
    );
  });

  test('go with the field that they read, and come back with it', async () => {
    const { page } = await open(`/forms/${await formId('ruled')}?field=topic`, { as: OWNER });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('tab', { name: 'Websites' }).click();
    await page.getByRole('button', { name: 'Add recipients by answer' }).waitFor();
    await rule(page, 2).waitFor({ state: 'detached' });
    expect(await page.getByText('“Sujet” is').count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await rule(page, 1).getByText('When “Sujet” is “Devis”').waitFor();
    await rule(page, 2).waitFor();
  });

  test('are sentences to a member, who may not change them', async () => {
    const { page, expectAccessible } = await open(`/forms/${await formId('ruled')}?tab=websites`, {
      as: MEMBER,
    });
    await page.getByText('When “Sujet” is “Devis”, to sales@acme.test, director@acme.test.').waitFor();
    expect(await page.getByRole('button', { name: /Add recipients|Delete recipient rule/ }).count()).toBe(0);
    await page.getByText('desk@acme.test', { exact: true }).waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    await expectAccessible();
  });

  test('need a field to read', async () => {
    const { page } = await open(`/forms/${await formId('bare')}?tab=websites`, { as: OWNER });
    await page.getByText('A rule reads a field, and this form has none.').waitFor();
  });

  test.each(LOOKS)('can be read in every look: $colorScheme, $viewport.width px', async (look) => {
    const path = `/forms/${await formId('ruled')}?tab=websites`;
    for (const locale of ['en-GB', 'fr-FR']) {
      const opened = await open(path, { as: OWNER, locale, ...look });
      await opened.page.getByText('director@acme.test').first().waitFor();
      await opened.expectFits();
      await opened.expectAccessible();
      await picture(opened, `rules-${locale}-${look.colorScheme}-${look.viewport.width}`);
    }
  });
});

test('a form on a website has rules of its own, which are kept with its other settings', async () => {
  const site = await websiteId(app().services, 'www.acme.test');
  const form = await formId('ruled');
  const { page, expectSafe, expectAccessible, expectFits } = await open(
    `/websites/${site}?tab=forms&placement=${form}`,
    { as: OWNER, ...LOOKS[2] },
  );
  await page.getByText('Without a rule here, those of the form count.').waitFor();
  await page.getByRole('button', { name: 'Add recipients by answer' }).click();
  const to = rule(page, 1).getByRole('textbox', { name: 'Send the e-mail to' });
  await to.fill('site');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await rule(page, 1)
    .getByText(/^site: /)
    .waitFor();
  await to.fill('site@acme.test');
  await rule(page, 1)
    .getByText(/^site.*: /)
    .waitFor({ state: 'detached' });
  await expectAccessible();
  await expectFits();
  await picture({ page }, 'rules-placement');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await rule(page, 1).waitFor({ state: 'detached' });
  const stored = () =>
    app().services.db.orm.placement.findFirstOrThrow({ where: { websiteId: site, formId: form } });
  const rules = [
    {
      when: { match: 'all', rules: [{ field: 'name', operator: 'is_not_empty' }] },
      recipients: ['site@acme.test'],
    },
  ];
  expect((await stored()).recipientRules).toEqual(rules);

  await page.goto(`${app().url}/panel/websites/${site}?tab=forms&placement=${form}`);
  await rule(page, 1).getByText('When “Nom” is filled in, to site@acme.test.').waitFor();
  await page.getByRole('textbox', { name: 'CSS selector' }).fill('#form');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await rule(page, 1).waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ cssSelector: '#form', recipientRules: rules });
  await app().services.db.orm.placement.updateMany({ data: { recipientRules: [] } });
  await expectSafe();
});

describe('rules of a form on a website that it has by itself', () => {
  const setRules = async (recipientRules: object[]) =>
    app().services.db.orm.placement.updateMany({
      where: { formId: await formId('ruled') },
      data: { recipientRules },
    });

  test.each(['en-GB', 'fr-FR'])('are told on the pages of both, in %s', async (locale) => {
    const isFrench = locale === 'fr-FR';
    const own = isFrench ? '2 règles de destinataires propres' : '2 recipient rules of its own';
    await setRules(RULES);
    const ofForm = await open(`/forms/${await formId('ruled')}?tab=websites`, { as: OWNER, locale });
    await ofForm.page.getByRole('cell', { name: own }).waitFor();
    const hint = isFrench ? 'ou à ceux de son site s’il en a de propres' : 'or to those of its website';
    await ofForm.page.getByText(hint).waitFor();
    await ofForm.expectAccessible();
    await picture(ofForm, `rules-own-form-${locale}`);
    const site = await websiteId(app().services, 'www.acme.test');
    const ofSite = await open(`/websites/${site}?tab=forms`, { as: OWNER, locale, ...LOOKS[2] });
    await ofSite.page.getByText(own).waitFor();
    await ofSite.expectFits();
    await picture(ofSite, `rules-own-website-${locale}`);
    await setRules([]);
  });

  test.each([
    ['en-GB', 'The form no longer has the option “gone” of this rule'],
    ['fr-FR', 'Le formulaire n’a plus le choix « gone » de cette règle'],
  ])('are told to have lost an option, in %s', async (locale, words) => {
    await setRules([{ when: topicIs('gone'), recipients: ['site@acme.test'] }]);
    const site = await websiteId(app().services, 'www.acme.test');
    const path = `/websites/${site}?tab=forms&placement=${await formId('ruled')}`;
    const opened = await open(path, { as: OWNER, locale });
    await opened.page.getByText(words).waitFor();
    await opened.expectAccessible();
    await picture(opened, `rules-lost-option-${locale}`);
    await setRules([]);
  });
});

describe('rules of a form on a website, before they are saved', () => {
  const openPlacement = async (options: Parameters<typeof open>[1] = {}) => {
    const site = await websiteId(app().services, 'www.acme.test');
    return open(`/websites/${site}?tab=forms&placement=${await formId('ruled')}`, { as: OWNER, ...options });
  };
  const draftRule = async (page: Page, to: string) => {
    await page.getByRole('button', { name: 'Add recipients by answer' }).click();
    await rule(page, 1).getByRole('textbox', { name: 'Send the e-mail to' }).fill(to);
  };
  const send = async (page: Page, name: string) => {
    const form = page.frameLocator('iframe').locator('form');
    await form.getByLabel('Nom').fill(name);
    await form.getByLabel('E-mail').fill('zoe@x.test');
    await form.getByRole('button').click();
  };

  test('can be tried by a submission that records nothing', async () => {
    const opened = await openPlacement({ expected: /status of 400/ });
    const { page, expectSafe, expectAccessible } = opened;
    const before = await app().services.db.orm.submission.count();
    await draftRule(page, 'draft@acme.test');
    await page.getByRole('textbox', { name: 'Confirmation message' }).fill('À demain.');
    const test = page.getByRole('button', { name: 'Test this draft' });
    await test.focus();
    await page.keyboard.press('Enter');
    expect(await hasFocus(test)).toBe(true);
    await send(page, 'Zoé');
    await page.frameLocator('iframe').getByText('À demain.').waitFor();
    const chosen = /^draft@acme\.test\s*by rule 1 of this website: “Nom” is filled in/;
    await page.getByRole('listitem').filter({ hasText: chosen }).waitFor();
    await expectAccessible();
    await picture(opened, 'placement-test');

    const to = rule(page, 1).getByRole('textbox', { name: 'Send the e-mail to' });
    await to.fill('nobody');
    await page.getByText('The draft has a fault, so the preview shows it as it was before.').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /^Recipient rule 1 · Enter / })
      .waitFor();
    await to.fill('other@acme.test');
    await page.getByText('The draft has a fault').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Start again' }).click();
    await send(page, 'Zoé');
    await page
      .getByRole('listitem')
      .filter({ hasText: /^other@acme\.test\s*by rule 1/ })
      .waitFor();
    expect(await app().services.db.orm.submission.count()).toBe(before);
    const placements = app().services.db.orm.placement;
    expect(await placements.count({ where: { recipientRules: { not: [] } } })).toBe(0);
    await expectSafe();
  });

  test.each(LOOKS)('fit the page: $colorScheme, $viewport.width px', async (look) => {
    const opened = await openPlacement({ locale: 'fr-FR', ...look });
    const { page } = opened;
    await page.getByRole('button', { name: 'Tester ce brouillon' }).click();
    await send(page, 'Hôtel du Port');
    await page.getByText('L’e-mail irait à :').waitFor();
    await opened.expectFits();
    await opened.expectAccessible();
    await picture(opened, `placement-test-fr-${look.colorScheme}-${look.viewport.width}`);
  });
});

test('the timeline of a lead names the rule that chose each recipient', async () => {
  const id = await mailedLead('ruled', { name: 'Hôtel du Port', topic: 'quote' });
  const { page, expectSafe, expectAccessible } = await open(`/inbox/${id}`, { as: MEMBER });
  const sales = page.getByRole('listitem').filter({ hasText: 'sales@acme.test' });
  await sales.getByText('By rule 1 of the form: when “Sujet” is “Devis”.').first().waitFor();
  await page.getByText('By rule 2 of the form: when “Budget” is at least “10000” or').first().waitFor();
  await expectAccessible();
  await picture({ page }, 'rules-lead');
  await expectSafe();
  const french = await open(`/inbox/${id}`, { as: MEMBER, locale: 'fr-FR', ...LOOKS[2] });
  await french.page.getByText('Par la règle 1 du formulaire : quand').first().waitFor();
  await french.expectFits();
  await picture(french, 'rules-lead-fr');
});
