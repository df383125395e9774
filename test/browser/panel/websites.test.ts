import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provision, team, website, websiteId } from '../../support/factories.js';
import { countAllDays, recordedLeads } from '../../support/leads.js';
import { createAccount } from '../../support/panel.js';
import { breakDown, hasFocus, LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

/** What the tests call of a text field, whose types are the browser's. */
type TextBox = {
  ownerDocument: { execCommand(command: string, hasUi: boolean, text: string): boolean };
};

const { app, open } = panelTest();
const [STAFF, OWNER, MEMBER] = ['staff@agency.test', 'owner@acme.test', 'member@acme.test'];
const LONG = 'Établissements Müller-Vandenbroucke & Fils, plomberie, chauffage, climatisation et dépannage';

beforeAll(async () => {
  const { services } = app();
  const chain = [{ key: 'altcha:own' }];
  await provision(services, [
    team('acme', {
      websites: [
        website('www.acme.test', { name: 'Acme', captcha: chain }),
        website('shop.acme.test', { name: LONG, locale: 'en' }),
        website('trouble.acme.test', { name: 'موقع الاختبار' }),
        website('off.acme.test', { name: 'Old shop', disabled: true }),
      ],
    }),
    team('globex'),
    team('many'),
  ]);
  await createAccount(services, { email: STAFF, staff: true });
  const acme = await websiteId(services, 'www.acme.test');
  for (const hours of [1, 2, 30, 60, 61, 200]) {
    await recordedLeads(services, acme, 1, new Date(Date.now() - hours * 3_600_000));
  }
  await countAllDays(services);
  const trouble = await websiteId(services, 'trouble.acme.test');
  const [failed] = await recordedLeads(services, trouble, 1);
  const { db } = services;
  await eventually(async () => (await db.orm.notification.count({ where: { state: 'pending' } })) === 0);
  await db.orm.notification.update({ where: { submissionId: failed }, data: { state: 'failed' } });
  const incident = { websiteId: trouble, stepKey: 'altcha', reason: 'secret_refused', requestId: 'r' };
  await db.orm.incident.create({ data: { ...incident, minute: new Date(), count: 2 } });
  const steps = [{ name: 'page', ok: false, finding: 'page_without_script', detail: null, ms: 1 }];
  await db.orm.probe.createMany({ data: [1, 2].map(() => ({ websiteId: trouble, ok: false, steps })) });
  const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'many' } });
  const { id: _id, ...template } = await db.orm.website.findFirstOrThrow({ where: { teamId } });
  await db.orm.website.createMany({
    data: Array.from({ length: 500 }, (_, n) => ({
      ...template,
      host: `s${n}.many.test`,
      name: `Site ${String(n).padStart(3, '0')}`,
    })),
  });
});

const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });

const choose = async (page: Page, button: string | RegExp, option: string | RegExp) => {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('option', { name: option }).click();
};

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

const stored = (host: string) =>
  app().services.db.orm.website.findFirstOrThrow({
    where: { host },
    include: { departments: true, captchaSteps: true },
  });

