import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { v7 as uuid } from 'uuid';
import { provision, team, website, websiteId } from '../../support/factories.js';
import { countAllDays, recordedLeads } from '../../support/leads.js';
import { createAccount } from '../../support/panel.js';
import { LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const [STAFF, OWNER, MEMBER] = ['staff@agency.test', 'owner@acme.test', 'member@acme.test'];
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
  await countAllDays(services);
  const visits = (day: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      ...{ id: uuid(), websiteId: www, visitorHash: `visitor${n}`, createdAt: on(day) },
      ...{ pageUrl: 'https://www.acme.test/prices', utmCampaign: '=HYPERLINK("http://evil.test")' },
    }));
  await db.orm.visit.createMany({ data: [...visits('2026-06-11', 60), ...visits('2026-05-11', 40)] });
});

/** The texts of a table's rows below its heading. */
const rows = async (page: Page, table: string) =>
  (await page.getByRole('region', { name: table, exact: true }).getByRole('row').allInnerTexts()).slice(1);

const openPage = async (options: Parameters<typeof open>[1] = {}, search = `?${PERIOD}`) => {
  const opened = await open(`/statistics${search}`, { as: OWNER, ...options });
  await opened.page.getByRole('img').nth(1).waitFor();
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
    expect(await rows(page, 'Websites')).toEqual(['www\t12\t8', 'shop\t3\t0']);
    expect(await rows(page, 'Pages')).toEqual(['https://www.acme.test/prices\t60\t40']);
    expect(await rows(page, 'Languages')).toEqual(['French\t15\t8']);
    expect((await rows(page, 'Where they came from'))[0]).toMatch(/\t60\t40\t0\t0$/);
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
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

  test('print as a report: name, days, figures and bars, and nothing to press', async () => {
    const { page } = await openPage({ colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('region', { name: 'The figures as a table' }).getByRole('row').last().waitFor();
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(await page.locator('svg rect').filter({ visible: true }).count()).toBe(3);
    await picture({ page }, 'statistics-print');
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

  test.each(LOOKS)('fit, and are accessible, in every look', async (look) => {
    const { page, expectFits, expectAccessible } = await openPage(look);
    await expectFits();
    await expectAccessible();
    await picture({ page }, `statistics-team-${look.colorScheme}-${look.viewport.width}`);
  });
});
