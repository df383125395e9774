import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { v7 as uuid } from 'uuid';
import { provision, team, website, websiteId } from '../../support/factories.js';
import { countAllDays, recordedLeads } from '../../support/leads.js';
import { LOOKS, MAX_WEIGHT, type Opened, panelTest, picture } from '../../support/panel-pages.js';
import { countAllVisits } from '../../support/visits.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];
const DAY_MS = 86_400_000;
/** The names of the large curves. */
const DAILY = /^(Leads|Visitors) a day: |^(Demandes|Visiteurs) par jour\s: /;

let site: string;
let quiet: string;

const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
const dayText = (days: number) => ago(days).toISOString().slice(0, 10);

beforeAll(async () => {
  const { services } = app();
  const sites = ['www', 'quiet'].map((name) => website(`${name}.acme.test`, { time_zone: 'UTC' }));
  await provision(services, [team('acme', { websites: sites })]);
  site = await websiteId(services, 'www.acme.test');
  quiet = await websiteId(services, 'quiet.acme.test');
  const { db } = services;
  for (let days = 0; days < 60; days++) {
    await recordedLeads(services, site, 1 + ((days * 5) % 7), ago(days));
  }
  await countAllDays(services);
  const [german] = await recordedLeads(services, site, 1, ago(1));
  await db.orm.submission.update({
    where: { id: german! },
    data: { locale: 'de', attribution: { utm_campaign: 'spring <b>sale</b>', utm_source: 'letter' } },
  });
  await db.orm.visit.createMany({
    data: Array.from({ length: 900 }, (_, n) => ({
      id: uuid(),
      websiteId: site,
      visitorHash: `visitor${n}`,
      createdAt: ago(n % 30),
      pageUrl: `https://www.acme.test/${n % 3 ? '' : 'a-page-with-a-rather-long-address/that-goes-on/and-on'}`,
      ...(n % 4 === 0 && { utmCampaign: 'spring <b>sale</b>', utmSource: 'letter' }),
    })),
  });
  await countAllVisits(services);
});

async function openStatistics(
  id: string,
  options: Parameters<typeof open>[1] = {},
  search = '',
): Promise<Opened> {
  const opened = await open(`/websites/${id}?tab=statistics${search}`, { as: OWNER, ...options });
  await opened.page.getByRole('img', { name: DAILY }).nth(1).waitFor();
  // The table of sources is read by a query of its own.
  await opened.page.getByRole('heading', { name: /^(Where they came from|Provenance)$/ }).waitFor();
  return opened;
}

/** The texts of a table's rows below its heading. */
const rows = async (page: Page, table: string) =>
  (await page.getByRole('region', { name: table, exact: true }).getByRole('row').allInnerTexts())
    .slice(1)
    // A name is a block, and an empty change a space.
    .map((row) => row.replaceAll(/\n| (?=\t|$)/g, ''));

