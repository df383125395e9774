import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { v7 as uuid } from 'uuid';
import { readCsv } from '../../../src/lib/text/csv-rows.js';
import { defuseFormulas } from '../../../src/lib/text/formulas.js';
import { addWebsites, provision, team, website, websiteId } from '../../support/factories.js';
import { addSubmissions, countAllDays, recordedLeads } from '../../support/leads.js';
import { createAccount } from '../../support/panel.js';
import { LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { countAllVisits } from '../../support/visits.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const [STAFF, OWNER, MEMBER] = ['staff@agency.test', 'owner@acme.test', 'member@acme.test'];
/** The names of the large curves. */
const DAILY = /^(Leads|Visitors) a day: |^(Demandes|Visiteurs) par jour\s: /;
const PERIOD = 'from=2026-06-01&to=2026-06-30';

let teamId: string;
let shop: string;

const on = (day: string) => new Date(`${day}T12:00:00Z`);

beforeAll(async () => {
  const { services } = app();
  await provision(services, [
    team('acme', {
      name: 'Association des producteurs de fromage de la vallée de la Haute-Isère',
      websites: ['www', 'shop'].map((name) => website(`${name}.acme.test`, { name, time_zone: 'UTC' })),
    }),
    team('globex'),
    team('hooli', { websites: [] }),
    team('initech', {
      websites: ['Europe/Paris', 'America/New_York'].map((zone) =>
        website(`${zone.split('/')[1]!.toLowerCase().replace('_', '-')}.initech.test`, {
          name: zone,
          time_zone: zone,
        }),
      ),
    }),
  ]);
  await createAccount(services, { email: STAFF, staff: true });
  const { db } = services;
  teamId = String((await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id);
  const www = await websiteId(services, 'www.acme.test');
  shop = await websiteId(services, 'shop.acme.test');
  await recordedLeads(services, www, 12, on('2026-06-10'));
  await recordedLeads(services, shop, 3, on('2026-06-30'));
  await recordedLeads(services, www, 8, on('2026-05-31'));
  await recordedLeads(services, www, 50, on('2026-04-30'));
  const globex = await websiteId(services, 'www.globex.test');
  await recordedLeads(services, globex, 3, on('2026-06-10'));
  // In New York the last hours of May, and of June, in Paris June and July have begun.
  const newYork = await websiteId(services, 'new-york.initech.test');
  await recordedLeads(services, newYork, 2, new Date('2026-06-01T01:00:00Z'));
  await recordedLeads(services, newYork, 5, new Date('2026-07-01T03:00:00Z'));
  await recordedLeads(services, await websiteId(services, 'paris.initech.test'), 1, on('2026-06-30'));
  // The website with the most leads had the fewest in May.
  const many = await addWebsites(services, 'hooli', 501);
  const last = many.at(-1)!;
  await addSubmissions(services, many, 1, on('2026-06-10'));
  await addSubmissions(services, last, 1, on('2026-06-10'));
  await addSubmissions(services, many.slice(0, -1), 2, on('2026-05-10'));
  await addSubmissions(services, last, 1, on('2026-05-10'));
  await countAllDays(services);
  const visits = (day: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      id: uuid(),
      websiteId: www,
      visitorHash: `visitor${n}`,
      createdAt: on(day),
      pageUrl: 'https://www.acme.test/prices',
      utmCampaign: '=HYPERLINK("http://evil.test")',
    }));
  await db.orm.visit.createMany({ data: [...visits('2026-06-11', 60), ...visits('2026-05-11', 40)] });
  await db.orm.visit.createMany({ data: hostileVisits(globex) });
  await countAllVisits(services);
});

/** The name of a campaign, as a stranger may choose it. */
const campaign = (n: number) =>
  `=${n} <b>${'Sonderaktion'.repeat(1 + (n % 3))}</b> \u202e"${'سوق الجبن '.repeat(n % 4)}"`;

