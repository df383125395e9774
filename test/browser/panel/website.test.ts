import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { contactForm, provision, team, website, websiteId } from '../../support/factories.js';
import { recordedLeads } from '../../support/leads.js';
import { createAccount } from '../../support/panel.js';
import {
  comeBack,
  hasFocus,
  holdBack,
  LOOKS,
  MAX_WEIGHT,
  panelTest,
  picture,
  pressTwice,
} from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const [STAFF, OWNER, ADMIN, MEMBER] = [
  'staff@agency.test',
  'owner@acme.test',
  'admin@acme.test',
  'member@acme.test',
];
const ids: Record<string, string> = {};

const HOSTS = ['www', 'edit', 'forms', 'colours', 'off', 'gone', 'busy', 'key', 'shared'].map(
  (name) => `${name}.acme.test`,
);

beforeAll(async () => {
  const { services } = app();
  await provision(services, [
    team('acme', {
      forms: [contactForm(), contactForm({ slug: 'quote', name: 'Devis', recipients: ['sales@acme.test'] })],
      websites: HOSTS.map((host) => website(host)),
    }),
    team('globex'),
    team('stopped'),
  ]);
  await services.db.orm.team.update({ where: { slug: 'stopped' }, data: { active: false } });
  await createAccount(services, { email: STAFF, staff: true });
  for (const host of HOSTS) ids[host] = await websiteId(services, host);
  await recordedLeads(services, ids['www.acme.test']!, 3);
  await recordedLeads(services, ids['busy.acme.test']!, 1);
});

const openSite = (host: string, tab: string, options: Parameters<typeof open>[1] = {}) =>
  open(`/websites/${ids[host]}?tab=${tab}`, { as: OWNER, ...options });

const stored = (host: string) =>
  app().services.db.orm.website.findUniqueOrThrow({
    where: { id: ids[host]! },
    include: { departments: true, placements: { include: { form: true } } },
  });

const placement = async (host: string, slug: string) =>
  (await stored(host)).placements.find(({ form }) => form.slug === slug);

const choose = async (page: Page, button: string | RegExp, option: string | RegExp) => {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('option', { name: option }).click();
};

