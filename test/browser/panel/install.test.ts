import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createWebsite } from '../../../src/websites/editing/save-website.js';
import { contactForm, provision, TEST_ACTOR, team } from '../../support/factories.js';
import { hasFocus, LOOKS, MAX_WEIGHT, panelTest, picture } from '../../support/panel-pages.js';
import { pageWithScript, reachableEnv, type ServedPage, servePage } from '../../support/probed.js';
import type { SinkBehaviour } from '../../support/smtp.js';

const smtp: SinkBehaviour = {};
const { app, open } = panelTest({ smtp, env: await reachableEnv() });
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];

/** A form whose texts take more lines in a narrow window. */
const LONG_FORM = contactForm({
  slug: 'quote',
  translations: {},
  privacy_notice: { text: 'Vos réponses servent à vous répondre, et à rien d’autre. '.repeat(3), url: null },
  fields: [
    { name: 'email', type: 'email', label: 'À quelle adresse pouvons-nous vous envoyer notre devis ?' },
    {
      name: 'works',
      type: 'checkbox',
      label: 'Travaux',
      is_multiple: true,
      help_text: 'Cochez tout ce que vous envisagez de faire, même si rien n’est encore décidé à ce jour.',
      options: [
        { value: 'roof', label: 'Réfection complète de la toiture, charpente et isolation comprises' },
        { value: 'wall', label: 'Ravalement' },
      ],
    },
    {
      name: 'gdpr',
      type: 'consent',
      label:
        'J’accepte que mes réponses soient conservées pendant trois ans pour le suivi de ma demande. '.repeat(
          2,
        ),
      is_required: true,
    },
  ],
});

let page: ServedPage;
let id: string;

beforeAll(async () => {
  await provision(app().services, [team('acme', { forms: [contactForm(), LONG_FORM] })]);
  page = await servePage();
});
afterAll(() => page?.close());

// A website of its own for each test, since a website is tested ten times in ten minutes.
beforeEach(async () => {
  const { db, cipher, changeFeed } = app().services;
  await db.orm.website.deleteMany({ where: { host: page.host } });
  const form = await db.orm.form.findFirstOrThrow({ where: { slug: 'contact' } });
  const { teamId } = form;
  const settings = { name: 'Lumen Corse', host: page.host, locale: 'fr', email: 'hello@acme.test' };
  const url = `http://${page.host}/contact`;
  ({ id } = await db.orm.$transaction((tx) =>
    createWebsite({ tx, cipher }, { teamId }, { ...settings, url }, TEST_ACTOR),
  ));
  await db.orm.placement.create({ data: { websiteId: id, formId: form.id, teamId } });
  changeFeed.expire();
  Object.assign(page.answer, { status: 200, html: pageWithScript(app().url, id) });
  delete smtp.rcpt;
});

const openTab = (options: Parameters<typeof open>[1] = { as: OWNER }) =>
  open(`/websites/${id}?tab=install`, options);

const addStep = (type: 'altcha' | 'turnstile' | 'hcaptcha' | 'recaptcha_v3', position: number) =>
  app().services.db.orm.captchaStep.create({ data: { websiteId: id, type, position, identifier: 'main' } });

/** How much has moved on a page since it was opened. */
const shiftOf = (visitor: Awaited<ReturnType<typeof openTab>>['page']) =>
  visitor.evaluate(
    `new Promise((resolve) => new PerformanceObserver((list) =>
       resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0))
     ).observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(resolve, 500, 0))`,
  );

