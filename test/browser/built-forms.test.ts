import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { visibleFields } from '../../src/forms/definition/conditions.js';
import { findFaults } from '../../web/panel/pages/form/find-faults.js';
import type { FormDraft } from '../../web/panel/pages/form/form-draft.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { launchBrowser, type Pages, servePages } from '../support/browser.js';
import { createToken, provision, team, website, websiteId } from '../support/factories.js';
import { builtForm, entriesFor } from '../support/form-drafts.js';
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

beforeAll(async () => {
  [app, pages, browser] = await Promise.all([
    startTestApp(),
    servePages(() => ({
      html: `<!doctype html><html lang="fr"><title>Page</title>${shown}
<script src="${app.url}/formgate.js" data-website="${site}" async></script>`,
    })),
    launchBrowser(),
  ]);
  const host = `localhost:${pages.port}`;
  await provision(app.services, [team('acme', { websites: [website(host, { email: 'hello@acme.test' })] })]);
  site = await websiteId(app.services, host);
  token = await createToken(app.services, 'acme', 'owner@acme.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  teamId = String((await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id);
  page = await browser.newPage();
});

afterAll(async () => {
  await browser?.close();
  await pages?.stop();
  await app?.close();
});

const CREATE = `mutation ($teamId: ID!, $slug: String!, $input: FormInput!) {
  createForm(teamId: $teamId, slug: $slug, input: $input) { id }
}`;
const PLACE = `mutation ($site: ID!, $form: ID!) {
  saveFormLink(websiteId: $site, formId: $form, input: {}) { enabled }
}`;

/** What the test reads of an element. */
type Seen = { hidden: boolean; querySelector(selector: string): Seen | null };

let count = 0;

/** Saves a form and places it; null when the gateway refuses it. */
async function saved(input: FormDraft): Promise<string | null> {
  count += 1;
  const slug = `built-${count}`;
  const { data, errors } = await owner.send(CREATE, { teamId, slug, input });
  if (errors) {
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
    return null;
  }
  await owner.ask(PLACE, { site, form: data.createForm.id });
  return slug;
}

/** The names of the fields that the gateway finds at fault; none when it takes the submission. */
async function faultsOfGateway(slug: string, values: object): Promise<string[]> {
  const response = await fetch(`${app.url}/api/websites/${site}/forms/${slug}/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(values),
  });
  const { errors = {} } = (await response.json()) as { errors?: object };
  expect(response.status).toBe(Object.keys(errors).length > 0 ? 422 : 200);
  return Object.keys(errors).sort();
}

/** What the script has rendered, and which fields it finds at fault; nothing is sent. */
async function tryOnPage(slug: string, { fields }: FormDraft, values: object) {
  const json = JSON.stringify(values).replace(/&/g, '&amp;').replace(/'/g, '&#39;').replace(/</g, '&lt;');
  shown = `<div data-formgate="${slug}" data-values='${json}'></div>`;
  await page.goto(`http://localhost:${pages.port}/`);
  const form = page.locator('form.fg-form');
  await form.waitFor();
  const seen = await form.evaluate((element) => {
    element.addEventListener('formgate:submit', (event: Event) => event.preventDefault());
    element.requestSubmit();
    return Array.from(element.querySelectorAll('.fg-field') as Iterable<Seen>, (field) => ({
      isHidden: field.hidden,
      isFaulty: field.querySelector('.fg-error')?.hidden === false,
    }));
  });
  const rendered = fields.filter(({ type }) => type !== 'hidden');
  expect(seen).toHaveLength(rendered.length);
  const named = rendered.map(({ name }, index) => ({ name, ...seen[index]! }));
  return {
    visible: named.filter(({ isHidden }) => !isHidden).map(({ name }) => name),
    faulty: named
      .filter(({ isFaulty }) => isFaulty)
      .map(({ name }) => name)
      .sort(),
  };
}

test('whatever the builder makes and the gateway saves is served, rendered, and validated alike', async () => {
  let served = 0;
  await fc.assert(
    fc.asyncProperty(
      builtForm(20).chain((draft) =>
        fc.record({ draft: fc.constant(draft), values: entriesFor(draft.fields) }),
      ),
      async ({ draft, values }) => {
        const slug = await saved(draft);
        // What the builder says while it is edited is what the gateway says.
        expect([slug === null, findFaults(draft)]).toEqual([
          Object.keys(findFaults(draft)).length > 0,
          findFaults(draft),
        ]);
        if (slug === null) return;
        served += 1;
        const { visible, faulty } = await tryOnPage(slug, draft, values);
        const expected = visibleFields(draft.fields, values);
        expect(visible).toEqual(
          draft.fields
            .filter(({ name, type }) => type !== 'hidden' && expected.has(name))
            .map(({ name }) => name),
        );
        expect(faulty).toEqual(await faultsOfGateway(slug, values));
      },
    ),
    { numRuns: 40 },
  );
  expect(served).toBeGreaterThan(15);
}, 120_000);