/** Views of 25 campaigns and pages with long addresses: more of the one with the higher number, and on two days. */
const hostileVisits = (id: string) =>
  Array.from({ length: 25 }, (_, n) =>
    ['2026-06-11', '2026-06-20', '2026-05-11'].flatMap((day, which) =>
      Array.from({ length: which === 2 ? 25 - n : n + 1 }, () => ({
        id: uuid(),
        websiteId: id,
        visitorHash: uuid(),
        createdAt: on(day),
        utmCampaign: campaign(n),
        pageUrl: `https://www.globex.test/${`${n}-${'fromage'.repeat(n)}`}/%D8%B3%D9%88%D9%82?page=${n}`,
      })),
    ),
  ).flat();

/** The texts of a table's rows below its heading. */
const rows = async (page: Page, table: string) =>
  (await page.getByRole('region', { name: table, exact: true }).getByRole('row').allInnerTexts())
    .slice(1)
    // A name is a block, and an empty change a space.
    .map((row) => row.replaceAll(/\n| (?=\t|$)/g, ''));

const openPage = async (options: Parameters<typeof open>[1] = {}, search = `?${PERIOD}`) => {
  const opened = await open(`/statistics${search}`, { as: OWNER, ...options });
  await opened.page.getByRole('img', { name: DAILY }).nth(1).waitFor();
  // The tables of visits are read by a query of their own.
  await opened.page.getByRole('heading', { name: /^(Where they came from|Provenance)$/ }).waitFor();
  return opened;
};