describe('the tab Install', () => {
  test('has the code for the page, which a visitor’s browser shows the form with', async () => {
    const opened = await openTab({ as: OWNER, permissions: ['clipboard-read', 'clipboard-write'] });
    const { expectSafe, expectAccessible, weight } = opened;
    await opened.page.getByRole('button', { name: 'Copy', exact: true }).click();
    await opened.page.getByText('Copied').waitFor();
    const snippet = String(await opened.page.evaluate('navigator.clipboard.readText()'));
    expect(snippet).toBe(
      `<link rel="preload" as="fetch" crossorigin\n      href="${app().url}/api/websites/${id}/forms/config?f=contact~fr">\n<style>\n  [data-formgate="contact"] { min-height: 23rem }\n</style>\n<div data-formgate="contact"></div>\n<script src="${app().url}/formgate.js"\n        data-website="${id}" async crossorigin></script>`,
    );
    await expectSafe();
    await expectAccessible();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);

    page.answer.html = `<!doctype html><html lang="fr"><title>Contact</title>${snippet}<p>© Acme</p>`;
    const visitor = await opened.page.context().newPage();
    const requested: string[] = [];
    visitor.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await visitor.goto(`http://${page.host}/contact`);
    await visitor.getByRole('button', { name: 'Envoyer' }).waitFor();
    // Each once: the definitions were preloaded, and the page view needs no preflight.
    const own = requested.filter((path) => !path.endsWith('favicon.ico')).sort();
    expect(own).toEqual([
      `/api/websites/${id}/forms/config`,
      `/api/websites/${id}/visits`,
      '/contact',
      '/formgate.js',
    ]);
    expect(await shiftOf(visitor)).toBe(0);
    const [place = 0, form = 0] = await visitor.evaluate<number[]>(
      `[...document.querySelectorAll('[data-formgate], form')].map((each) => each.offsetHeight)`,
    );
    expect(place).toBeGreaterThanOrEqual(form);
    expect(place).toBeLessThan(form + 64);
  });

  test.each([360, 1200])(
    'lets nothing move in a window of %d px, in the place of a selector either',
    async (width) => {
      const { db, changeFeed } = app().services;
      const form = await db.orm.form.findFirstOrThrow({ where: { slug: 'quote' } });
      await db.orm.placement.create({
        data: { websiteId: id, formId: form.id, teamId: form.teamId, cssSelector: '#here' },
      });
      changeFeed.expire();
      const opened = await openTab();
      const code = await opened.page.locator('pre').first().textContent();
      page.answer.html = `<!doctype html><html lang="fr"><title>Contact</title><div id="here"></div>${code}<p>© Acme`;
      const visitor = await opened.page.context().newPage();
      await visitor.setViewportSize({ width, height: 2_000 });
      await visitor.goto(`http://${page.host}/contact`);
      await visitor.locator('form').nth(1).waitFor();
      expect(await shiftOf(visitor)).toBe(0);
      const heights = await visitor.evaluate<[number, number][]>(
        `[...document.querySelectorAll('form')].map((form) => [form.parentElement.offsetHeight, form.offsetHeight])`,
      );
      for (const [place, height] of heights) expect(place).toBeLessThan(height + 112);
    },
  );

  test('says what a policy has to allow for the providers of the chain', async () => {
    await addStep('turnstile', 0);
    await addStep('altcha', 1);
    const { page: tab } = await openTab();
    const policy = await tab.locator('pre').filter({ hasText: 'connect-src' }).textContent();
    expect(policy!.split('\n')).toEqual([
      `script-src ${app().url} https://challenges.cloudflare.com;`,
      `connect-src ${app().url};`,
      'frame-src https://challenges.cloudflare.com;',
      'worker-src blob:;',
    ]);
  });

  test('says where the code goes on each platform, by keyboard as well', async () => {
    const { page: tab } = await openTab();
    for (const name of ['Plain HTML', 'WordPress', 'Webflow', 'Shopify']) {
      await tab.getByText(name, { exact: true }).click();
    }
    await tab.getByText('Shopify', { exact: true }).focus();
    await tab.keyboard.press('Tab');
    await tab.keyboard.press('Enter');
    await tab.getByText(`import(/* @vite-ignore */`).waitFor();
  });

  test('sends a website without a form to its forms', async () => {
    await app().services.db.orm.placement.deleteMany({ where: { websiteId: id } });
    const { page: tab } = await openTab();
    await tab.getByText('No form is on this website yet').getByRole('link', { name: 'Forms' }).click();
    await tab.waitForURL(/tab=forms/);
  });
});

const steps = (tab: Awaited<ReturnType<typeof openTab>>['page']) =>
  tab.getByRole('list', { name: 'Steps of the test' }).getByRole('listitem');