describe('the list of websites', () => {
  test('tells health in words, leads with their figures, language and captcha chain', async () => {
    const { page, expectSafe, expectAccessible, weight } = await open('/websites', { as: OWNER });
    await row(page, /Acme www\.acme\.test All well .*6.*French Proof of work/).waitFor();
    await page
      .getByRole('img', { name: /^6 leads in 30 days; each day, oldest first: 0 0 .* \d$/ })
      .waitFor();
    await row(page, /A page without the script A misconfigured captcha Failing mail/).waitFor();
    await row(page, /Old shop .*Disabled/).waitFor();
    await row(page, /plomberie.*Not tested yet.*English Default/).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Team' }).count()).toBe(0);
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
  });

  test('is searched and narrowed in the address, and says so when nothing fits', async () => {
    const { page } = await open('/websites', { as: OWNER });
    await row(page, /Acme/).first().waitFor();
    await choose(page, /Show/, 'Needs attention');
    await eventually(async () => (await page.getByRole('row').count()) === 2);
    await page.getByRole('searchbox', { name: 'Search by name or host' }).fill('nothing like it');
    await page.getByText('No website fits.').waitFor();
    expect(new URL(page.url()).search).toContain('show=attention');
    await page.getByRole('link', { name: 'Clear search and filters' }).click();
    await choose(page, /Language/, 'English');
    await eventually(async () => (await page.getByRole('row').count()) === 2);
    await page.reload();
    await row(page, /plomberie/).waitFor();
    await page.goBack();
    await row(page, /Old shop/).waitFor();
  });

  test('shows the team to staff, and reads on while 500 websites are scrolled through', async () => {
    const { page, expectAccessible } = await open('/websites', { as: STAFF });
    await row(page, /Acme .*acme$/).waitFor();
    const sites = page.getByRole('row', { name: /Site \d/ });
    await sites.first().waitFor();
    await expectAccessible();
    await eventually(async () => {
      await page.keyboard.press('End');
      await page.mouse.wheel(0, 20_000);
      return (await row(page, /Site 499/).count()) === 1;
    });
    // Rows that come back above move the page once more.
    await eventually(async () => {
      await page.mouse.wheel(0, -100_000);
      return (await row(page, /^Select Acme/).count()) === 1;
    });
    // Far rows are gone from the page, as what they are is kept.
    await eventually(async () => (await sites.count()) < 300);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('507');
  });

  test('is walked through by keyboard', async () => {
    const { page } = await open('/websites', { as: OWNER });
    await row(page, /Acme/).first().waitFor();
    await page.keyboard.press('j');
    expect(await hasFocus(page.getByRole('link', { name: 'Acme', exact: true }))).toBe(true);
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('/');
    expect(await hasFocus(page.getByRole('searchbox'))).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Acme', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Acme' }).waitFor();
    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByText('Contact').first().waitFor();
    expect(new URL(page.url()).search).toContain('tab=forms');
  });

  test('in the list of a team that is only read asks which team is meant', async () => {
    const { db } = app().services;
    const email = 'both@acme.test';
    const userId = await createAccount(app().services, { email });
    const teams = await db.orm.team.findMany({
      where: { slug: { in: ['acme', 'globex'] } },
      orderBy: { slug: 'asc' },
    });
    const [acme, globex] = teams.map(({ id }) => id) as [number, number];
    await db.orm.membership.createMany({
      data: [
        { userId, teamId: acme, role: 'member' },
        { userId, teamId: globex, role: 'admin' },
      ],
    });
    const { page } = await open(`/websites/new?team=${acme}`, { as: email });
    const team = page.getByRole('main').getByRole('button', { name: /Team/ });
    await eventually(async () => (await team.innerText()).includes('Choose'));
    await team.click();
    await page.getByRole('option', { name: 'globex' }).click();
    await eventually(async () => (await team.innerText()).includes('globex'));
  });

  test('offers a member nothing that is refused', async () => {
    const { page, expectAccessible } = await open('/websites', { as: MEMBER });
    await row(page, /Acme/).first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    for (const name of ['New website', 'Import websites']) {
      expect(await page.getByRole('link', { name }).count()).toBe(0);
    }
    await expectAccessible();
    for (const path of ['/websites/new', '/websites/import']) {
      const opened = await open(path, { as: MEMBER });
      await opened.page.getByText('Your role does not allow this.').waitFor();
    }
  });

  test('says what failed, and tries again', async () => {
    const { page } = await open('/account', { as: OWNER, expected: /500/ });
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('listedWebsites')) return route.continue();
      const error = { message: 'Server error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
      return route.fulfill({ status: 500, json: { errors: [error] } });
    });
    await page.getByRole('link', { name: 'Websites' }).click();
    await page.getByRole('alert').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, /Acme/).first().waitFor();
  });

  test.each(LOOKS.map((look, n) => [n, look] as const))('fits and is clear in look %#', async (n, look) => {
    const { page, expectAccessible, expectFits } = await open('/websites', { as: STAFF, ...look });
    await row(page, /Acme/).first().waitFor();
    await expectFits();
    await expectAccessible();
    await picture({ page }, `websites-${n}`);
    await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
    await page.getByRole('button', { name: 'Select all that match' }).waitFor();
    await expectFits();
    await expectAccessible();
    await picture({ page }, `websites-selected-${n}`);
  });
});

