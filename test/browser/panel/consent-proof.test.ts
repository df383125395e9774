import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Pages, servePages } from '../../support/browser.js';
import { provision, team, website, websiteId } from '../../support/factories.js';
import { panelTest, picture } from '../../support/panel-pages.js';
import { createVisitor } from '../../support/visitor.js';
import { eventually } from '../../support/wait.js';

const OWNER = 'owner@acme.test';
const FORMER = 'J’accepte la politique de confidentialité de 2025.';
const PRESENT = 'J’accepte la politique de confidentialité de 2026.';

const { app, open } = panelTest({ env: { CAPTCHA_DEFAULT: 'off' } });

let pages: Pages;
let host: string;
let site: string;

/** Saves the form with a text of its consent, and waits until the gateway serves it as the version. */
async function save(label: string, version: number): Promise<void> {
  const form = {
    slug: 'contact',
    name: 'Contact',
    source_locale: 'fr',
    submit_button_text: 'Envoyer',
    confirmation_message: 'Merci.',
    fields: [
      { name: 'email', type: 'email', label: 'E-mail', is_required: true },
      { name: 'gdpr', type: 'consent', label, is_required: true },
    ],
  };
  const websites = [website(host, { url: `http://${host}`, email: 'hello@acme.test' })];
  await provision(app().services, [team('acme', { forms: [form], websites })]);
  site = await websiteId(app().services, host);
  const served = async () => {
    const address = `${app().url}/api/websites/${site}/forms/config?f=contact~fr`;
    const response = await fetch(address, { headers: { origin: `http://${host}` } });
    return response.headers.get('x-form-versions') === `contact=${version}`;
  };
  expect(await eventually(served)).toBe(true);
}

beforeAll(async () => {
  pages = await servePages(() => ({
    html: `<!doctype html><html lang="fr"><title>Contact</title><div data-formgate="contact"></div>
<script src="${app().url}/formgate.js" data-website="${site}" async></script></html>`,
  }));
  host = `localhost:${pages.port}`;
});

afterAll(() => pages?.stop());

/** Fills the form of a page in and sends it. @returns the id of the lead, and the address that it was sent to. */
async function send(page: Page): Promise<{ id: string; address: string; preflights: string[] }> {
  const preflights: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'OPTIONS') preflights.push(request.url());
  });
  await page.getByLabel('E-mail').fill('ada@x.test');
  await page.getByRole('checkbox').check();
  const sent = page.waitForResponse(
    (each) => each.request().method() === 'POST' && each.url().includes('/submit'),
  );
  await page.getByRole('button', { name: 'Envoyer' }).click();
  await page.getByText('Merci.').waitFor();
  const answer = await sent;
  return { id: (await answer.json()).lead_id, address: answer.url(), preflights };
}

const recorded = (id: string) => app().services.db.orm.submission.findUniqueOrThrow({ where: { id } });

test('a page that was opened before an edit has the text that it showed proven, with its version', async () => {
  await save(FORMER, 1);
  const panel = await open('/inbox', { as: OWNER });
  const visitor = await panel.page.context().browser()!.newPage();
  await visitor.goto(`http://${host}/`);
  await visitor.getByLabel(FORMER).waitFor();
  await save(PRESENT, 2);

  const { id, address, preflights } = await send(visitor);
  expect(new URL(address).search).toBe('?form_version=1');
  expect(new Set(preflights)).toEqual(new Set(preflights.length > 0 ? [address] : []));
  expect(await recorded(id)).toMatchObject({
    formVersion: 1,
    currentFormVersion: 2,
    consents: { gdpr: { label: FORMER, locale: 'fr' } },
  });

  const told = 'The visitor saw version 1; the form was at version 2 when it was sent.';
  const { page } = panel;
  await page.goto(`${app().url}/panel/inbox/${id}`);
  await page.getByText(told).waitFor();
  await page.getByRole('link', { name: 'Proof of consent' }).click();
  await page.getByRole('blockquote').getByText(FORMER).waitFor();
  for (const text of [told, 'Shown in this wording, in French.', /, version 1/, /as the visitor saw it/]) {
    await page.getByText(text).first().waitFor();
  }
  expect(await page.getByText(PRESENT).count()).toBe(0);
  await panel.expectAccessible();
  await picture(panel, 'proof-seen-version');
  await panel.expectSafe();

  const french = await open(`/inbox/${id}/consent`, { as: OWNER, locale: 'fr-FR' });
  await french.page
    .getByText('Le visiteur a vu la version 1 ; le formulaire était à la version 2 lors de l’envoi.')
    .waitFor();

  // The browser may keep a definition for five minutes, and with it the version.
  await visitor.goto(`http://${host}/?again`);
  await visitor.getByLabel(FORMER).waitFor();
  expect(await recorded((await send(visitor)).id)).toMatchObject({
    formVersion: 1,
    currentFormVersion: 2,
    consents: { gdpr: { label: FORMER, locale: 'fr' } },
  });

  const later = await panel.page.context().browser()!.newPage();
  await later.goto(`http://${host}/`);
  await later.getByLabel(PRESENT).waitFor();
  const present = await send(later);
  expect(await recorded(present.id)).toMatchObject({
    formVersion: 2,
    currentFormVersion: 2,
    consents: { gdpr: { label: PRESENT, locale: 'fr' } },
  });
  await page.goto(`${app().url}/panel/inbox/${present.id}/consent`);
  await page.getByRole('blockquote').getByText(PRESENT).waitFor();
  expect(await page.getByText('The visitor saw version').count()).toBe(0);
});

test('the proof of a lead whose sender told no version says that it is not known', async () => {
  await save(FORMER, 3);
  const visitor = createVisitor({ url: app().url, websiteId: site, origin: `http://${host}` });
  const { body } = await visitor.submit({
    body: { email: 'ada@x.test', gdpr: 1 },
    headers: await visitor.sign(),
  });
  const { page } = await open(`/inbox/${body.lead_id}/consent`, { as: OWNER });
  await page.getByRole('blockquote').getByText(FORMER).waitFor();
  await page.getByText('The form’s wording when it was sent, in French.').waitFor();
  await page.getByText(/^Which version of the form the visitor saw is not known/).waitFor();
  expect(await page.getByText('as the visitor saw it').count()).toBe(0);
  const french = await open(`/inbox/${body.lead_id}/consent`, { as: OWNER, locale: 'fr-FR' });
  await french.page.getByText('Information non enregistrée').waitFor();
});