describe('Test it', () => {
  test('shows each step with its time, and lists the former tests, by keyboard alone', async () => {
    const opened = await openTab();
    const { page: tab, expectSafe, expectAccessible } = opened;
    const button = tab.getByRole('button', { name: 'Test it' });
    await button.focus();
    await tab.keyboard.press('Enter');
    await tab.getByText('Everything works.').waitFor();
    expect(await hasFocus(button)).toBe(true);
    const texts = await steps(tab).allInnerTexts();
    expect(texts.map((text) => text.split('\n').slice(0, 2))).toEqual(
      ['Page', 'Form', 'Signature', 'Captcha', 'Recorded', 'E-mail accepted'].map((name) => [name, 'Passed']),
    );
    for (const text of texts) expect(text).toMatch(/\d+ ?ms/);

    page.answer.html = '<p>Under construction';
    smtp.rcpt = '550 5.1.1 No such mailbox here';
    // The list may tell the end of a test before the answer to the button comes.
    await button.and(tab.locator(':not([aria-disabled])')).waitFor();
    await tab.keyboard.press('Enter');
    await tab.getByText('Something does not work.').waitFor();
    await steps(tab).nth(0).getByText('The page does not load the script.').waitFor();
    await steps(tab)
      .nth(5)
      .getByText(/550.*No such mailbox here/)
      .waitFor();
    await tab
      .getByRole('table')
      .getByRole('row', { name: /Passed/ })
      .waitFor();
    await picture(opened, 'install-failed');
    await expectSafe();
    await expectAccessible();
  });

  test('shows the steps that have ended while the others run', async () => {
    let release = () => undefined as undefined;
    smtp.confirm = () =>
      new Promise((resolve) => {
        release = () => {
          resolve(undefined);
          return undefined;
        };
      });
    const { page: tab } = await openTab();
    await tab.getByRole('button', { name: 'Test it' }).click();
    await steps(tab).nth(4).getByText('Passed').waitFor();
    await steps(tab).nth(5).getByText('Running').waitFor();
    await tab.getByText('Testing…').waitFor();
    release();
    delete smtp.confirm;
    await tab.getByText('Everything works.').waitFor();
  });

  test('says of former tests which still run, until they end', async () => {
    const { orm } = app().services.db;
    const startedAt = (minutes: number) => new Date(Date.now() - minutes * 60_000);
    const passed = { name: 'page', ok: true, ms: 12, finding: null, detail: null };
    const running = await orm.probe.create({
      data: { websiteId: id, startedAt: startedAt(2), steps: [passed] },
    });
    await orm.probe.create({
      data: { websiteId: id, startedAt: startedAt(1), finishedAt: new Date(), ok: true, steps: [passed] },
    });
    const opened = await openTab();
    const { page: tab } = opened;
    const former = tab.getByRole('region', { name: 'Former tests' }).getByRole('row').nth(1);
    await former.getByText('Running', { exact: true }).waitFor();
    await picture(opened, 'install-running');
    await orm.probe.update({ where: { id: running.id }, data: { ok: true, finishedAt: new Date() } });
    await former.getByText('Passed', { exact: true }).waitFor();
  });

  test('says that a test was broken off where no step has failed', async () => {
    const at = new Date();
    const steps = [{ name: 'page', ok: true, ms: 12, finding: null, detail: null }];
    await app().services.db.orm.probe.create({
      data: { websiteId: id, startedAt: at, finishedAt: at, ok: false, steps },
    });
    const { page: tab } = await openTab();
    await tab.getByRole('status').getByText('The test was broken off. Test again.').waitFor();
  });

  test('says what it cannot test of a chain without a proof of work', async () => {
    await addStep('turnstile', 0);
    const { page: tab } = await openTab();
    await tab.getByRole('button', { name: 'Test it' }).click();
    await steps(tab).nth(3).getByText('The chain has no proof of work').waitFor();
    await steps(tab).nth(4).getByText('Not reached').waitFor();
  });

  test('says that a website was tested too often', async () => {
    await app().services.db.orm.website.update({ where: { id }, data: { disabled: true } });
    app().services.changeFeed.expire();
    const { limiter } = app().services;
    for (let count = 0; count < 10; count++) await limiter.consume({ limit: 'probes', key: id });
    const { page: tab } = await openTab();
    await tab.getByRole('button', { name: 'Test it' }).click();
    await tab.getByRole('alert').getByText('RATE_LIMITED').waitFor();
  });

  test('is not there for a member, who reads what was found', async () => {
    const owner = await openTab();
    await owner.page.getByRole('button', { name: 'Test it' }).click();
    await owner.page.getByText('Everything works.').waitFor();
    const { page: tab } = await openTab({ as: MEMBER });
    await tab.getByText('Everything works.').waitFor();
    expect(await tab.getByRole('button', { name: 'Test it' }).count()).toBe(0);
  });
});

describe('the tab in French fits, is accessible and safe', () => {
  test.each(LOOKS)('$colorScheme, $viewport.width px', async (look) => {
    page.answer.html = '<p>En travaux';
    const opened = await openTab({ as: OWNER, locale: 'fr-FR', ...look });
    const { page: tab, expectFits, expectAccessible, expectSafe } = opened;
    await tab.getByRole('button', { name: 'Tester' }).click();
    await tab.getByText('La page ne charge pas le script.').waitFor();
    await tab.getByText('Quelque chose ne marche pas.').waitFor();
    await tab.getByRole('button', { name: 'Tester' }).click();
    await tab.getByRole('table', { name: /./ }).or(tab.getByRole('table')).first().waitFor();
    await tab.getByText('Quelque chose ne marche pas.').waitFor();
    await tab.getByText('WordPress', { exact: true }).click();
    await picture(opened, `install-${look.colorScheme}-${look.viewport.width}`);
    await expectFits();
    await expectAccessible();
    await expectSafe();
  });
});
