import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { contactForm, provision, team } from '../../support/factories.js';
import { hasFocus, LOOKS, MAX_WEIGHT, type Opened, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const LOCALES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'ar', 'he'];
const { app, open } = panelTest({ env: { PLATFORM_LOCALES: LOCALES.join() } });

/** A form of a team of its own, so that tests do not meet. */
async function formOf(slug: string, form: Record<string, unknown> = {}): Promise<string> {
  await provision(app().services, [team(slug, { forms: [contactForm(form)] })]);
  const { id } = await app().services.db.orm.form.findFirstOrThrow({ where: { team: { slug } } });
  return String(id);
}

type OpenOptions = Parameters<typeof open>[1] & { language?: string; role?: string };

/** The translations of the contact form of a new team. */
async function openTranslations(
  slug: string,
  { language = 'en', role = 'owner', ...options }: OpenOptions = {},
  form?: Record<string, unknown>,
): Promise<Opened & { id: string }> {
  const id = await formOf(slug, form);
  const address = `/forms/${id}?tab=translations&language=${language}`;
  const opened = await open(address, { as: `${role}@${slug}.test`, ...options });
  await opened.page.locator('fieldset').first().waitFor();
  return { ...opened, id };
}

const box = (page: Page, group: string | RegExp, name: string): Locator =>
  page.getByRole('group', { name: group }).getByRole('textbox', { name, exact: true });

const languages = (page: Page) => page.getByRole('navigation', { name: 'Languages' }).getByRole('link');

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
}

const CONTENT = { include: { translations: true, fields: { include: { translations: true } } } } as const;
const stored = (id: string) =>
  app().services.db.orm.form.findUniqueOrThrow({ where: { id: Number(id) }, ...CONTENT });

test('what is missing is counted, jumped to by keyboard and saved', async () => {
  const { page, id, expectAccessible, expectSafe } = await openTranslations('jump');
  expect(await languages(page).allInnerTexts()).toEqual(['English\n6 missing']);
  await page.getByRole('button', { name: 'Next missing' }).focus();
  await page.keyboard.press('Enter');
  const button = box(page, 'The form itself', 'Text of the button');
  expect(await hasFocus(button)).toBe(true);
  await page.keyboard.type('Send');
  await page.keyboard.press('Control+Enter');
  const name = box(page, 'Nom', 'Label');
  expect(await hasFocus(name)).toBe(true);
  await page.keyboard.type('Name');
  await page.keyboard.press('Control+Enter');
  expect(await hasFocus(box(page, 'Sujet', 'Label'))).toBe(true);
  // Out of the text box, a single key does the same.
  await page.getByRole('tab', { name: 'Translations' }).focus();
  await page.keyboard.press('n');
  await page.keyboard.press('Control+Enter');
  expect(await hasFocus(box(page, 'Sujet', 'Option “other”'))).toBe(true);
  await page.getByRole('link', { name: 'English 4 missing' }).waitFor();
  await expectAccessible();
  await save(page);
  const form = await stored(id);
  expect(form.translations[0]).toMatchObject({ submitButtonText: 'Send', confirmationMessage: 'Thank you.' });
  expect(form.fields.find((field) => field.name === 'name')?.translations[0]?.label).toBe('Name');
  await expectSafe();
});

test('a complete language leads to the next one that lacks something, and the last text ends the way', async () => {
  const form = {
    fields: [{ name: 'email', type: 'email', label: 'E-mail' }],
    translations: {
      en: {
        submit_button_text: 'Send',
        confirmation_message: 'Thank you.',
        fields: { email: { label: 'E-mail' } },
      },
      de: { submit_button_text: 'Senden', confirmation_message: 'Danke.' },
    },
  };
  const { page } = await openTranslations('complete', {}, form);
  expect(await languages(page).allInnerTexts()).toEqual(['English\ncomplete', 'German\n1 missing']);
  await page.getByRole('button', { name: 'Next missing' }).click();
  const label = box(page, 'E-mail', 'Label');
  await label.and(page.locator(':focus')).and(page.locator('[lang=de]')).waitFor();
  expect(new URL(page.url()).searchParams.get('language')).toBe('de');
  await page.keyboard.type('E-Mail');
  await page.getByRole('button', { name: 'Next missing', disabled: true }).waitFor();
});