describe('editing many websites', () => {
  test('changes language, departments and captcha chain of those that are selected', async () => {
    const { page, expectSafe, expectAccessible, expectFits } = await open('/websites?team=', {
      as: OWNER,
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('checkbox', { name: /plomberie/ }).check();
    await page.getByRole('checkbox', { name: 'Select Old shop' }).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('button', { name: 'Edit together…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit 2 websites' });
    const submit = dialog.getByRole('button', { name: 'Change 2 websites' });
    await submit.waitFor();
    expect(await submit.isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: /Language/ }).click();
    await page.getByRole('option', { name: 'German' }).click();
    await dialog.getByRole('button', { name: /Captcha chain/ }).click();
    await page.getByRole('option', { name: 'As that of another website' }).click();
    await dialog.getByRole('button', { name: /Website to copy from/ }).click();
    await page.getByRole('option', { name: 'Acme: Proof of work' }).click();
    await dialog.getByText('Replace the departments').click();
    await dialog.getByRole('button', { name: /Departments/ }).click();
    await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('corse');
    await page.getByRole('option', { name: /2A/ }).click();
    await expectAccessible();
    await expectFits();
    await picture({ page }, 'websites-edit-many');
    // The first one clears the search.
    await press(page, 'Escape', 'Escape');
    await submit.click();
    await page.getByText('2 of 2 are changed.').waitFor();
    for (const host of ['shop.acme.test', 'off.acme.test']) {
      const { locale, departments, captchaSteps } = await stored(host);
      expect(locale).toBe('de');
      expect(departments.map(({ departmentCode }) => departmentCode)).toEqual(['2A']);
      expect(captchaSteps.map(({ type, identifier }) => [type, identifier])).toEqual([['altcha', 'own']]);
    }
    await expectSafe();
  });

  test('says that a search finds more where none of the first websites has a chain to copy', async () => {
    const opened = await open('/websites?q=Site+0', { as: STAFF });
    const { page } = opened;
    await page.getByRole('checkbox', { name: 'Select Site 000' }).check();
    await page.getByRole('button', { name: 'Edit together…' }).click();
    await choose(page, /Captcha chain/, 'As that of another website');
    await page.getByRole('button', { name: /Website to copy from/ }).click();
    const search = page.getByRole('searchbox', { name: 'Search', exact: true });
    await search.fill('Site');
    await page.getByText('There are more: search for them.').waitFor();
    expect(await page.getByText('Nothing fits.').count()).toBe(0);
    await opened.expectAccessible();
    await picture(opened, 'websites-more');
    await search.fill('Site 012');
    await page.getByText('Nothing fits.').waitFor();
    expect(await page.getByText('There are more').count()).toBe(0);
  });

  test('selects those that are not shown yet, up to as many as can be edited together', async () => {
    const { page } = await open('/websites?q=Site+0', { as: STAFF });
    const all = page.getByRole('checkbox', { name: 'Select all that are shown' });
    const further = page.getByRole('button', { name: 'Select all that match' });
    await all.check();
    await page.getByText('50 selected').waitFor();
    await further.click();
    await page.getByText('100 selected').waitFor();
    expect(await further.count()).toBe(0);
    await eventually(() => hasFocus(all));
    await page.getByRole('button', { name: 'Edit together…' }).click();
    await page.getByRole('dialog', { name: 'Edit 100 websites' }).waitFor();
    await page.keyboard.press('Escape');
    await all.uncheck();

    await page.getByRole('searchbox').fill('many.test');
    await eventually(() => page.url().includes('many'));
    await all.check();
    await further.click();
    await page.getByText('500 selected').waitFor();
    await page.getByText('500 at most can be edited together.').waitFor();

    // Another search while it reads: nothing of it is selected.
    await all.uncheck();
    await page.getByRole('searchbox').fill('Site 1');
    await eventually(() => page.url().includes('Site'));
    await all.check();
    await further.click();
    await page.getByRole('searchbox').fill('Acme');
    await row(page, /Acme/).first().waitFor();
    await eventually(async () => (await page.getByText(/\d+ websites?$/).count()) > 0);
    expect(await page.getByText(/selected$/).count()).toBe(0);
  });

  test('changes none when the gateway refuses one, and says that the role has changed', async () => {
    const { page } = await open('/websites', { as: OWNER });
    await page.getByRole('checkbox', { name: 'Select Acme' }).check();
    await page.getByRole('button', { name: 'Edit together…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /Language/ }).click();
    await page.getByRole('option', { name: 'Italian' }).click();
    const { db } = app().services;
    await db.orm.membership.updateMany({ where: { user: { email: OWNER } }, data: { role: 'member' } });
    await dialog.getByRole('button', { name: 'Change 1 website' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Your role in .* has been changed: Member\.$/)
      .waitFor();
    await db.orm.membership.updateMany({ where: { user: { email: OWNER } }, data: { role: 'owner' } });
    expect((await stored('www.acme.test')).locale).toBe('fr');
  });
});

describe('a new website', () => {
  test('is created, with the faults of the gateway at their fields', async () => {
    const { page, expectSafe, expectAccessible } = await open('/websites/new', { as: OWNER });
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Fresh <b>site</b>');
    await page.getByRole('textbox', { name: 'Address (https://…)' }).fill('https://www.acme.test/fr');
    const host = page.getByRole('textbox', { name: 'Host name' });
    expect(await host.inputValue()).toBe('www.acme.test');
    await page.getByRole('textbox', { name: 'Contact e-mail' }).fill('fresh@acme.test');
    await page.getByRole('button', { name: 'Create the website' }).click();
    await page.getByText('that no other website of the team has').waitFor();
    await eventually(() => hasFocus(host));
    await expectAccessible();
    await host.fill('fresh.acme.test');
    await choose(page, /Time zone/, 'Europe/Paris');
    // A language that the installation has no longer.
    const extensions = { code: 'BAD_USER_INPUT', errors: { 'input.locale': ['must be one of fr, de'] } };
    await page.route('**/graphql', (route) => route.fulfill({ json: { errors: [{ extensions }] } }), {
      times: 1,
    });
    await page.getByRole('button', { name: 'Create the website' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'The code of one of the platform’s languages' })
      .waitFor();
    await page.getByRole('button', { name: 'Create the website' }).click();
    await page.getByRole('heading', { name: 'Fresh <b>site</b>' }).waitFor();
    await page.getByText('No form is on this website.').waitFor();
    expect(await stored('fresh.acme.test')).toMatchObject({ timeZone: 'Europe/Paris', locale: 'en' });
    await expectSafe();
  });

  test('gets the team that staff find by a search, which is tried again once it has failed', async () => {
    const { page, expectAccessible } = await open('/websites/new', { as: STAFF });
    const mend = await breakDown(page, 'managedTeams');
    const searched: string[] = [];
    page.on('request', (request) => {
      const [, text] = /managedTeams.*"search":"(.*?)"/s.exec(request.postData() ?? '') ?? [];
      if (text) searched.push(text);
    });
    await page.getByRole('button', { name: /Choose….*Team/ }).click();
    // Within one task: on a busy machine there is a rest between keys that are pressed from outside.
    await page.getByRole('searchbox', { name: 'Search', exact: true }).evaluate((box: TextBox) => {
      for (const letter of 'glob') box.ownerDocument.execCommand('insertText', false, letter);
    });
    const failed = page.getByRole('alert').filter({ hasText: 'Something went wrong in the gateway.' });
    await failed.waitFor();
    expect(await page.getByText('Nothing fits.').count()).toBe(0);
    await eventually(async () => searched.length > 0);
    expect(searched).toEqual(['glob']);
    await failed.waitFor();
    await expectAccessible();
    await mend();
    await failed.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('option', { name: 'globex' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Second');
    await page.getByRole('textbox', { name: 'Address (https://…)' }).fill('https://second.globex.test');
    await page.getByRole('textbox', { name: 'Contact e-mail' }).fill('second@globex.test');
    await page.getByRole('button', { name: 'Create the website' }).click();
    await page.getByRole('heading', { name: 'Second' }).waitFor();
    const { teamId } = await stored('second.globex.test');
    const { slug } = await app().services.db.orm.team.findUniqueOrThrow({ where: { id: teamId } });
    expect(slug).toBe('globex');
  });
});

test.each([
  ['/websites/new', 'Name'],
  ['/websites/import', 'Or paste the rows'],
])('leaving %s with something typed asks first', async (path, name) => {
  const { page } = await open(path, { as: OWNER });
  const field = page.getByRole('textbox', { name, exact: true });
  await field.fill('Typed');
  await page.getByRole('link', { name: 'Teams', exact: true }).click();
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  await asked.getByRole('button', { name: 'Stay' }).click();
  expect(await field.inputValue()).toBe('Typed');
  await page.getByRole('link', { name: 'Teams', exact: true }).click();
  await asked.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(/\/teams/);
});

describe('an import', () => {
  const HEADINGS = 'name,host,url,locale,email,time_zone';

  test('of fewer characters that are more bytes than a request can carry is to be made in parts', async () => {
    const { page } = await open('/websites/import', { as: OWNER, expected: /413/ });
    const name = '木'.repeat(250);
    const rows = Array.from(
      { length: 400 },
      (_, n) => `${name},${n}.acme.test,https://acme.test,fr,a@acme.test,`,
    );
    await page.getByRole('textbox', { name: 'Or paste the rows' }).fill([HEADINGS, ...rows].join('\n'));
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('This is more than one request can carry. Import it in parts.').waitFor();
    expect(await page.getByText('Something went wrong').count()).toBe(0);
  });

  test('shows every fault by row and column, then creates all', async () => {
    const { page, expectSafe, expectAccessible, expectFits } = await open('/websites/import', {
      as: OWNER,
      viewport: { width: 360, height: 740 },
    });
    const table = page.getByRole('textbox', { name: 'Or paste the rows' });
    await table.fill(
      `${HEADINGS}\nOne,one.acme.test,https://one.acme.test,fr,a@acme.test,Moon\n,x y,nope,fr,,`,
    );
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: '5 faults' }).waitFor();
    await row(page, 'Row 2 time_zone This is not a time zone such as Europe/Paris.').waitFor();
    await row(page, /^Row 3 host This is not the host name of a page/).waitFor();
    await row(page, 'Row 3 email This is required.').waitFor();
    expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0);
    await expectAccessible();
    await expectFits();
    await picture({ page }, 'websites-import-faults');
    const csv = `${HEADINGS}\nOne,one.acme.test,https://one.acme.test,fr,a@acme.test,\nTwo,two.acme.test,https://two.acme.test,en,a@acme.test,UTC`;
    const file = { name: 'sites.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.getByLabel('File (CSV)').setInputFiles(file);
    await eventually(async () => (await page.getByRole('heading', { name: /faults/ }).count()) === 0);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: '2 websites for acme' }).waitFor();
    await row(page, 'Two 3 two.acme.test https://two.acme.test English a@acme.test UTC').waitFor();
    expect(await app().services.db.orm.website.count({ where: { host: 'one.acme.test' } })).toBe(0);
    await expectAccessible();
    await page.getByRole('button', { name: 'Create 2 websites' }).click();
    await page.getByText('2 websites are created.').waitFor();
    await row(page, /Two two\.acme\.test/).waitFor();
    await expectSafe();
  });

  test.each(LOOKS)(
    'shows every setting that it would write: $colorScheme, $viewport.width px',
    async (look) => {
      const csv = [
        'departments,company,phone,country,city,zipcode,address,time_zone,email,locale,url,host,name,logo',
        '69 01 2A,Garage Morel SARL,+33 4 00 00 00 00,France,Lyon,69003,"12, rue des Lilas",Europe/Paris,contact@morel.acme.test,fr,' +
          `https://morel.acme.test/garage/accueil,Morel.acme.test,"${LONG}",https://morel.acme.test/logo-2026.svg`,
        ',,,,Bastia,,,,a@acme.test,en,https://bastia.acme.test,bastia.acme.test,موقع باستيا,',
      ].join('\n');
      for (const locale of ['en-GB', 'fr-FR']) {
        const opened = await open('/websites/import', { as: OWNER, locale, ...look });
        const { page, expectFits, expectAccessible } = opened;
        await page.getByRole('textbox', { name: /Or paste|collez/ }).fill(csv);
        await page.getByRole('button', { name: /Check|Vérifier/ }).click();
        const [language, lasting] =
          locale === 'en-GB' ? ['French', /^Departments$/] : ['français', /^Départements$/];
        const all =
          `${LONG} 2 morel.acme.test https://morel.acme.test/garage/accueil ${language} contact@morel.acme.test ` +
          'Europe/Paris Garage Morel SARL 12, rue des Lilas 69003 Lyon France +33 4 00 00 00 00 ' +
          'https://morel.acme.test/logo-2026.svg 69, 01, 2A';
        await row(page, all).waitFor();
        await row(page, /موقع باستيا 3 bastia\.acme\.test .* UTC Bastia/).waitFor();
        expect(await page.getByRole('columnheader').last().innerText()).toMatch(lasting);
        await expectFits();
        await expectAccessible();
        await picture(opened, `websites-import-${locale}-${look.colorScheme}-${look.viewport.width}`);
      }
    },
  );

  test('says when a file is not UTF-8, and reads the same file again once it is mended', async () => {
    const { page } = await open('/websites/import', { as: OWNER });
    const folder = await mkdtemp(join(tmpdir(), 'formgate-import-'));
    const path = join(folder, 'sites.csv');
    const input = page.getByLabel('File (CSV)');
    const choose = async () => {
      const chooser = page.waitForEvent('filechooser');
      await input.click();
      await (await chooser).setFiles(path);
    };
    const csv = `${HEADINGS}\nThéâtre,theatre.acme.test,https://theatre.acme.test,fr,a@acme.test,`;
    await writeFile(path, Buffer.from(csv, 'latin1'));
    await choose();
    await page.getByText('The file is not UTF-8.').waitFor();
    const rows = page.getByRole('textbox', { name: 'Or paste the rows' });
    expect(await rows.inputValue()).toBe('');
    await writeFile(path, csv);
    await choose();
    await eventually(async () => (await rows.inputValue()) === csv);
    expect(await page.getByText('The file is not UTF-8.').count()).toBe(0);
    await writeFile(path, csv.replaceAll('theatre', 'opera'));
    await choose();
    await eventually(async () => (await rows.inputValue()).includes('opera.acme.test'));
    await rm(folder, { recursive: true });
  });

  test('has a sample that the gateway takes', async () => {
    const { page } = await open('/websites/import', { as: OWNER });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download a sample' }).click(),
    ]);
    await page.getByLabel('File (CSV)').setInputFiles(await download.path());
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('heading', { name: '1 website for acme' }).waitFor();
  });
});
