import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { visibleFields } from '../../src/forms/definition/conditions.js';
import { recipientsOf } from '../../src/forms/recipients/recipient-rules.js';
import { findFaults } from '../../web/panel/pages/form/find-faults.js';
import type { FormDraft } from '../../web/panel/pages/form/form-draft.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser, type Pages, servePages } from '../support/browser.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { builtForm, entriesFor, type PlacementSettings, placementOf } from '../support/form-drafts.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let pages: Pages;
let browser: Browser;
let page: Page;
let owner: PanelClient;
let token: string;
let site: string;
let teamId: string;
let shown = '';
let language = 'fr';

/** The website's address, which gets what no one else does. */
const CONTACT = 'hello@acme.test';

beforeAll(async () => {
  [app, pages, browser] = await Promise.all([
    startTestApp({ worker: true, env: { TRUST_PROXY: 'loopback' } }),
    servePages(() => ({
      html: `<!doctype html><html lang="${language}"><title>Page</title>${shown}
<script src="${app.url}/formgate.js" data-website="${site}" async></script>`,
    })),
    launchBrowser(),
  ]);
  const host = `localhost:${pages.port}`;
  await provision(app.services, [team('acme', { websites: [website(host, { email: CONTACT })] })]);
  site = await websiteId(app.services, host);
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  teamId = String((await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id);
  page = await browser.newPage();
  await page.route(`${app.url}/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-forwarded-for': address() } }),
  );
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await app?.close();
});

const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { id }
}`;
const PLACE = `mutation ($site: ID!, $form: ID!, $input: FormLinkInput!) {
  saveFormLink(websiteId: $site, formId: $form, input: $input) { enabled }
}`;

/** What the test reads of an element. */
type Seen = {
  hidden: boolean;
  textContent: string;
  style: { getPropertyValue(name: string): string };
  closest(selector: string): Seen | null;
  querySelector(selector: string): Seen | null;
};

let count = 0;

/** An address for each form, since each has only so many requests a minute. */
const address = () => `192.0.2.${count % 256}`;

/** Saves a form and places it; null when the gateway refuses the form. */
async function saved(input: FormDraft, placement: PlacementSettings): Promise<string | null> {
  count += 1;
  const slug = `built-${count}`;
  const { data, errors } = await owner.send(CREATE, { teamId, slug, input });
  if (errors) {
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
    return null;
  }
  await owner.ask(PLACE, { site, form: data.createForm.id, input: placement });
  return slug;
}

/** The texts of an entry in a language, each in the source language where it is not translated. */
function inLanguage<Entry extends { locale: string }>(
  source: Readonly<Record<string, unknown>>,
  translations: readonly Entry[],
  locale: string,
): Record<string, unknown> {
  const translated: Record<string, unknown> = translations.find((each) => each.locale === locale) ?? {};
  return Object.fromEntries(Object.entries(source).map(([text, words]) => [text, translated[text] || words]));
}

/** The definition that `forms/config` is to answer in a language, as far as the owner wrote it. */
function definitionIn(draft: FormDraft, placement: PlacementSettings, locale: string): object {
  const { submitButtonText } = inLanguage(draft, draft.translations, locale);
  return {
    locale,
    submit_button_text: submitButtonText,
    fields: draft.fields.map(({ name, options, translations, ...source }) => {
      const { label, placeholder, helpText, linkUrl } = inLanguage(source, translations, locale);
      return {
        name,
        label,
        placeholder,
        help_text: helpText,
        link_url: linkUrl,
        options: options.map(({ value, label, translations }) => ({
          value,
          ...inLanguage({ label }, translations, locale),
        })),
      };
    }),
    css_selector: placement.cssSelector,
    html_wrapper: placement.htmlWrapper,
    appearance: placement.appearance,
  };
}

/** The definitions that the gateway answers, by language. */
async function served(slug: string, locales: readonly string[]): Promise<object[]> {
  const entries = locales.map((locale) => `${slug}~${locale}`);
  const response = await fetch(`${app.url}/api/websites/${site}/forms/config?f=${entries.join()}`, {
    headers: { origin: `http://localhost:${pages.port}`, 'x-forwarded-for': address() },
  });
  const { forms } = (await response.json()) as { forms: Record<string, object> };
  return entries.map((entry) => forms[entry]!);
}

/** How the gateway answers a submission: the names of the fields at fault, or the message and the lead. */
async function submitted(slug: string, values: object) {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/${slug}/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...values, form_locale: language }),
  });
  const answer = (await response.json()) as { errors?: object; message: string; lead_id?: string };
  const faulty = Object.keys(answer.errors ?? {}).sort();
  expect(response.status).toBe(faulty.length > 0 ? 422 : 200);
  return { faulty, message: answer.message, lead: answer.lead_id };
}

