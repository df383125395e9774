import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { provision, team } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { panelTest, picture } from '../../support/panel-pages.js';

/** Screen readers say what comes into a region that stands in the page before, and not one that comes with its text. */
const { app, open } = panelTest();
const [STAFF, OWNER] = ['staff@agency.test', 'owner@acme.test'];

beforeAll(async () => {
  await provision(app().services, [team('acme')]);
  await createAccount(app().services, { email: STAFF, staff: true });
});

/** Marks the region that stands in a page, by which it is known again. */
async function markRegion(page: Page): Promise<void> {
  const region = page.getByRole('main').getByRole('status').last();
  await region.evaluate((element: { id: string }) => {
    element.id = 'marked';
  });
}

const said = (page: Page, text: string) => page.locator('#marked').getByText(text);

test.each([
  ['websites', 'No website fits.'],
  ['forms', 'No form has this in its name.'],
  ['teams', 'No team fits.'],
  ['people', 'No account matches.'],
])('the list of %s says that it finds nothing', async (path, text) => {
  const { page, expectAccessible } = await open(`/${path}`, { as: STAFF });
  await page.getByRole('main').getByRole('row').first().waitFor();
  await markRegion(page);
  await page.getByRole('main').getByRole('searchbox').fill('nothing like it');
  await said(page, text).waitFor();
  await expectAccessible();
  await picture({ page }, `nothing-${path}`);
});

test('a search for a person says that there is nothing', async () => {
  const { page, expectAccessible } = await open('/privacy', { as: OWNER });
  const email = page.getByRole('textbox', { name: 'E-mail' });
  await email.waitFor();
  await markRegion(page);
  for (const address of ['gone@x.test', 'other@x.test']) {
    await email.fill(address);
    await page.keyboard.press('Enter');
    await said(page, `There is nothing about ${address}.`).waitFor();
  }
  await expectAccessible();
  await picture({ page }, 'nothing-privacy');
});

test('an import says what it has found, and what is wrong with a file at its box', async () => {
  const { page, expectAccessible } = await open('/websites/import', { as: OWNER });
  const rows = page.getByRole('textbox', { name: 'Or paste the rows' });
  await rows.waitFor();
  await markRegion(page);
  await rows.fill(
    'name,host,url,locale,email,time_zone\nOne,one.acme.test,https://one.acme.test,fr,a@x.test,Moon',
  );
  await page.getByRole('button', { name: 'Check' }).click();
  await said(page, '1 fault').waitFor();
  await rows.fill(
    'name,host,url,locale,email,time_zone\nOne,one.acme.test,https://one.acme.test,fr,a@x.test,',
  );
  await page.getByRole('button', { name: 'Check' }).click();
  await said(page, '1 website for acme').waitFor();
  const file = page.getByLabel('File (CSV)');
  await file.setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from('Théâtre', 'latin1') });
  await page.getByText('The file is not UTF-8.').waitFor();
  expect(await file.getAttribute('aria-invalid')).toBe('true');
  const fault = await file.getAttribute('aria-describedby');
  expect(await page.locator(`[id="${fault}"]`).innerText()).toMatch(/^The file is not UTF-8\./);
  await expectAccessible();
  await picture({ page }, 'import-file-fault');
  await rows.fill('x'.repeat(200_001));
  expect(await rows.getAttribute('aria-invalid')).toBe('true');
});

test('the request of a link to a new password says that it is sent', async () => {
  const { page, expectAccessible } = await open('/reset');
  await page.getByRole('textbox', { name: 'E-mail' }).fill(OWNER);
  await markRegion(page);
  await page.keyboard.press('Enter');
  await said(page, OWNER).waitFor();
  await expectAccessible();
  await picture({ page }, 'reset-sent');
});