test('a language is added, is written from right to left, and is removed after a question', async () => {
  const { page, id, expectAccessible } = await openTranslations('languages');
  await page.getByRole('button', { name: 'Add a language' }).click();
  await page.getByRole('menuitem').first().waitFor();
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'German',
    'Spanish',
    'Italian',
    'Dutch',
    'Arabic',
    'Hebrew',
  ]);
  await page.getByRole('menuitem', { name: 'Arabic' }).click();
  const label = box(page, 'E-mail', 'Label');
  // Until the address has the language, the text box is that of the one before.
  await label.and(page.locator('[lang=ar]')).waitFor();
  await label.fill('البريد الإلكتروني');
  expect(await label.getAttribute('dir')).toBe('rtl');
  expect(await label.getAttribute('lang')).toBe('ar');
  expect(new URL(page.url()).searchParams.get('language')).toBe('ar');
  await save(page);
  expect((await stored(id)).translations.map(({ locale }) => locale)).toContain('ar');
  await page.getByRole('button', { name: 'Remove Arabic' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Arabic' });
  await dialog.getByText('1 text in Arabic would be removed.').waitFor();
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Remove Arabic' }).click();
  await languages(page).nth(1).waitFor({ state: 'detached' });
  await save(page);
  expect((await stored(id)).translations.map(({ locale }) => locale)).toEqual(['en']);
});