describe('the overview', () => {
  test('tells address, state, health and leads, which it leads to', async () => {
    const { page, expectSafe, expectAccessible, weight } = await open(`/websites/${ids['www.acme.test']}`, {
      as: MEMBER,
    });
    const address = page.getByRole('link', { name: 'https://www.acme.test' });
    await address.waitFor();
    expect(await address.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    await page.getByText('All well').waitFor();
    await page.getByRole('img', { name: /^3 leads in 30 days/ }).waitFor();
    await expectAccessible();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
    await page.getByRole('link', { name: '3 leads' }).click();
    await page.getByRole('grid', { name: 'Leads' }).waitFor();
    expect(new URL(page.url()).search).toContain(`website=${ids['www.acme.test']}`);
    await expectSafe();
  });

  test('tells that e-mails of the whole team wait, as the list of websites does', async () => {
    const { orm } = app().services.db;
    const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    // One that the worker of the tests has done with, and leaves until it is due.
    const before = await eventually(() =>
      orm.notification.findFirst({
        where: { submission: { teamId }, state: 'sent' },
        select: {
          submissionId: true,
          state: true,
          createdAt: true,
          retryingSince: true,
          nextAttemptAt: true,
        },
      }),
    );
    const where = { submissionId: before.submissionId };
    const ago = new Date(Date.now() - 20 * 60_000);
    const nextAttemptAt = new Date(Date.now() + 3_600_000);
    await orm.notification.update({
      where,
      data: { state: 'pending', createdAt: ago, retryingSince: ago, nextAttemptAt },
    });
    try {
      const opened = await open(`/websites/${ids['off.acme.test']}`, { as: MEMBER });
      const { page, expectAccessible, expectSafe } = opened;
      await page.getByText('Held mail', { exact: true }).waitFor();
      await page
        .getByText(/^In the whole team: \d+ e-mails? waits? for the mail server, the oldest/)
        .waitFor();
      expect(await page.getByText('All well').count()).toBe(0);
      await expectAccessible();
      await picture(opened, 'website-held');
      await page.getByRole('link', { name: 'Websites' }).click();
      await page.getByRole('row', { name: /off\.acme\.test.*Held mail/ }).waitFor();
      await expectSafe();
    } finally {
      await orm.notification.update({ where, data: before });
    }
  });

  test('of another team’s website is not there', async () => {
    const id = await websiteId(app().services, 'www.globex.test');
    const { page, expectAccessible } = await open(`/websites/${id}`, { as: OWNER, expected: /404/ });
    await page.getByRole('alert').waitFor();
    await expectAccessible();
    expect(await page.getByRole('tab').count()).toBe(0);
  });
});

describe('a website of a suspended team', () => {
  test('is told to be suspended, and neither enabled nor well', async () => {
    const id = await websiteId(app().services, 'www.stopped.test');
    await recordedLeads(app().services, id, 1);
    const opened = await open(`/websites/${id}`, { as: 'owner@stopped.test' });
    const { page, expectAccessible, expectSafe } = opened;
    // In the head of the page, as its state, and as its health.
    await eventually(async () => (await page.getByText('Suspended', { exact: true }).count()) === 3);
    await page.getByRole('img', { name: /^1 lead in 30 days/ }).waitFor();
    expect(await page.getByText(/^(Enabled|All well)$/).count()).toBe(0);
    await expectAccessible();
    await picture(opened, 'website-suspended');
    await page.getByRole('link', { name: 'Websites' }).click();
    await page.getByRole('row', { name: /www\.stopped\.test.*Suspended/ }).waitFor();
    expect(await page.getByText('All well').count()).toBe(0);
    await expectSafe();

    const staff = await open(`/websites/${id}?tab=settings`, { as: STAFF });
    await staff.page.getByText('Its team is suspended: its forms are not shown').waitFor();
    expect(await staff.page.getByText('Its forms are shown, and leads are taken.').count()).toBe(0);
    await picture(staff, 'settings-suspended');

    const french = await open(`/websites/${id}`, { as: STAFF, locale: 'fr-FR', ...LOOKS[2] });
    await french.page.getByText('Suspendu', { exact: true }).nth(2).waitFor();
    await french.expectFits();
    await picture(french, 'website-suspended-fr');
  });
});

describe('the settings', () => {
  test('are all edited, with the faults of the gateway at their fields', async () => {
    const { page, expectSafe, expectAccessible } = await openSite('edit.acme.test', 'settings', {
      as: ADMIN,
    });
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    const save = page.getByRole('button', { name: 'Save' });
    await field('Name').fill('');
    await save.click();
    await page.getByText('Fill in this field.').waitFor();
    await field('Name').fill('Renamed');
    await field('Host name').fill('www.acme.test');
    await field('Address of the logo').fill('ftp://logo');
    await save.click();
    await page.getByText('An address that begins with http:// or https://.').waitFor();
    await expectAccessible();
    await field('Address of the logo').fill('https://www.acme.test/logo.svg');
    await save.click();
    await page.getByText('that no other website of the team has').waitFor();
    await field('Host name').fill('Edited.acme.test');
    await page.getByRole('tab', { name: 'Forms' }).click();
    await page.getByRole('button', { name: 'Stay' }).click();
    expect(await field('Host name').inputValue()).toBe('Edited.acme.test');
    const texts = {
      Company: 'Acme SARL',
      'Street and number': '1 rue X',
      'Postal code': '75002',
      Town: 'Paris',
    };
    for (const [name, value] of Object.entries({ ...texts, Country: 'France', Telephone: '+33 1' })) {
      await field(name).fill(value);
    }
    await choose(page, /Language/, 'Spanish');
    await choose(page, /Time zone/, 'Pacific/Auckland');
    await page.getByRole('button', { name: /Departments/ }).click();
    await page.getByRole('option', { name: /^75 / }).click();
    await page.getByRole('option', { name: /^2A / }).click();
    await page.keyboard.press('Escape');
    await save.click();
    await page.getByText('Saved').waitFor();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    const { departments, ...website } = await stored('edit.acme.test');
    expect(website).toMatchObject({
      name: 'Renamed',
      host: 'edited.acme.test',
      locale: 'es',
      timeZone: 'Pacific/Auckland',
      company: 'Acme SARL',
      address: '1 rue X',
      zipcode: '75002',
      city: 'Paris',
      country: 'France',
      phone: '+33 1',
      logo: 'https://www.acme.test/logo.svg',
      email: 'hello@edit.acme.test',
    });
    expect(departments.map(({ departmentCode }) => departmentCode)).toEqual(['2A', '75']);
    expect(await save.isDisabled()).toBe(true);
    await expectSafe();
  });

  test('tell an address that is none together with an e-mail address that is none', async () => {
    const { page } = await openSite('edit.acme.test', 'settings', { as: ADMIN });
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    await field('Address (https://…)').fill('not an address');
    await field('Contact e-mail').fill('nope');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter an e-mail address.').waitFor();
    await page.getByText('An address that begins with http:// or https://.').waitFor();
    await eventually(() => hasFocus(field('Address (https://…)')));
    await picture({ page }, 'settings-faults');
  });

  test('of a colleague are shown while nothing is typed', async () => {
    const { page } = await openSite('shared.acme.test', 'settings');
    const town = page.getByRole('textbox', { name: 'Town', exact: true });
    await town.waitFor();
    await app().services.db.orm.website.update({
      where: { id: ids['shared.acme.test']! },
      data: { city: 'Bastia' },
    });
    await comeBack(page, 'websiteSettings');
    await eventually(async () => (await town.inputValue()) === 'Bastia');
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  });

  test('of a colleague stay when they are changed meanwhile, and so does what is typed while saving', async () => {
    const { page, expectSafe } = await openSite('shared.acme.test', 'settings');
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    await field('Company').fill('Acme SARL');
    await app().services.db.orm.website.update({
      where: { id: ids['shared.acme.test']! },
      data: { phone: '+33 9' },
    });
    await comeBack(page, 'websiteSettings');
    const letGo = await holdBack(page, 'updateWebsite');
    await page.getByRole('button', { name: 'Save' }).click();
    await field('Town').fill('Lyon');
    letGo();
    await page.getByText('Saved').waitFor();
    expect(await stored('shared.acme.test')).toMatchObject({ company: 'Acme SARL', phone: '+33 9' });
    expect([await field('Telephone').inputValue(), await field('Town').inputValue()]).toEqual([
      '+33 9',
      'Lyon',
    ]);
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await stored('shared.acme.test')).city === 'Lyon');
    expect(await stored('shared.acme.test')).toMatchObject({ company: 'Acme SARL', phone: '+33 9' });
    await expectSafe();
  });

  test('that a colleague has changed in another way meanwhile are shown, and either of both can be kept', async () => {
    const opened = await openSite('shared.acme.test', 'settings');
    const { page, expectSafe, expectAccessible } = opened;
    const email = page.getByRole('textbox', { name: 'Contact e-mail' });
    const save = page.getByRole('button', { name: 'Save' });
    const conflict = page.getByRole('alert').filter({ hasText: 'Another account has saved these settings' });
    const colleague = (data: object) =>
      app().services.db.orm.website.update({ where: { id: ids['shared.acme.test']! }, data });

    await email.fill('mine@acme.test');
    await page.getByRole('textbox', { name: 'Postal code' }).fill('69001');
    await colleague({ email: 'theirs@acme.test', city: 'Nice' });
    await save.click();
    await conflict.getByText('theirs@acme.test').waitFor();
    expect(await stored('shared.acme.test')).toMatchObject({ email: 'theirs@acme.test', city: 'Nice' });
    expect(await email.inputValue()).toBe('mine@acme.test');
    await expectAccessible();
    await picture(opened, 'settings-conflict');

    await conflict.getByRole('button', { name: 'Take over theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    expect(await email.inputValue()).toBe('theirs@acme.test');
    await save.click();
    await eventually(async () => (await stored('shared.acme.test')).zipcode === '69001');
    expect(await stored('shared.acme.test')).toMatchObject({ email: 'theirs@acme.test', city: 'Nice' });

    await email.fill('mine@acme.test');
    await colleague({ email: 'others@acme.test' });
    await save.click();
    await conflict.getByText('others@acme.test').waitFor();
    await save.click();
    await conflict.waitFor({ state: 'detached' });
    expect(await stored('shared.acme.test')).toMatchObject({ email: 'mine@acme.test', city: 'Nice' });
    await expectSafe();
  });

  test('are read by a member, and neither disabled nor deleted by those who may not', async () => {
    const { page, expectAccessible } = await openSite('www.acme.test', 'settings', { as: MEMBER });
    await page.getByText('Owners and admins of the team change these.').waitFor();
    expect(await page.getByRole('textbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: /Save|Delete|Disable|New signature key/ }).count()).toBe(0);
    await expectAccessible();
    const asOwner = await openSite('www.acme.test', 'settings');
    await asOwner.page.getByText('The agency disables and enables websites.').waitFor();
    await asOwner.page.getByText('There are 3 leads of this website').waitFor();
    expect(await asOwner.page.getByRole('button', { name: /Delete|Disable/ }).count()).toBe(0);
  });

  test('let staff disable a website once they read what that does, and enable it', async () => {
    const { page, expectAccessible, expectSafe } = await openSite('off.acme.test', 'settings', { as: STAFF });
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable off.acme.test?' });
    await dialog.getByText('what visitors send is refused').waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await stored('off.acme.test')).disabled).toBe(false);
    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('off.acme.test is disabled.').waitFor();
    expect((await stored('off.acme.test')).disabled).toBe(true);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('off.acme.test is enabled.').waitFor();
    expect((await stored('off.acme.test')).disabled).toBe(false);
    await expectSafe();
  });

  test('delete a website, naming what goes with it', async () => {
    const { page } = await openSite('gone.acme.test', 'settings');
    // What is typed of a website that is deleted is not asked for.
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Never saved');
    await page.getByRole('button', { name: 'Delete the website' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete gone.acme.test?' });
    await dialog.getByText('with 1 placement, no captcha step of its own').waitFor();
    await dialog.getByRole('button', { name: 'Delete the website' }).click();
    await page.getByText('gone.acme.test is deleted.').waitFor();
    await page.getByRole('row', { name: /busy/ }).waitFor();
    expect(await app().services.db.orm.website.count({ where: { id: ids['gone.acme.test']! } })).toBe(0);
  });

  test('replace the signature key after a question', async () => {
    const before = await stored('key.acme.test');
    const { page } = await openSite('key.acme.test', 'settings');
    await page.getByRole('button', { name: 'New signature key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'New signature key' }).click();
    await page.getByText('key.acme.test has a new signature key.').waitFor();
    expect((await stored('key.acme.test')).signatureKeyCipher).not.toEqual(before.signatureKeyCipher);
  });
});

describe('the forms on a website', () => {
  test('are added, set up, taken off and put back', async () => {
    const { page, expectSafe, expectAccessible } = await openSite('forms.acme.test', 'forms');
    await page.getByRole('button', { name: /Add a form/ }).click();
    expect(await page.getByRole('option', { name: 'Contact' }).count()).toBe(0);
    await page.getByRole('option', { name: 'Devis' }).click();
    const field = (name: string) => page.getByRole('textbox', { name, exact: true });
    await field('CSS selector').fill('#devis');
    await field('HTML around the form').fill('<script>1</script>');
    await field('Recipients').fill('nobody');
    await page.getByText('Left empty, e-mails go to the form’s recipients: sales@acme.test').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Only grouping elements such as div').waitFor();
    await page.getByText('E-mail addresses, one a line, 50 at most.').waitFor();
    await expectAccessible();
    await field('HTML around the form').fill('<div class="card"></div>');
    await field('Recipients').fill('ventes@acme.test\nbureau@acme.test');
    await field('Confirmation message').fill('Merci !');
    await page.getByText('The website shows this form').click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await page.getByText('In #devis').waitFor();
    await page.getByText('Not shown').waitFor();
    const saved = {
      cssSelector: '#devis',
      htmlWrapper: '<div class="card"></div>',
      enabled: false,
      appearance: {},
      recipients: ['ventes@acme.test', 'bureau@acme.test'],
      confirmationMessage: 'Merci !',
    };
    expect(await placement('forms.acme.test', 'quote')).toMatchObject(saved);

    await page.getByRole('button', { name: 'Remove Devis' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take Devis off the website?' });
    await dialog.getByText('The form itself and its leads stay.').waitFor();
    await expectAccessible();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Devis is off the website.').waitFor();
    expect(await placement('forms.acme.test', 'quote')).toBeUndefined();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('In #devis').waitFor();
    await eventually(async () => (await placement('forms.acme.test', 'quote')) !== undefined);
    expect(await placement('forms.acme.test', 'quote')).toMatchObject(saved);
    await expectSafe();
  });

  test('are told once to be taken off by two presses', async () => {
    const { page } = await openSite('forms.acme.test', 'forms');
    await page.getByRole('button', { name: 'Remove Devis' }).click();
    await pressTwice(page.getByRole('dialog').getByRole('button', { name: 'Remove' }));
    await page.getByText('Devis is off the website.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('In #devis').waitFor();
  });

  test('ask before Back loses what is typed, also while that is asked', async () => {
    const { page, expectSafe } = await openSite('colours.acme.test', 'overview');
    await page.getByRole('tab', { name: 'Forms' }).click();
    await page.getByRole('button', { name: 'Edit Contact' }).click();
    const message = page.getByRole('textbox', { name: 'Confirmation message', exact: true });
    await message.fill('Typed for a long time');
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.evaluate('history.back()');
    await asked.waitFor();
    await picture({ page }, 'placement-leave');
    await page.evaluate('history.back()');
    await asked.getByRole('button', { name: 'Stay' }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await message.inputValue()).toBe('Typed for a long time');
    await eventually(() => page.url().includes('placement='));
    await page.evaluate('history.back()');
    await asked.getByRole('button', { name: 'Leave' }).click();
    await message.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit Contact' }).click();
    await message.fill('Typed again');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await message.waitFor({ state: 'detached' });
    expect(await asked.count()).toBe(0);
    await expectSafe();
  });

  test('have colours of their own, whose contrast is computed and warned of', async () => {
    const { page, expectSafe, expectAccessible } = await openSite('colours.acme.test', 'forms');
    await page.getByRole('button', { name: 'Edit Contact here' }).click();
    await page.waitForURL(/placement=\d+/);
    await page.getByRole('textbox', { name: 'Button and focus', exact: true }).fill('#ffcc00');
    await page.getByRole('textbox', { name: 'Text on the button', exact: true }).fill('white');
    await page.getByText('The text on the button: contrast 1.5, too low. 4.5 is needed').waitFor();
    await page.getByText('The focus on the background: contrast 1.5, too low. 3 is needed').waitFor();
    await expectAccessible();
    await picture({ page }, 'website-colours');
    await page.getByLabel('Pick a colour: Button and focus').fill('#036036');
    expect(await page.getByRole('textbox', { name: 'Button and focus', exact: true }).inputValue()).toBe(
      '#036036',
    );
    await page.getByText(/The text on the button: contrast 7\.\d, enough/).waitFor();
    await page.getByRole('textbox', { name: 'Errors', exact: true }).fill('url(ftp://x)');
    await page.getByRole('textbox', { name: 'Radius of corners' }).fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('A single value of CSS').waitFor();
    await page.getByRole('textbox', { name: 'Errors', exact: true }).fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect((await placement('colours.acme.test', 'contact'))?.appearance).toEqual({
      '--fg-accent': '#036036',
      '--fg-accent-text': 'white',
      '--fg-radius': '0',
    });
    await expectSafe();
  });

  test('keep what a colleague has changed meanwhile', async () => {
    const { page } = await openSite('shared.acme.test', 'forms');
    await page.getByRole('button', { name: 'Edit Contact here' }).click();
    await page.getByRole('textbox', { name: 'CSS selector' }).fill('#contact');
    await app().services.db.orm.placement.updateMany({
      where: { websiteId: ids['shared.acme.test']! },
      data: { recipients: ['desk@acme.test'] },
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({
      cssSelector: '#contact',
      recipients: ['desk@acme.test'],
    });
  });

  test('stay in the editor with what is typed while they are saved, to be saved next', async () => {
    const opened = await openSite('shared.acme.test', 'forms');
    const { page, expectSafe } = opened;
    await page.getByRole('button', { name: 'Edit Contact here' }).click();
    const selector = page.getByRole('textbox', { name: 'CSS selector' });
    await selector.fill('#first');
    await page.getByRole('textbox', { name: 'HTML around the form' }).fill('<div></div>');
    const letGo = await holdBack(page, 'saveFormLink');
    await page.getByRole('button', { name: 'Save' }).click();
    await selector.fill('#second');
    letGo();
    await page.getByText('Saved').waitFor();
    await picture(opened, 'placement-typed');
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({ cssSelector: '#first' });
    expect(await selector.inputValue()).toBe('#second');
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay' })
      .click();
    await page.getByRole('button', { name: 'Save' }).click();
    await selector.waitFor({ state: 'detached' });
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({
      cssSelector: '#second',
      htmlWrapper: '<div></div>',
    });
    await expectSafe();
  });

  test('that a colleague has changed in another way meanwhile are shown, and either of both can be kept', async () => {
    const opened = await openSite('shared.acme.test', 'forms');
    const { page, expectAccessible, expectSafe } = opened;
    const where = { websiteId: ids['shared.acme.test']! };
    const colleague = (data: object) => app().services.db.orm.placement.updateMany({ where, data });
    await colleague({ recipients: [], cssSelector: null, appearance: {} });
    await page.getByRole('button', { name: 'Edit Contact here' }).click();
    const recipients = page.getByRole('textbox', { name: 'Recipients' });
    const accent = page.getByRole('textbox', { name: 'Button and focus', exact: true });
    await recipients.fill('mine@acme.test');
    await accent.fill('#036036');
    await colleague({
      recipients: ['theirs@acme.test'],
      cssSelector: '#theirs',
      appearance: { '--fg-gap': '1em' },
    });
    await page.getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Another account has saved these settings' });
    await conflict.getByText('theirs@acme.test').waitFor();
    expect(await conflict.getByRole('term').allInnerTexts()).toEqual(['Recipients']);
    expect(await recipients.inputValue()).toBe('mine@acme.test');
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({
      recipients: ['theirs@acme.test'],
    });
    await expectAccessible();
    await picture(opened, 'placement-conflict');

    await conflict.getByRole('button', { name: 'Take over theirs' }).click();
    expect(await recipients.inputValue()).toBe('theirs@acme.test');
    await page.keyboard.press('Enter');
    await page.getByText('Saved').waitFor();
    const merged = { cssSelector: '#theirs', appearance: { '--fg-accent': '#036036', '--fg-gap': '1em' } };
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({
      ...merged,
      recipients: ['theirs@acme.test'],
    });

    await page.getByRole('button', { name: 'Edit Contact here' }).click();
    await recipients.fill('mine@acme.test');
    await colleague({ recipients: ['others@acme.test'] });
    await page.getByRole('button', { name: 'Save' }).click();
    await conflict.getByText('others@acme.test').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await conflict.waitFor({ state: 'detached' });
    await recipients.waitFor({ state: 'detached' });
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({
      ...merged,
      recipients: ['mine@acme.test'],
    });
    await expectSafe();
  });

  test('of a form that a colleague has taken off meanwhile put it back with a second save', async () => {
    const { page } = await openSite('shared.acme.test', 'forms', { locale: 'fr-FR' });
    await page.getByRole('button', { name: 'Modifier Contact ici' }).click();
    await page.getByRole('textbox', { name: 'Destinataires' }).fill('desk@acme.test');
    const placements = app().services.db.orm.placement;
    await placements.deleteMany({ where: { websiteId: ids['shared.acme.test']! } });
    const save = page.getByRole('button', { name: 'Enregistrer' });
    await save.click();
    await page.getByText('Un autre compte a retiré ce formulaire du site').waitFor();
    expect(await placement('shared.acme.test', 'contact')).toBeUndefined();
    await save.click();
    await page.getByText('Enregistré', { exact: true }).waitFor();
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({ recipients: ['desk@acme.test'] });
  });

  test('that a colleague has set anew are not replaced by the undo of a removal', async () => {
    const { page } = await openSite('shared.acme.test', 'forms');
    const formId = (await placement('shared.acme.test', 'contact'))!.formId;
    await page.getByRole('button', { name: 'Remove Contact' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Contact is off the website.').waitFor();
    const { teamId } = await stored('shared.acme.test');
    const websiteId = ids['shared.acme.test']!;
    const theirs = { websiteId, formId, teamId, recipients: ['theirs@acme.test'] };
    await app().services.db.orm.placement.create({ data: theirs });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Somebody else has changed this in the meantime.').waitFor();
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({
      recipients: ['theirs@acme.test'],
    });
  });

  test('of a form that a colleague takes off stay in the editor', async () => {
    const { page } = await openSite('shared.acme.test', 'forms');
    await page.getByRole('button', { name: 'Edit Contact here' }).click();
    const recipients = page.getByRole('textbox', { name: 'Recipients' });
    await recipients.fill('typed@acme.test');
    const websiteId = ids['shared.acme.test']!;
    await app().services.db.orm.placement.deleteMany({ where: { websiteId } });
    await comeBack(page, 'websitePlacements');
    // The list without the form has been rendered.
    await page.waitForTimeout(300);
    expect(await recipients.inputValue()).toBe('typed@acme.test');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another account has taken this form off the website').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await placement('shared.acme.test', 'contact')).toMatchObject({ recipients: ['typed@acme.test'] });
  });

  test('are only shown to a member', async () => {
    const { page } = await openSite('www.acme.test', 'forms', { as: MEMBER });
    await page.getByRole('link', { name: 'Contact' }).waitFor();
    expect(await page.getByRole('button', { name: /Edit|Remove|Add/ }).count()).toBe(0);
  });
});

describe.each(LOOKS.map((look, n) => [n, look] as const))('in look %#', (n, look) => {
  test.each(['overview', 'forms', 'settings'])('the tab %s fits and is clear, in French', async (tab) => {
    const { page, expectAccessible, expectFits } = await openSite('busy.acme.test', tab, {
      ...look,
      as: STAFF,
      locale: 'fr-FR',
    });
    await page.getByRole('tab', { name: 'Réglages' }).waitFor();
    const selected = await page.getByRole('tab', { selected: true }).boundingBox();
    expect(selected!.x + selected!.width).toBeLessThanOrEqual(look.viewport.width);
    const content = {
      overview: /30 derniers jours/,
      forms: 'Ajouter un formulaire',
      settings: 'Clé de signature',
    };
    await page
      .getByText(content[tab as keyof typeof content], { exact: true })
      .first()
      .waitFor();
    await expectFits();
    await expectAccessible();
    await picture({ page }, `website-${tab}-${n}`);
  });
});