/** What the script has rendered, and which fields it finds at fault; nothing is sent. */
async function tryOnPage(slug: string, { fields }: FormDraft, values: object) {
  const json = JSON.stringify(values).replace(/&/g, '&amp;').replace(/'/g, '&#39;').replace(/</g, '&lt;');
  shown = `<div data-formgate="${slug}" data-values='${json}'></div>`;
  await page.goto(`http://localhost:${pages.port}/`);
  const form = page.locator('form.fg-form');
  await form.waitFor();
  const { seen, ...look } = await form.evaluate((element) => {
    element.addEventListener('formgate:submit', (event: Event) => event.preventDefault());
    element.requestSubmit();
    const seen = Array.from(element.querySelectorAll('.fg-field') as Iterable<Seen>, (field) => ({
      isHidden: field.hidden,
      isFaulty: field.querySelector('.fg-error')?.hidden === false,
      text: field.textContent,
    }));
    return {
      seen,
      button: element.querySelector('.fg-submit').textContent as string,
      isWrapped: element.closest('section.around') !== null,
      accent: element.style.getPropertyValue('--fg-accent') as string,
    };
  });
  const rendered = fields.filter(({ type }) => type !== 'hidden');
  expect(seen).toHaveLength(rendered.length);
  const named = rendered.map(({ name }, index) => ({ name, ...seen[index]! }));
  return {
    ...look,
    texts: new Map(named.map(({ name, text }) => [name, text])),
    visible: named.filter(({ isHidden }) => !isHidden).map(({ name }) => name),
    faulty: named
      .filter(({ isFaulty }) => isFaulty)
      .map(({ name }) => name)
      .sort(),
  };
}

/** Compares what the page shows in the language with what the owner wrote. */
function expectTexts(
  draft: FormDraft,
  placement: PlacementSettings,
  page: Awaited<ReturnType<typeof tryOnPage>>,
): void {
  const { submitButtonText } = inLanguage(draft, draft.translations, language);
  expect([page.button, page.isWrapped, page.accent]).toEqual([
    submitButtonText,
    placement.htmlWrapper !== null,
    placement.appearance['--fg-accent'] ?? '',
  ]);
  for (const { name, type, options, translations, ...source } of draft.fields) {
    if (type === 'hidden') continue;
    const { label, helpText } = inLanguage(source, translations, language);
    const texts = [
      label,
      helpText,
      ...options.map((one) => inLanguage(one, one.translations, language).label),
    ];
    for (const text of texts)
      expect([name, page.texts.get(name)]).toEqual([name, expect.stringContaining(String(text ?? ''))]);
  }
}

test('whatever the builder makes and the gateway saves is served, rendered, and validated alike', async () => {
  let savedForms = 0;
  let mailed = 0;
  await fc.assert(
    fc.asyncProperty(
      builtForm(30).chain((draft) =>
        fc.record({
          draft: fc.constant(draft),
          placement: placementOf(draft),
          values: entriesFor(draft.fields),
          spoken: fc.constantFrom(draft.sourceLocale, ...draft.translations.map(({ locale }) => locale)),
        }),
      ),
      async ({ draft, placement, values, spoken }) => {
        language = spoken;
        const slug = await saved(draft, placement);
        // What the builder says while it is edited is what the gateway says.
        expect([slug === null, findFaults(draft)]).toEqual([
          Object.keys(findFaults(draft)).length > 0,
          findFaults(draft),
        ]);
        if (slug === null) return;
        savedForms += 1;
        const locales = [draft.sourceLocale, ...draft.translations.map(({ locale }) => locale)];
        expect(await served(slug, locales)).toMatchObject(
          locales.map((locale) => definitionIn(draft, placement, locale)),
        );
        const tried = await tryOnPage(slug, draft, values);
        const expected = visibleFields(draft.fields, values);
        expect(tried.visible).toEqual(
          draft.fields
            .filter(({ name, type }) => type !== 'hidden' && expected.has(name))
            .map(({ name }) => name),
        );
        expectTexts(draft, placement, tried);
        const { faulty, message, lead } = await submitted(slug, values);
        expect(tried.faulty).toEqual(faulty);
        if (!lead) return;
        mailed += 1;
        const own = language === draft.sourceLocale ? placement.confirmationMessage : null;
        expect(message).toBe(own || inLanguage(draft, draft.translations, language).confirmationMessage);
        const { recipients } = await app.sink.waitFor(({ raw }) => raw.includes(lead));
        const chosen = recipientsOf(draft.fields, values, { form: draft, placement, email: CONTACT }).map(
          ({ address }) => address,
        );
        expect([...recipients].sort()).toEqual(chosen.sort());
      },
    ),
    { numRuns: 40 },
  );
  expect(savedForms).toBeGreaterThan(15);
  expect(mailed).toBeGreaterThan(5);
});