describe('the statistics of a website', () => {
  test('show leads, visits and conversion, as curves and as a table', async () => {
    const { page, expectSafe, expectAccessible, weight } = await openStatistics(site);
    const visitors = page
      .getByText('Visitors', { exact: true })
      .first()
      .locator('xpath=following-sibling::dd');
    expect(await visitors.innerText()).toBe('900');
    await page.getByRole('img', { name: /^Visitors a day: 900 in all, at most 30 on a day/ }).waitFor();
    await page.getByRole('img', { name: /^Leads a day: 1\d\d in all/ }).waitFor();
    await page.getByText('The figures as a table').click();
    const figures = await rows(page, 'The figures as a table');
    expect(figures.length).toBe(30);
    expect(figures[28]).toMatch(/\t7\t30\t30\t23\.3%$/);
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
  });

  test('show pages, campaigns, forms, languages and e-mails', async () => {
    const { page, expectSafe } = await openStatistics(site);
    expect(await rows(page, 'Pages')).toEqual([
      '/\t\t600',
      '/a-page-with-a-rather-long-address/that-goes-on/and-on\t\t300',
    ]);
    expect(await rows(page, 'Where they came from')).toEqual([
      expect.stringMatching(/^None\t\t675\t1\d\d$/),
      'spring <b>sale</b>\t\t225\t1',
    ]);
    expect(await rows(page, 'Languages')).toEqual([
      expect.stringMatching(/^French\t\t1\d\d$/),
      'German\t\t1',
    ]);
    expect(await rows(page, 'Forms')).toEqual([expect.stringMatching(/^Contact\t1\d\d$/)]);
    const counts = async (table: string) =>
      (await rows(page, table)).reduce((sum, row) => sum + Number(row.split('\t')[1]), 0);
    expect(await counts('E-mails')).toBe(await counts('Forms'));
    for (const row of await rows(page, 'E-mails')) expect(row).toMatch(/^E-mail (sent|on its way)\t\d+$/);
    await page
      .getByRole('img', { name: /^Page views by day: 3?0( · 3?0){29}$/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'By', exact: false }).filter({ hasText: 'Campaign' }).click();
    await page.getByRole('option', { name: 'Source', exact: true }).click();
    await eventually(async () => (await rows(page, 'Where they came from')).includes('letter\t\t225\t1'));
    expect(new URL(page.url()).searchParams.get('by')).toBe('source');
    await expectSafe();
  });

  test('lead to the page that prints and downloads the same days of the same website', async () => {
    const { page } = await openStatistics(site, {}, '&period=week');
    await page.getByRole('link', { name: 'Compare, print or download' }).click();
    await page.getByRole('button', { name: 'Print' }).waitFor();
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect([pathname, searchParams.get('site'), searchParams.get('period')]).toEqual([
      '/panel/statistics',
      site,
      'week',
    ]);
    await page.getByRole('img', { name: /^Visitors a day: 210 in all/ }).waitFor();
  });

  test('are those of the period that is chosen, which the address keeps', async () => {
    const { page } = await openStatistics(site);
    await page.getByRole('button', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Last 7 days' }).click();
    await page.getByRole('img', { name: /^Visitors a day: 210 in all/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('period')).toBe('week');
    await page.getByRole('button', { name: 'Period' }).click();
    await page.getByRole('option', { name: 'Other days' }).click();
    await page.getByRole('textbox', { name: 'From' }).fill(dayText(2));
    await page.getByRole('img', { name: /^Visitors a day: 90 in all/ }).waitFor();
    await page.reload();
    await page.getByRole('img', { name: /^Visitors a day: 90 in all/ }).waitFor();
    expect(await page.getByRole('textbox', { name: 'From' }).inputValue()).toBe(dayText(2));
  });

  test('take over a day that is typed once it is whole, and Back leads to the days before', async () => {
    const [from, to] = [dayText(20), dayText(5)];
    const { page } = await openStatistics(site, {}, `&from=${from}&to=${to}`);
    await page.getByRole('textbox', { name: 'From' }).focus();
    // The first of January in every order of day and month.
    await page.keyboard.type(`0101${to.slice(0, 4)}`, { delay: 20 });
    expect(page.url()).toContain(`from=${from}`);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('from') === `${to.slice(0, 4)}-01-01`);
    expect(new URL(page.url()).searchParams.get('to')).toBe(to);
    await page.goBack();
    await page.waitForURL((url) => url.searchParams.get('from') === from);
    await eventually(async () => (await page.getByRole('textbox', { name: 'From' }).inputValue()) === from);
  });

  test('say the figure of the day under the pointer', async () => {
    const { page } = await openStatistics(site);
    await page.getByRole('img', { name: /^Visitors a day/ }).hover();
    await page.getByText(/^\d+ \w+: 30$/).waitFor();
  });

  test('of a website without any say so', async () => {
    const { page, expectAccessible } = await openStatistics(quiet);
    expect(await page.getByText('No visits in these days.').count()).toBe(2);
    expect(await page.getByText('No leads in these days.').count()).toBe(3);
    await expectAccessible();
  });

  test('are there for a member too, in French', async () => {
    const { page, expectAccessible } = await openStatistics(site, { as: MEMBER, locale: 'fr-FR' });
    await page.getByRole('img', { name: /^Visiteurs par jour : 900 en tout/ }).waitFor();
    await expectAccessible();
    await picture({ page }, 'statistics-fr');
  });

  test('that cannot be read can be tried again', async () => {
    const { page } = await openStatistics(site);
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('websiteStatistics')
        ? route.fulfill({
            json: { errors: [{ message: 'No.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
          })
        : route.fallback(),
    );
    await page.reload();
    await page.getByText('Something went wrong in the gateway.').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('img', { name: /^Visitors a day: 900/ }).waitFor();
  });

  test.each(LOOKS)('fit, and are accessible, in every look', async (look) => {
    const { page, expectFits, expectAccessible } = await openStatistics(site, look);
    await expectFits();
    await expectAccessible();
    await picture({ page }, `statistics-${look.colorScheme}-${look.viewport.width}`);
  });

  test('are printed with their figures', async () => {
    const { page } = await openStatistics(site);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('img', { name: DAILY }).first().isVisible()).toBe(false);
    await page.getByRole('region', { name: 'The figures as a table' }).getByRole('row').last().waitFor();
  });
});