test('an export is imported again, with what was translated in it and every fault by its row', async () => {
  const { page, id, expectAccessible, expectFits, expectSafe } = await openTranslations('file');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('contact-translations.csv');
  const exported = await readFile(await download.path(), 'utf8');
  expect(exported.startsWith('\uFEFF"key","fr","en"\r\n')).toBe(true);
  const importing = async (file: string) => {
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import' }).click();
    const chooser = await choosing;
    await chooser.setFiles({ name: 'back.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
  };
  const dialog = page.getByRole('dialog', { name: 'Import' });
  await importing(exported);
  await dialog.getByText('The file changes nothing in this form.').waitFor();
  await dialog.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await importing(
    `${exported.replace('"en"', '"en","he","tlh"').replace('"submitButtonText","Envoyer",""', '"submitButtonText","Envoyer","Send <b>now</b>","שלח","ngeH"')}"nothing/label","Rien","Nothing"\r\n`,
  );
  await dialog.getByText('The file changes 2 texts.').waitFor();
  expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual([
    'Row 1 tlh This is no language of the installation.',
    expect.stringMatching(/^Row \d+ nothing\/label This form has no such text\.$/),
    'English: 1 new, 0 changed',
    'Hebrew, a new language: 1 new, 0 changed',
  ]);
  await dialog.getByRole('cell', { name: 'Send <b>now</b>' }).waitFor();
  await expectAccessible();
  await picture({ page }, 'translations-import');
  await page.setViewportSize({ width: 360, height: 740 });
  await expectFits();
  await picture({ page }, 'translations-import-360');
  await page.setViewportSize({ width: 1280, height: 720 });
  await dialog.getByRole('button', { name: 'Take over' }).click();
  await page.getByText('2 texts are in the draft.').waitFor();
  await languages(page).nth(1).waitFor();
  expect((await stored(id)).translations).toHaveLength(1);
  await save(page);
  const translations = (await stored(id)).translations.map((texts) => [texts.locale, texts.submitButtonText]);
  expect(translations.sort()).toEqual([
    ['en', 'Send <b>now</b>'],
    ['he', 'שלח'],
  ]);
  await importing('\xff\xfe'.repeat(3));
  await dialog.getByText('The first column must be “key”, as in an export.').waitFor();
  await expectSafe();
});

test('a fault shows at its text, before and after the gateway has seen it', async () => {
  const form = { privacy_notice: { text: 'Vos données.', url: 'https://acme.test/rgpd' } };
  const { page } = await openTranslations('faults', {}, form);
  const link = box(page, 'The form itself', 'Link of the privacy notice');
  await link.fill('rgpd');
  await page.getByText('Enter an address that begins with http:// or https://.').waitFor();
  expect(await link.getAttribute('aria-invalid')).toBe('true');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').first().waitFor();
  await eventually(() => hasFocus(link));
  await link.fill('https://acme.test/privacy');
  await eventually(async () => (await link.getAttribute('aria-invalid')) === 'false');
  await save(page);
});

test('white space is no translation', async () => {
  const { page, id } = await openTranslations('white');
  const button = box(page, 'The form itself', 'Text of the button');
  await button.fill(' \u00a0');
  await box(page, 'Nom', 'Label').fill('Name');
  await eventually(async () => (await languages(page).allInnerTexts()).join() === 'English\n5 missing');
  await save(page);
  expect((await stored(id)).translations).toMatchObject([{ locale: 'en', submitButtonText: null }]);
});

test('a refused translation is led to from another tab and another language', async () => {
  const form = {
    privacy_notice: { text: 'Vos données.', url: 'https://acme.test/rgpd' },
    translations: { en: {}, de: {} },
  };
  const { page } = await openTranslations('led', { language: 'de' }, form);
  await box(page, 'The form itself', 'Link of the privacy notice').fill('rgpd');
  await languages(page).first().click();
  await page.getByRole('tab', { name: 'Fields' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('textarea[lang=de]:focus').waitFor();
  expect(new URL(page.url()).searchParams.get('tab')).toBe('translations');
  expect(new URL(page.url()).searchParams.get('language')).toBe('de');
});

test('a member reads the translations and finds nothing to change', async () => {
  const { page, expectAccessible, expectSafe } = await openTranslations('member', { role: 'member' });
  await page.getByText('E-mail address').waitFor();
  expect(await page.getByRole('textbox').count()).toBe(0);
  expect(await page.getByRole('tabpanel').getByRole('button').allInnerTexts()).toEqual(['Export']);
  await expectAccessible();
  await expectSafe();
});

test.each(LOOKS)('the page is accessible, fits and is light: %j', async (look) => {
  const name = `${look.colorScheme}-${look.viewport.width}`;
  const form = {
    confirmation_message: 'Merci de votre message.\nNous revenons vers vous sous deux jours ouvrés, promis.',
    translations: {
      en: { submit_button_text: 'Send' },
      ar: {
        submit_button_text: 'إرسال',
        fields: { topic: { label: 'الموضوع', options: { quote: 'عرض سعر' } } },
      },
    },
  };
  const options = { ...look, language: 'ar', locale: look.viewport.width === 360 ? 'fr-FR' : 'en-GB' };
  const opened = await openTranslations(`look-${name}`, options, form);
  await opened.expectAccessible();
  await opened.expectFits();
  await picture(opened, `translations-${name}`);
  expect(await opened.weight()).toBeLessThanOrEqual(MAX_WEIGHT.page);
  await opened.expectSafe();
});

test('200 fields in 7 languages stay fluent', async () => {
  const fields = Array.from({ length: 200 }, (_, index) => ({
    name: `field_${index}`,
    type: 'select',
    label: `Champ ${index}`,
    placeholder: 'Choisissez',
    help_text: 'Une phrase qui explique ce qui est attendu ici.',
    options: [1, 2, 3].map((value) => ({ value: `v${value}`, label: `Choix ${value}` })),
  }));
  const translations = Object.fromEntries(LOCALES.slice(1).map((locale) => [locale, {}]));
  const { page, expectSafe } = await openTranslations('many', {}, { fields, translations });
  const last = box(page, 'Champ 199', 'Label');
  await last.focus();
  // From a key to the frame that shows it, thirty times.
  const times = (await page.evaluate(`new Promise((resolve) => {
    const box = document.activeElement;
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;
    const times = [];
    const type = () => {
      const startedAt = performance.now();
      set.call(box, box.value + 'x');
      box.dispatchEvent(new Event('input', { bubbles: true }));
      requestAnimationFrame(() => setTimeout(() => {
        times.push(performance.now() - startedAt);
        if (times.length < 30) type();
        else resolve(times);
      }));
    };
    type();
  })`)) as number[];
  expect(await last.inputValue()).toBe('x'.repeat(30));
  const sorted = times.sort((a, b) => a - b);
  process.stdout.write(
    `A keystroke among 200 fields: median ${sorted[15]!.toFixed(1)} ms, slowest ${sorted[29]!.toFixed(1)} ms\n`,
  );
  await expectSafe();
});
