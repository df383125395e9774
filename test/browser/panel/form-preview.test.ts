import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Frame, Page } from 'playwright-core';
import { dumpTables } from '../../support/database.js';
import { contactForm, provision, team, website, websiteId } from '../../support/factories.js';
import { hasFocus, LOOKS, MAX_WEIGHT, type Opened, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HOSTILE = '<img src=x onerror=alert(1)><script>alert(2)</script>';

/** The most that the preview adds to the weight of a page: its chunks, its query and the document of its frame. */
const MAX_ADDED_WEIGHT = 18_000;

const { app, open } = panelTest();

const contact = {
  ...contactForm(),
  fields: [
    { name: 'name', type: 'text', label: HOSTILE, help_text: HOSTILE },
    { name: 'email', type: 'email', label: 'E-mail', is_required: true },
    {
      name: 'topic',
      type: 'select',
      label: 'Sujet',
      options: [
        { value: 'quote', label: 'Devis' },
        { value: 'other', label: 'Autre' },
      ],
    },
    {
      name: 'budget',
      type: 'number',
      label: 'Budget',
      attributes: { min: '100' },
      visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
    },
    // Browsers could take too long to match it, so the gateway alone does.
    { name: 'code', type: 'text', label: 'Code', attributes: { pattern: '(\\d+x)+' } },
  ],
  privacy_notice: { text: 'Pour vous répondre.', url: 'https://www.acme.test/rgpd' },
};

const placement = {
  slug: 'contact',
  html_wrapper: '<section class="card" title="Around it"></section>',
  appearance: { '--fg-accent': '#803' },
  confirmation_message: 'À bientôt chez Acme.',
  recipients: ['bureau@acme.test'],
  recipient_rules: [
    {
      when: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
      recipients: ['devis@acme.test'],
    },
  ],
};

const long = {
  ...contactForm({ slug: 'long', name: 'Long' }),
  fields: Array.from({ length: 200 }, (_, index) => ({
    name: `field_${index}`,
    type: 'text',
    label: `Question ${index}`,
    help_text: 'x'.repeat(80),
    ...(index > 0 && {
      visibility: { match: 'all', rules: [{ field: 'field_0', operator: 'not_equals', value: 'none' }] },
    }),
  })),
  translations: Object.fromEntries(
    ['en', 'de', 'es', 'it', 'nl', 'pt'].map((locale) => [
      locale,
      {
        confirmation_message: `${locale} …`,
        fields: Object.fromEntries(
          Array.from({ length: 200 }, (_, index) => [
            `field_${index}`,
            { label: `${locale} ${index}`, placeholder: locale, help_text: locale.repeat(40) },
          ]),
        ),
      },
    ]),
  ),
};

beforeAll(async () => {
  await provision(app().services, [
    team('acme', {
      forms: [contact, long],
      websites: [
        website('www.acme.test', { forms: [placement] }),
        website('en.acme.test', { locale: 'en', name: 'Acme in English' }),
      ],
    }),
  ]);
});

async function openPreview(
  search = '',
  { slug = 'contact', ...options }: Parameters<typeof open>[1] & { slug?: string } = {},
): Promise<Opened & { frame: Frame }> {
  const { id } = await app().services.db.orm.form.findFirstOrThrow({ where: { slug } });
  const opened = await open(`/forms/${id}?preview=1${search}`, { as: 'owner@acme.test', ...options });
  await opened.page.frameLocator('iframe').locator('form').waitFor();
  return { ...opened, frame: opened.page.frames()[1]! };
}

const visit = (page: Page) => page.frameLocator('iframe');

/** Tables that a session in use and the worker's regular jobs write, whatever is submitted. */
const WRITTEN_BY_THE_CLOCK = new Set([
  'backfills',
  'daily_tasks',
  'form_findings',
  'lead_habits',
  'retention_runs',
  'rollup_marks',
  'scheduled_probes',
  'sender_checks',
  'sessions',
]);

/** A preview follows what is typed after a pause of so many milliseconds. */
const PAUSE_MS = 300;

describe('the preview', () => {
  test('shows the draft while it is typed, keeps what was entered, and follows conditions', async () => {
    const { page, frame, expectSafe } = await openPreview('&tab=texts&previewOn=none');
    const shown = visit(page);
    expect(await shown.getByText(HOSTILE).count()).toBe(2);
    expect(await frame.evaluate('document.images.length + document.scripts.length')).toBe(1);
    expect(await shown.getByLabel('Budget').isVisible()).toBe(false);
    await shown.getByLabel('Sujet').selectOption('Devis');
    await shown.getByLabel('Budget').fill('250');
    await page.getByRole('textbox', { name: 'Text of the button' }).fill(`Go ${HOSTILE}`);
    await shown.getByRole('button', { name: `Go ${HOSTILE}` }).waitFor();
    expect(await shown.getByLabel('Budget').inputValue()).toBe('250');
    expect(await hasFocus(page.getByRole('textbox', { name: 'Text of the button' }))).toBe(true);
    await expectSafe();
  });

  test('of a faulty draft is the one before, with the reason', async () => {
    const { page, expectAccessible, expectSafe } = await openPreview('&tab=texts', {
      expected: /status of 400/,
    });
    const field = page.getByRole('textbox', { name: 'Text of the button' });
    await field.fill('');
    await page.getByText('The draft has a fault, so the preview shows it as it was before.').waitFor();
    expect(await visit(page).getByRole('button', { name: 'Envoyer' }).count()).toBe(1);
    await expectAccessible();
    await picture({ page }, 'form-preview-fault');
    await field.fill('Partez');
    await visit(page).getByRole('button', { name: 'Partez' }).waitFor();
    expect(await page.getByText('The draft has a fault').count()).toBe(0);
    await expectSafe();
  });

  test('is as a website shows it, in its language or another, all of it in the address', async () => {
    const { page, frame, expectSafe } = await openPreview();
    const english = await websiteId(app().services, 'en.acme.test');
    expect(await frame.evaluate('document.documentElement.lang')).toBe('fr');
    expect(await visit(page).getByTitle('Around it').locator('form').count()).toBe(1);
    const accent = "getComputedStyle(document.querySelector('form')).getPropertyValue('--fg-accent')";
    expect(await frame.evaluate(accent)).toBe('#803');
    await page.getByRole('button', { name: 'As on the website' }).click();
    await page.getByRole('option', { name: 'Acme in English' }).click();
    await visit(page).getByLabel('E-mail address').waitFor();
    expect(await frame.evaluate(accent)).toBe('');
    expect(page.url()).toContain(`previewOn=${english}`);
    await page.getByRole('button', { name: 'Language of the form' }).click();
    await page.getByRole('option', { name: 'French' }).click();
    await visit(page).locator('html[lang=fr]').waitFor();
    expect(page.url()).toContain('previewIn=fr');
    await page.reload();
    await visit(page).getByLabel('E-mail').waitFor();
    expect(await visit(page).locator('html').getAttribute('lang')).toBe('fr');
    await expectSafe();
  });

  test('is narrow and dark on demand, by keyboard', async () => {
    const { page, frame, expectFits, expectSafe } = await openPreview();
    const background = () => frame.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    const light = await background();
    await page.getByRole('button', { name: 'Dark page' }).focus();
    await page.keyboard.press('Enter');
    await visit(page).locator('html[style*=dark]').waitFor();
    expect(await background()).not.toBe(light);
    await page.getByRole('button', { name: '360 px' }).focus();
    await page.keyboard.press('Space');
    await eventually(() => frame.evaluate('innerWidth === 360'));
    expect(page.url()).toContain('dark=1&narrow=1');
    expect(await frame.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectFits();
    await picture({ page }, 'form-preview-narrow-dark');
    await expectSafe();
  });

  test('tells where a link leads, and goes nowhere', async () => {
    const { page, frame, expectSafe } = await openPreview();
    await visit(page).getByRole('link', { name: 'Politique de confidentialité' }).click();
    await page.getByText('On a website this link opens https://www.acme.test/rgpd in a new tab.').waitFor();
    expect(page.context().pages()).toHaveLength(1);
    expect(frame.url()).toBe(`${app().url}/panel/form-preview`);
    await expectSafe();
  });

  test('can reach nothing, and takes messages of the panel alone', async () => {
    const { page, frame } = await openPreview('', { expected: /Violated|Refused|violates/ });
    expect(await frame.evaluate('[self.origin, location.origin]')).toEqual(['null', app().url]);
    for (const attempt of [
      "fetch('/graphql').then(() => 'reached')",
      'Promise.resolve().then(() => parent.document.title)',
      'Promise.resolve().then(() => localStorage.length)',
      'Promise.resolve().then(() => document.cookie)',
    ]) {
      expect(await frame.evaluate(`${attempt}.catch(() => 'refused')`)).toBe('refused');
    }
    await frame.evaluate(
      "postMessage({ kind: 'show', definition: { slug: 'x', locale: 'en', fields: [] } }, '*')",
    );
    const before = page.url();
    await page.evaluate(`postMessage({ kind: 'link', url: 'https://elsewhere.test/' }, '*')`);
    await page.getByRole('button', { name: 'Dark page' }).click();
    await visit(page).locator('html[style*=dark]').waitFor();
    expect(await visit(page).getByLabel('Sujet').count()).toBe(1);
    expect(await page.getByText('elsewhere.test').count()).toBe(0);
    expect(page.url()).not.toBe(before);
  });

  test('of 200 fields in seven languages follows the typing, with few requests', async () => {
    const { page, requested } = await openPreview('&tab=texts', { slug: 'long' });
    // The first edit loads what its saving needs, once.
    const asked = () => requested().filter((url) => url.endsWith('/graphql')).length;
    const before = asked();
    const startedAt = performance.now();
    const field = page.getByRole('textbox', { name: 'Text of the button' });
    await field.fill('');
    await field.pressSequentially('Envoyer la demande complète');
    await visit(page).getByRole('button', { name: 'Envoyer la demande complète' }).waitFor();
    expect(await visit(page).getByRole('textbox').count()).toBe(200);
    // One after each pause in typing, and a slow machine types with pauses.
    const pauses = Math.ceil((performance.now() - startedAt) / PAUSE_MS);
    expect(asked() - before).toBeLessThan(3 + pauses);
    await page.getByRole('button', { name: 'Language of the form' }).click();
    await page.getByRole('option', { name: 'Portuguese' }).click();
    await visit(page).getByLabel('pt 199').waitFor();
  });

  test('adds little to the weight of the page', async () => {
    const { weight } = await openPreview();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page + MAX_ADDED_WEIGHT);
  });

  test.each(LOOKS)('is accessible and fits: %o', async (look) => {
    const opened = await openPreview('', look);
    const { page, frame, expectAccessible, expectFits, expectSafe } = opened;
    const { width } = look.viewport;
    await expectAccessible();
    await frame.evaluate(AXE);
    // A heading and landmarks are those of the page around a form.
    const found = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
      .then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))`;
    expect(await frame.evaluate(found)).toEqual([]);
    await expectFits();
    await picture({ page }, `form-preview-${look.colorScheme}-${width}`);
    await expectSafe();
  });
});

describe('a test submission', () => {
  test('shows the faults that visitors would see, the script’s and the gateway’s, at their fields', async () => {
    const { page, expectSafe } = await openPreview();
    const shown = visit(page);
    const send = () => shown.getByRole('button', { name: 'Envoyer' }).click();
    await send();
    await shown.getByText('Veuillez remplir ce champ.').waitFor();
    await shown.getByLabel('E-mail').fill('zoe@x.test');
    await shown.getByLabel('Code').fill('12y');
    await send();
    await shown.getByText('Veuillez respecter le format demandé.').waitFor();
    expect(await shown.getByLabel('Code').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByText('Accepted.').count()).toBe(0);
    await expectSafe();
  });

  test('is accepted with the message, recipients and e-mail of the website, and records nothing', async () => {
    const { page, expectAccessible, expectSafe } = await openPreview();
    const shown = visit(page);
    await shown.getByLabel('E-mail').fill('zoe@x.test');
    await shown.getByLabel('Sujet').selectOption('Devis');
    await shown.getByLabel('Budget').fill('250');
    const dump = async () =>
      Object.entries(await dumpTables(app().database.url)).filter(
        ([table]) => !WRITTEN_BY_THE_CLOCK.has(table),
      );
    const before = await dump();
    await shown.getByRole('button', { name: 'Envoyer' }).click();
    await shown.getByText('À bientôt chez Acme.').waitFor();
    await page.getByText('Accepted. Nothing was recorded, and no e-mail was sent.').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: /devis@acme\.test\s*by rule 1 of this website: “Sujet” is “Devis”/ })
      .waitFor();
    await page.getByText('The e-mail', { exact: true }).click();
    await page.getByText('Budget : 250').waitFor();
    expect(await dump()).toEqual(before);
    await expectAccessible();
    await picture({ page }, 'form-preview-accepted');
    await page.getByRole('button', { name: 'Dark page' }).click();
    await shown.locator('html[style*=dark]').waitFor();
    expect(await page.getByText('Accepted.').count()).toBe(1);
    await page.getByRole('button', { name: 'Start again' }).click();
    await shown.getByLabel('E-mail').waitFor();
    expect(await shown.getByLabel('E-mail').inputValue()).toBe('');
    expect(await page.getByText('Accepted.').count()).toBe(0);
    await expectSafe();
  });

  test('that was accepted is no more once the draft is another', async () => {
    const { page } = await openPreview('&tab=texts');
    const shown = visit(page);
    await shown.getByLabel('E-mail').fill('zoe@x.test');
    await shown.getByRole('button', { name: 'Envoyer' }).click();
    await page.getByText('Accepted. Nothing was recorded, and no e-mail was sent.').waitFor();
    await page.getByRole('textbox', { name: 'Text of the button' }).fill('Partez');
    await shown.getByRole('button', { name: 'Partez' }).waitFor();
    expect(await page.getByText('Accepted.').count()).toBe(0);
  });

  test.each([
    ['RATE_LIMITED', { retryAfterS: 45 }, "Trop d'envois. Veuillez réessayer dans 45 secondes."],
    ['BAD_USER_INPUT', { errors: { body: ['Too deep.'] } }, 'Too deep.'],
    ['FORBIDDEN', {}, 'Formulaire indisponible ici pour le moment.'],
    ['SERVICE_UNAVAILABLE', {}, 'Pas encore de réponse. Nouvel envoi sous peu.'],
  ])('that is %s says so, and only an outage is tried again', async (code, extensions, words) => {
    const { page } = await openPreview();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('testSubmission')
        ? route.fulfill({ json: { errors: [{ message: 'No.', extensions: { code, ...extensions } }] } })
        : route.continue(),
    );
    const shown = visit(page);
    await shown.getByLabel('E-mail').fill('zoe@x.test');
    await shown.getByRole('button', { name: 'Envoyer' }).click();
    await shown.getByText(words).waitFor();
  });

  test('is answered in the language of the form, to a panel in French', async () => {
    const { page, expectSafe } = await openPreview('&previewIn=en&previewOn=none', { locale: 'fr-FR' });
    const shown = visit(page);
    await shown.getByLabel('E-mail address').fill('zoe@x.test');
    await shown.getByRole('button', { name: 'Envoyer' }).click();
    await shown.getByText('Thank you.').waitFor();
    await page.getByText('Accepté. Rien n’a été enregistré et aucun e-mail n’a été envoyé.').waitFor();
    await page.getByText('Choisissez un site pour le voir.').waitFor();
    await picture({ page }, 'form-preview-french');
    await expectSafe();
  });
});
