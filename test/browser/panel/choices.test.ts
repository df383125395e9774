import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provision, team, website } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { panelTest, picture } from '../../support/panel-pages.js';

const { app, open } = panelTest();
const [STAFF, OWNER] = ['staff@agency.test', 'owner@many.test'];
const MORE = 'There are more: search for them.';

beforeAll(async () => {
  const { services } = app();
  const { orm } = services.db;
  await provision(services, [
    team('many', { name: 'Many Sites', websites: [website('www.many.test', { name: 'Contact' })] }),
    team('acme', { name: 'Acme', websites: [website('www.acme.test', { name: 'Contact' })] }),
  ]);
  await createAccount(services, { email: STAFF, staff: true });
  const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'many' } });
  const { id: _id, ...template } = await orm.website.findFirstOrThrow({ where: { teamId } });
  await orm.website.createMany({
    data: Array.from({ length: 59 }, (_, n) => ({ ...template, host: `s${n}.many.test`, name: `Site ${n}` })),
  });
  const { id: _teamId, ...plain } = await orm.team.findUniqueOrThrow({ where: { id: teamId } });
  await orm.team.createMany({
    data: Array.from({ length: 50 }, (_, n) => ({ ...plain, slug: `client-${n}`, name: `Client ${n}` })),
  });
});

const options = (page: Page) => page.getByRole('option');

/** Fails unless the list says below its options that there are more, and no longer once a search finds them all. */
async function expectMore(page: Page, search: string, text: string): Promise<void> {
  await page.getByText(MORE).waitFor();
  // No option, and not in the list, where it would be one more.
  expect(await page.getByRole('listbox').filter({ hasText: MORE }).count()).toBe(0);
  await page.getByRole('searchbox', { name: search, exact: true }).fill(text);
  await page.getByText(MORE).waitFor({ state: 'detached' });
  expect(await options(page).allInnerTexts()).toEqual([text]);
}

describe('a choice among more than are listed says so', () => {
  test('in the inbox', async () => {
    const opened = await open('/inbox', { as: OWNER });
    const { page } = opened;
    await page.getByRole('button', { name: 'Website' }).click();
    await page.getByText(MORE).waitFor();
    expect(await options(page).count()).toBe(50);
    await picture(opened, 'choices-inbox');
    await expectMore(page, 'Find by name', 'Site 58');
  });

  test('of the statistics', async () => {
    const { page } = await open('/statistics', { as: OWNER });
    await page.getByRole('button', { name: /Website/ }).click();
    await expectMore(page, 'Search', 'Site 58');
  });

  test('of the captcha console', async () => {
    const { page } = await open('/captcha', { as: STAFF });
    await page.getByRole('button', { name: /Website/ }).click();
    await expectMore(page, 'Search', 'Site 58');
  });

  test('of teams', async () => {
    const { page } = await open('/websites/new', { as: STAFF });
    await page.getByRole('main').getByRole('button', { name: /Team/ }).click();
    await expectMore(page, 'Search', 'Client 49');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Team: All teams' }).click();
    await page.getByText(MORE).waitFor();
    await expectMore(page, 'Search teams', 'Client 49');
  });
});

test('what has the same name in several teams is told apart and found by its team, unless one team is in view', async () => {
  const opened = await open('/inbox', { as: STAFF });
  const { page } = opened;
  for (const button of ['Website', 'Form']) {
    await page.getByRole('button', { name: button, exact: true }).click();
    await options(page).filter({ hasText: 'Many Sites' }).first().waitFor();
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('acme');
    await page.getByRole('option', { name: 'Contact Acme' }).waitFor();
    await options(page).filter({ hasText: 'Many Sites' }).first().waitFor({ state: 'detached' });
    await picture(opened, `choices-of-teams-${button}`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
  }
  const own = await open('/inbox', { as: OWNER });
  await own.page.getByRole('button', { name: 'Website' }).click();
  await own.page.getByRole('option', { name: 'Contact', exact: true }).waitFor();
  expect(await options(own.page).filter({ hasText: 'Many Sites' }).count()).toBe(0);
});