describe('the statistics of a team', () => {
  test('stand beside those of the month before', async () => {
    const { page, expectSafe, expectAccessible, weight } = await openPage();
    await page.getByText('1 – 30 June 2026').or(page.getByText('1–30 June 2026')).first().waitFor();
    const total = (name: string) =>
      page.getByText(name, { exact: true }).first().locator('xpath=..').innerText();
    expect(await total('Leads')).toBe('Leads\n15\nBefore: 8');
    expect(await total('Visitors')).toBe('Visitors\n60\nBefore: 40');
    expect(await total('Conversion')).toBe('Conversion\n25%\nBefore: 20%');
    expect(await rows(page, 'Websites')).toEqual(['www\t12\t8 +50%', 'shop\t3\t0 new']);
    expect(await rows(page, 'Pages')).toEqual(['www.acme.test/prices\t\t60\t40 +50%']);
    expect(await rows(page, 'Languages')).toEqual(['French\t\t15\t8 +88%']);
    expect((await rows(page, 'Where they came from'))[0]).toMatch(/\t\t60\t40 \+50%\t0\t0$/);
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
  });

  test('count the days of each website in its own time zone, and so do the tables', async () => {
    const { page } = await openPage({ as: 'owner@initech.test' });
    await page.getByRole('img', { name: /^Leads a day: 6 in all/ }).waitFor();
    expect(await rows(page, 'Websites')).toEqual(['America/New_York\t5\t2 +150%', 'Europe/Paris\t1\t0 new']);
    expect(await rows(page, 'Languages')).toEqual(['French\t\t6\t2 +200%']);
  });

  test('are narrowed to one website, which the address keeps', async () => {
    const { page } = await openPage();
    await page.getByRole('button', { name: 'Website' }).click();
    await page.getByRole('option', { name: 'shop' }).click();
    await page.getByRole('img', { name: /^Leads a day: 3 in all/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('site')).toBe(shop);
    await page.reload();
    await page.getByRole('img', { name: /^Leads a day: 3 in all/ }).waitFor();
    await page.getByRole('button', { name: 'Show all websites' }).click();
    await page.getByRole('img', { name: /^Leads a day: 15 in all/ }).waitFor();
  });

  test('keep their curves while another breakdown is chosen', async () => {
    const { page } = await openPage();
    const canvas = page.getByRole('img', { name: DAILY }).first().locator('canvas');
    await canvas.evaluate((element: { id: string }) => {
      element.id = 'drawn';
    });
    await page.getByRole('button', { name: /By$/ }).click();
    await page.getByRole('option', { name: 'Medium' }).click();
    await page.waitForURL(/by=medium/);
    await page.getByRole('columnheader', { name: 'Medium' }).waitFor();
    expect(await canvas.getAttribute('id')).toBe('drawn');
  });

  test('are there without the breakdowns that take the gateway too long, which are asked for again by hand', async () => {
    const { page, expectAccessible } = await openPage({ expected: /503/ });
    let isOverloaded = true;
    await page.route('**/graphql', async (route) => {
      const isBreakdown = route.request().postData()?.includes('teamBreakdown');
      if (isBreakdown && isOverloaded) {
        const errors = [{ message: 'Busy.', extensions: { code: 'SERVICE_UNAVAILABLE' } }];
        await route.fulfill({ status: 503, json: { errors } });
      } else await route.fallback();
    });
    await page.clock.install();
    await page.reload();
    await page.getByRole('img', { name: DAILY }).first().waitFor();
    await page.getByRole('heading', { name: 'Forms' }).waitFor();
    for (let retries = 0; retries < 4; retries++) await page.clock.fastForward(15_000);
    const again = page.getByRole('main').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    await expectAccessible();
    await picture({ page }, 'statistics-without-breakdowns');
    isOverloaded = false;
    await again.click();
    await page.getByRole('heading', { name: 'Pages' }).waitFor();
  });

  test('are saved as a file in which no cell runs as a formula', async () => {
    const { page } = await openPage();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('statistics-2026-06-01-2026-06-30.csv');
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain('"2026-06-10","12","0","0"\r\n');
    expect(text).toContain('"www","12","8"\r\n');
    expect(text).toContain(`"'=HYPERLINK(`);
  });

  test('list the first twenty of many campaigns and pages, and have all of them in the file, by day', async () => {
    const { page, expectSafe } = await openPage({ as: 'owner@globex.test' });
    const campaigns = await rows(page, 'Where they came from');
    expect(campaigns.length).toBe(20);
    expect(campaigns[0]).toMatch(/\t\t50\t1 \+4,900%\t0\t0$/);
    // One more source than pages: leads of no campaign.
    await page.getByText('The first 20 of 26. The CSV file has 26.').waitFor();
    await page.getByText('The first 20 of 25. The CSV file has 25.').waitFor();
    await page
      .getByRole('img', { name: /^Page views by day: (0 · ){10}25 · / })
      .first()
      .waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const file = readCsv(await readFile(await download.path(), 'utf8'))!;
    for (let n = 0; n < 25; n++) {
      const name = defuseFormulas(campaign(n));
      expect(file).toContainEqual([name, String(2 * n + 2), String(25 - n), '0', '0']);
      expect(file).toContainEqual(['2026-06-11', name, String(n + 1), '0']);
      expect(file).toContainEqual(['2026-06-20', name, String(n + 1), '0']);
    }
    expect(file.filter(([page]) => page?.startsWith('https://www.globex.test/')).length).toBe(25);
    expect(file).toContainEqual(['2026-06-10', 'French', '3']);
    await expectSafe();
  });

  test('count every one of 501 websites, of which the page lists twenty and the file has all', async () => {
    const { page } = await openPage({ as: 'owner@hooli.test' });
    await page.getByRole('img', { name: /^Leads a day: 502 in all/ }).waitFor();
    expect(await rows(page, 'Forms')).toEqual(['Contact\t502\t1,001 −50%']);
    const websites = await rows(page, 'Websites');
    expect(websites.length).toBe(20);
    expect(websites[0]).toMatch(/\t2\t1 \+100%$/);
    await page.getByText('The first 20 of 501. The CSV file has 501.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const file = readCsv(await readFile(await download.path(), 'utf8'))!;
    expect(file).toContainEqual(['Contact', '502', '1001']);
    expect(file.filter((row) => row.slice(1).join() === '1,2').length).toBe(500);
    expect(file.filter((row) => row.slice(1).join() === '2,1').length).toBe(1);
  });

  test('tell a year by its months', async () => {
    const { page } = await openPage({}, '?from=2025-07-01&to=2026-06-30');
    await page
      .getByRole('img', { name: 'Page views by month: 0 · 0 · 0 · 0 · 0 · 0 · 0 · 0 · 0 · 0 · 40 · 60' })
      .first()
      .waitFor();
    // Page views of the year before are no longer kept, unlike leads.
    expect(await rows(page, 'Pages')).toEqual(['www.acme.test/prices\t\t100\t–']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain('"Pages by month"\r\n"Month from","Page","Page views"\r\n"2026-05-01",');
  });

  test('print as a report: name, days, figures and bars, and nothing to press', async () => {
    const { page } = await openPage({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('region', { name: 'The figures as a table' }).getByRole('row').last().waitFor();
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(await page.locator('svg rect').filter({ visible: true }).count()).toBe(3);
    await picture({ page }, 'statistics-print');
  });

  test('are cut off nowhere on A4, whatever campaigns and pages are called', async () => {
    const { page, expectFits } = await openPage({ as: 'owner@globex.test', locale: 'fr-FR' });
    // The width between margins of 12 mm.
    await page.setViewportSize({ width: 703, height: 1_000 });
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('region', { name: 'Provenance' }).getByRole('row').last().waitFor();
    const cut = await page
      .getByRole('region')
      .evaluateAll((tables) =>
        tables
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ ariaLabel, scrollWidth, clientWidth }) => [ariaLabel, scrollWidth, clientWidth]),
      );
    expect(cut).toEqual([]);
    await expectFits();
    await picture({ page }, 'statistics-hostile-print-fr');
  });

  test('ask staff for a team first, and find it by its name', async () => {
    const { page, expectAccessible } = await open('/statistics', { as: STAFF });
    await page.getByText('Choose the team whose figures you want to see.').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Choose' }).click();
    await page.getByRole('option', { name: /^Association/ }).click();
    await page.getByRole('heading', { name: /^Association/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('team')).toBe(teamId);
  });

  test('go to the owners each month once a manager has chosen so, by keyboard', async () => {
    const { page, expectAccessible } = await openPage();
    const box = page.getByRole('checkbox', { name: 'Send the report of each month to the owners by e-mail' });
    await box.focus();
    await page.keyboard.press('Space');
    await page.getByText('The owners get the report of each month, this month’s first.').waitFor();
    await expectAccessible();
    const { db } = app().services;
    const since = async () =>
      (await db.orm.team.findUniqueOrThrow({ where: { id: Number(teamId) } })).monthlyReportSince;
    expect(await since()).not.toBeNull();
    await page.reload();
    await eventually(() => box.isChecked());
    await box.focus();
    await page.keyboard.press('Space');
    await eventually(async () => (await since()) === null);
  });

  test('offer a member no choice of the report, in French', async () => {
    const { page, expectAccessible } = await openPage({ as: MEMBER, locale: 'fr-FR' });
    await page.getByRole('img', { name: /^Demandes par jour : 15 en tout/ }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await expectAccessible();
    await picture({ page }, 'statistics-team-fr');
  });

  test('of another team are not found', async () => {
    const other = await app().services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    const { page } = await open(`/statistics?team=${other.id}`, { as: OWNER });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('img').count()).toBe(0);
  });

  test.each([...LOOKS, { ...LOOKS[2], locale: 'fr-FR' }])(
    'fit with hostile names in every look',
    async (look) => {
      const { page, expectFits, expectAccessible } = await openPage({ ...look, as: 'owner@globex.test' });
      await expectFits();
      // Scrolled sideways, a number may be in sight without its heading.
      const hidden = await page
        .getByRole('table')
        .locator('..')
        .evaluateAll((boxes: { scrollWidth: number; clientWidth: number }[]) =>
          boxes.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth),
        );
      expect(hidden.filter((width) => width > 0)).toEqual([]);
      await expectAccessible();
      const language = 'locale' in look ? '-fr' : '';
      await picture({ page }, `statistics-hostile-${look.colorScheme}-${look.viewport.width}${language}`);
      await page.emulateMedia({ media: 'print' });
      await picture({ page }, `statistics-hostile-print-${look.viewport.width}${language}`);
    },
  );

  test.each(LOOKS)('fit, and are accessible, in every look', async (look) => {
    const { page, expectFits, expectAccessible } = await openPage(look);
    await expectFits();
    await expectAccessible();
    await picture({ page }, `statistics-team-${look.colorScheme}-${look.viewport.width}`);
  });
});
