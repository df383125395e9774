import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { contactForm, provision, team } from '../../support/factories.js';
import { hasFocus, LOOKS, MAX_WEIGHT, type Opened, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest({ env: { PLATFORM_LOCALES: 'fr,en,de,ar' } });

type OpenOptions = Parameters<typeof open>[1] & { role?: string };

/** The texts of the contact form of a new team. */
async function openTexts(
  slug: string,
  { role = 'owner', ...options }: OpenOptions = {},
  form: Record<string, unknown> = {},
): Promise<Opened & { stored(): Promise<object> }> {
  await provision(app().services, [team(slug, { forms: [contactForm(form)] })]);
  const stored = () => app().services.db.orm.form.findFirstOrThrow({ where: { team: { slug } } });
  const { id } = await stored();
  const opened = await open(`/forms/${id}?tab=texts`, { as: `${role}@${slug}.test`, ...options });
  await opened.page.getByText(/Text of the button|Texte du bouton/).waitFor();
  return { ...opened, stored };
}

const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

test('name, texts and language are edited and saved, by keyboard alone', async () => {
  const { page, stored, expectAccessible, expectSafe } = await openTexts('edit');
  await box(page, 'Name').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Contact <us>');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const options = page.getByRole('option');
  await options.first().waitFor();
  // English is translated into already.
  expect(await options.allInnerTexts()).toEqual(['French', 'German', 'Arabic']);
  await eventually(() => hasFocus(options.first()));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await eventually(() => hasFocus(page.getByRole('button', { name: /^German/ })));
  await page.keyboard.press('Tab');
  await eventually(() => hasFocus(box(page, 'Text of the button')));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Absenden');
  await box(page, 'Privacy notice').fill('Ihre Daten.\nNur dafür.');
  await box(page, 'Link of the privacy notice').fill('https://acme.test/datenschutz');
  await expectAccessible();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({
    name: 'Contact <us>',
    active: false,
    sourceLocale: 'de',
    submitButtonText: 'Absenden',
    privacyNoticeText: 'Ihre Daten.\nNur dafür.',
    privacyNoticeUrl: 'https://acme.test/datenschutz',
  });
  await page.getByText('Not shown').waitFor();
  await expectSafe();
});

test('what is wrong is said at its field, before and after the gateway has seen it', async () => {
  const { page, stored } = await openTexts('faults');
  await box(page, 'Text of the button').fill('');
  await page.getByText('Fill in this field.').waitFor();
  await box(page, 'After submitting').fill('x'.repeat(5001));
  await page.getByText('This is longer than 5,000 characters.').waitFor();
  await box(page, 'Link of the privacy notice').fill('javascript:alert(1)');
  await page.getByText('Enter an address that begins with http:// or https://.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').first().waitFor();
  expect(await box(page, 'Text of the button').getAttribute('aria-invalid')).toBe('true');
  await box(page, 'Text of the button').fill('Envoyer');
  await box(page, 'After submitting').fill('Merci.');
  await box(page, 'Link of the privacy notice').fill('');
  const faults = page.getByText(/Fill in this field|longer than|begins with/);
  await eventually(async () => (await faults.count()) === 0);
  await page.getByRole('textbox', { name: 'Name' }).fill('Mended');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect(await stored()).toMatchObject({ name: 'Mended', privacyNoticeUrl: null });
});

test('a missing name is told with the other faults, while the saved one stands above', async () => {
  const { page } = await openTexts('nameless', {}, { name: 'Devis' });
  await box(page, 'Name').fill('');
  await box(page, 'Text of the button').fill('');
  await page.getByRole('tab', { name: 'Texts: 2 to mend' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The form is not saved: 2 things are to be mended.').waitFor();
  await eventually(() => hasFocus(box(page, 'Name')));
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Devis');
  await picture({ page }, 'texts-nameless');
});

test('a text of white space is not saved, and its field has the focus', async () => {
  const { page, stored } = await openTexts('blank');
  await box(page, 'After submitting').fill(' \u00a0');
  await page.getByRole('tab', { name: 'Fields' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Fill in this field.').waitFor();
  await eventually(() => hasFocus(box(page, 'After submitting')));
  expect(await stored()).toMatchObject({ version: 1, confirmationMessage: 'Merci.' });
});

test('a member reads the texts and finds nothing to change', async () => {
  const { page, expectAccessible, expectSafe } = await openTexts('member', { role: 'member' });
  await page.getByText('Envoyer').waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
  await expectAccessible();
  await expectSafe();
});

test.each(LOOKS)('the page is accessible, fits and is light: %j', async (look) => {
  const name = `${look.colorScheme}-${look.viewport.width}`;
  const form = {
    source_locale: 'ar',
    translations: {},
    name: 'نموذج الاتصال',
    submit_button_text: 'إرسال',
    confirmation_message: 'شكرا لك.\nسنرد عليك قريبا.',
  };
  const locale = look.viewport.width === 360 ? 'fr-FR' : 'en-GB';
  const opened = await openTexts(`look-${name}`, { ...look, locale }, form);
  await opened.expectAccessible();
  await opened.expectFits();
  await picture(opened, `texts-${name}`);
  expect(await opened.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
  await opened.expectSafe();
});
