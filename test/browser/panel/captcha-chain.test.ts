import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page, Response } from 'playwright-core';
import type { CaptchaVerdict } from '../../../src/generated/prisma/enums.js';
import { type CaptchaProviders, startCaptchaProviders } from '../../support/captcha-providers.js';
import { provision, team, website, websiteId } from '../../support/factories.js';
import {
  comeBack,
  hasFocus,
  holdBack,
  LOOKS,
  MAX_WEIGHT,
  type Opened,
  panelTest,
  picture,
} from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const env: Record<string, string> = {};
let providers: CaptchaProviders;

// Before the gateway starts, which reads the addresses of the providers.
beforeAll(async () => {
  providers = await startCaptchaProviders();
  Object.assign(env, providers.env);
});
afterAll(() => providers.stop());
afterEach(() => {
  expect(providers.faults).toEqual([]);
  providers.reset();
});

const { app, open } = panelTest({ env });
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];
const SECRETS = ['secret-ts', 'secret-hc', 'api-key-1', 'wrong-secret'];

const CHAIN = [
  { key: 'turnstile:main', site_key: 'site-ts', secret: 'secret-ts' },
  { key: 'hcaptcha:main', site_key: 'site-hc', secret: 'secret-hc' },
  { key: 'altcha' },
];

/** Every answer of the gateway to a page. */
const answers: Promise<string>[] = [];

/** A website of its own with a chain. @returns its id. */
async function addWebsite(name: string, captcha: object[] = CHAIN): Promise<string> {
  await provision(app().services, [team('acme', { websites: [website(`${name}.acme.test`, { captcha })] })]);
  return websiteId(app().services, `${name}.acme.test`);
}

async function openChain(id: string, options: Parameters<typeof open>[1] = {}): Promise<Opened> {
  const opened = await open(`/websites/${id}?tab=captcha`, { as: OWNER, ...options });
  const listen = (response: Response) => {
    if (response.url().endsWith('/graphql')) answers.push(response.text().catch(() => ''));
  };
  opened.page.on('response', listen);
  await opened.page.getByRole('grid').waitFor();
  return opened;
}

const storedKeys = async (id: string) =>
  (
    await app().services.db.orm.captchaStep.findMany({
      where: { websiteId: id },
      orderBy: { position: 'asc' },
    })
  ).map(({ type, identifier }) => (identifier ? `${type}:${identifier}` : type));

const steps = (page: Page): Locator => page.getByRole('grid', { name: 'Captcha steps' }).getByRole('row');

/** The names of the steps, in the order in which they are shown. */
const shown = async (page: Page) =>
  (await steps(page).allInnerTexts()).map((text) => text.split('\n').find((line) => /\p{L}/u.test(line)));

const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('The chain is saved.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
};

/** Presses *Undo* in the message of a step's removal. */
const undoRemoval = (page: Page, step: string) =>
  page
    .getByRole('alertdialog')
    .filter({ hasText: `${step} is removed` })
    .getByRole('button', { name: 'Undo' })
    .click();

const settings = (page: Page, step: string) => page.getByRole('region', { name: `Settings of ${step}` });

describe('the order of the steps', () => {
  test('is changed by keyboard alone, and told to visitors', async () => {
    const id = await addWebsite('keyboard');
    const { page, expectSafe, expectAccessible } = await openChain(id);
    expect(await shown(page)).toEqual(['Turnstile', 'hCaptcha', 'Proof of work']);
    await page.getByText('Turnstile comes first.').waitFor();
    await expectAccessible();

    await steps(page).first().focus();
    await page.keyboard.press('ArrowRight');
    const focused = page.locator(':focus');
    await page.getByRole('button').and(focused).waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: /^Insert/ })
      .and(focused)
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(async () => (await shown(page)).join() === 'hCaptcha,Turnstile,Proof of work');
    await page.getByText('hCaptcha comes first.').waitFor();
    await page.getByText('When hCaptcha is not available, Turnstile takes over.').waitFor();
    expect(await storedKeys(id)).toEqual(['turnstile:main', 'hcaptcha:main', 'altcha']);

    // The step that was moved has the focus once it is dropped; the button comes after its settings.
    await eventually(() => hasFocus(steps(page).nth(1)));
    // React Aria gives it the focus twice, the second time 50 ms later: a timer that begins now ends after that one.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 50))');
    await page.getByRole('button', { name: 'Save', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The chain is saved.').waitFor();
    expect(await storedKeys(id)).toEqual(['hcaptcha:main', 'turnstile:main', 'altcha']);
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
    await expectSafe();
  });

  test('is changed by dragging', async () => {
    const id = await addWebsite('drag');
    const { page, expectSafe } = await openChain(id);
    const box = (await steps(page).first().boundingBox())!;
    await steps(page)
      .nth(2)
      .dragTo(steps(page).first(), { targetPosition: { x: box.width / 2, y: 2 } });
    await eventually(async () => (await shown(page)).join() === 'Proof of work,Turnstile,hCaptcha');
    await page.getByText('Turnstile is never asked').waitFor();
    await save(page);
    expect(await storedKeys(id)).toEqual(['altcha', 'turnstile:main', 'hcaptcha:main']);
    await expectSafe();
  });

  test('is changed by buttons, without dragging', async () => {
    const id = await addWebsite('buttons');
    const { page } = await openChain(id);
    await settings(page, 'Turnstile').getByRole('button', { name: 'Move down' }).click();
    expect(await shown(page)).toEqual(['hCaptcha', 'Turnstile', 'Proof of work']);
    await settings(page, 'Turnstile').getByRole('button', { name: 'Move up' }).click();
    expect(await shown(page)).toEqual(['Turnstile', 'hCaptcha', 'Proof of work']);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  });
});

describe('the settings of a step', () => {
  test('hold a secret that is replaced only when one is typed', async () => {
    const id = await addWebsite('secrets');
    const { page, expectSafe } = await openChain(id);
    const cipher = async () =>
      (
        await app().services.db.orm.captchaStep.findFirstOrThrow({
          where: { websiteId: id, type: 'turnstile' },
        })
      ).secretCipher;
    const before = await cipher();
    const secret = settings(page, 'Turnstile').getByRole('textbox', { name: 'Secret' });
    expect([await secret.inputValue(), await secret.getAttribute('placeholder')]).toEqual(['', 'Saved']);
    await settings(page, 'Turnstile').getByRole('textbox', { name: 'Site key' }).fill('site-other');
    await save(page);
    expect(await cipher()).toEqual(before);
    await secret.fill('wrong-secret');
    await save(page);
    expect(await cipher()).not.toEqual(before);
    expect(await secret.inputValue()).toBe('');
    await expectSafe();
  });

  test('are asked for where a new step lacks them, at the field', async () => {
    const id = await addWebsite('add', [{ key: 'altcha' }]);
    const { page, expectAccessible, expectSafe } = await openChain(id);
    await page.getByRole('button', { name: 'Add step' }).click();
    await page.getByRole('menuitem', { name: 'reCAPTCHA Enterprise' }).click();
    const fields = settings(page, 'reCAPTCHA Enterprise');
    const siteKey = fields.getByRole('textbox', { name: 'Site key' });
    await eventually(() => hasFocus(siteKey));
    // A step without fields to fill in is shown in between.
    await steps(page).first().click();
    await settings(page, 'Proof of work').getByText('has no settings and no credentials').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(() => hasFocus(siteKey));
    await page.getByText('3 fields to correct').waitFor();
    expect(await fields.getByText('Fill in this field.').count()).toBe(3);
    await expectAccessible();
    await siteKey.fill('site-ent');
    await fields.getByRole('textbox', { name: 'Project ID' }).fill('project-1');
    await fields.getByRole('textbox', { name: 'API key' }).fill('api-key-1');
    await fields.getByRole('textbox', { name: 'Lowest score' }).fill('2');
    await fields.getByText('Enter a number from 0 to 1.').waitFor();
    await fields.getByRole('textbox', { name: 'Lowest score' }).fill('0,65');
    await page.getByText('reCAPTCHA Enterprise is never asked').waitFor();
    await fields.getByRole('button', { name: 'Move up' }).click();
    await page.getByText('less than 0.65 is refused').waitFor();
    await save(page);
    expect(await storedKeys(id)).toEqual(['recaptcha_enterprise:main', 'altcha']);
    await fields.getByRole('button', { name: 'Check credentials' }).click();
    await fields.getByText('reCAPTCHA Enterprise accepts the credentials.').waitFor();
    await expectSafe();
  });

  test('are removed, and brought back, until they are saved', async () => {
    const id = await addWebsite('remove');
    const { page } = await openChain(id);
    await steps(page).nth(1).click();
    await settings(page, 'hCaptcha').getByRole('button', { name: 'Remove step' }).click();
    await page.getByText('Saving deletes hCaptcha with its secrets.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await shown(page)).toEqual(['Turnstile', 'hCaptcha', 'Proof of work']);
    await settings(page, 'hCaptcha').getByRole('button', { name: 'Remove step' }).click();
    await save(page);
    expect(await storedKeys(id)).toEqual(['turnstile:main', 'altcha']);
  });

  test('are brought back once by the undo of their removal, also after the changes were discarded', async () => {
    const id = await addWebsite('discard');
    const { page } = await openChain(id);
    await steps(page).nth(1).click();
    await settings(page, 'hCaptcha').getByRole('button', { name: 'Remove step' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await undoRemoval(page, 'hCaptcha');
    await page.getByText('hCaptcha is removed once you save').waitFor({ state: 'detached' });
    expect(await shown(page)).toEqual(['Turnstile', 'hCaptcha', 'Proof of work']);
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  });

  test('are a new step when their removal is undone after it was saved', async () => {
    const id = await addWebsite('undo-saved');
    const opened = await openChain(id);
    const { page, expectSafe } = opened;
    await steps(page).nth(1).click();
    await settings(page, 'hCaptcha').getByRole('button', { name: 'Remove step' }).click();
    await save(page);
    await undoRemoval(page, 'hCaptcha');
    await eventually(async () => (await shown(page)).join() === 'Turnstile,hCaptcha,Proof of work');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const secret = settings(page, 'hCaptcha').getByRole('textbox', { name: 'Secret' });
    await eventually(() => hasFocus(secret));
    await settings(page, 'hCaptcha').getByText('Fill in this field.').waitFor();
    await picture(opened, 'chain-undo-saved');
    expect(await storedKeys(id)).toEqual(['turnstile:main', 'altcha']);
    await secret.fill('secret-hc');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
    expect(await storedKeys(id)).toEqual(['turnstile:main', 'hcaptcha:main', 'altcha']);
    await expectSafe();
  });

  test('are a new step when their removal is undone while it is saved', async () => {
    const id = await addWebsite('undo-saving');
    const { page } = await openChain(id);
    await steps(page).nth(1).click();
    await settings(page, 'hCaptcha').getByRole('button', { name: 'Remove step' }).click();
    const letGo = await holdBack(page, 'saveCaptchaChain');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await undoRemoval(page, 'hCaptcha');
    await eventually(async () => (await shown(page)).join() === 'Turnstile,hCaptcha,Proof of work');
    letGo();
    await page.getByText('The chain is saved.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await settings(page, 'hCaptcha').getByText('Fill in this field.').waitFor();
    await settings(page, 'hCaptcha').getByRole('textbox', { name: 'Secret' }).fill('secret-hc');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
    expect(await storedKeys(id)).toEqual(['turnstile:main', 'hcaptcha:main', 'altcha']);
  });

  test('tell in words what the provider says of the credentials', async () => {
    const id = await addWebsite('check');
    const { page, expectSafe } = await openChain(id);
    const check = settings(page, 'Turnstile').getByRole('button', { name: 'Check credentials' });
    const status = settings(page, 'Turnstile').getByRole('status');
    await check.click();
    await status.getByText('Turnstile accepts the secret.').waitFor();
    providers.behave('turnstile', 503);
    await check.click();
    await status.getByText('gave no proper answer within three seconds').waitFor();
    providers.behave('turnstile', 'nonsense');
    await check.click();
    await status.getByText('said nothing about the credentials').waitFor();
    providers.behave('turnstile', 'normal');
    providers.issue('turnstile', { hostname: 'check.acme.test' }, 'formgate-credentials-check');
    await check.click();
    await status.getByText('These are test keys').waitFor();
    await settings(page, 'Turnstile').getByRole('textbox', { name: 'Secret' }).fill('wrong-secret');
    await page.getByText('Save the changes first').waitFor();
    expect(await check.isDisabled()).toBe(true);
    await save(page);
    await check.click();
    await status.getByText('Turnstile refuses the credentials').waitFor();
    await expectSafe();
  });
});

describe('a chain that is saved by two', () => {
  const swap = (page: Page) => settings(page, 'Turnstile').getByRole('button', { name: 'Move down' }).click();

  test('shows both to the second, who takes over the other', async () => {
    const id = await addWebsite('conflict');
    const { page, expectAccessible } = await openChain(id, { expected: /409/ });
    await swap(page);
    await addWebsite('conflict', [{ key: 'altcha' }]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('Somebody else has saved the chain').waitFor();
    await eventually(
      async () => (await alert.getByRole('listitem').allInnerTexts()).join() === 'Proof of work',
    );
    await expectAccessible();
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
    const before = await shown(page);
    await page.getByRole('button', { name: 'Take over theirs' }).click();
    expect(await shown(page)).toEqual(['Proof of work']);
    expect(await storedKeys(id)).toEqual(['altcha']);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await shown(page)).toEqual(before);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await alert.getByText('Somebody else has saved the chain').waitFor();
    expect(await storedKeys(id)).toEqual(['altcha']);
  });

  test('shows what the other has set otherwise in the same step', async () => {
    const id = await addWebsite('settings');
    const opened = await openChain(id, { expected: /409/ });
    const { page } = opened;
    await settings(page, 'Turnstile').getByRole('textbox', { name: 'Site key' }).fill('site-mine');
    await addWebsite('settings', [{ ...CHAIN[0]!, site_key: 'site-theirs' }, ...CHAIN.slice(1)]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('Site key: site-theirs').waitFor();
    await picture(opened, 'chain-conflict');
    await alert.getByRole('button', { name: 'Save mine instead' }).click();
    await page.getByText('The chain is saved.').waitFor();
    const where = { websiteId: id, type: 'turnstile' } as const;
    expect(await app().services.db.orm.captchaStep.findFirstOrThrow({ where })).toMatchObject({
      siteKey: 'site-mine',
    });
  });

  test('is a conflict as well once the second page has read the other', async () => {
    const id = await addWebsite('reread');
    const { page } = await openChain(id, { expected: /409/ });
    await swap(page);
    await addWebsite('reread', [{ key: 'altcha' }]);
    await comeBack(page, 'captchaChain');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('Somebody else has saved the chain').waitFor();
    expect(await storedKeys(id)).toEqual(['altcha']);
  });

  test('is overwritten by the second on purpose', async () => {
    const id = await addWebsite('overwrite');
    const { page } = await openChain(id, { expected: /409/ });
    await swap(page);
    await addWebsite('overwrite', [CHAIN[1]!, CHAIN[0]!]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('Somebody else').waitFor();
    await page.getByRole('button', { name: 'Save mine instead' }).click();
    await page.getByText('The chain is saved.').waitFor();
    expect(await storedKeys(id)).toEqual(['hcaptcha:main', 'turnstile:main', 'altcha']);
  });
});

test('what is typed while a chain is saved stays, to be saved next', async () => {
  const id = await addWebsite('typed');
  const { page, expectSafe } = await openChain(id);
  const siteKey = settings(page, 'Turnstile').getByRole('textbox', { name: 'Site key' });
  const letGo = await holdBack(page, 'saveCaptchaChain');
  await siteKey.fill('site-first');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await siteKey.fill('site-second');
  letGo();
  await page.getByText('The chain is saved.').waitFor();
  expect(await siteKey.inputValue()).toBe('site-second');
  await save(page);
  const { siteKey: stored } = await app().services.db.orm.captchaStep.findFirstOrThrow({
    where: { websiteId: id, type: 'turnstile' },
  });
  expect(stored).toBe('site-second');
  await expectSafe();
});

test('changes that are not saved are not left behind unasked', async () => {
  const id = await addWebsite('leave');
  const { page, expectAccessible } = await openChain(id);
  await settings(page, 'Turnstile').getByRole('textbox', { name: 'Site key' }).fill('site-typed');
  await page.getByRole('tab', { name: 'Overview' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.waitFor();
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Stay' }).click();
  expect(await settings(page, 'Turnstile').getByRole('textbox', { name: 'Site key' }).inputValue()).toBe(
    'site-typed',
  );
  await page.getByRole('tab', { name: 'Overview' }).click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor();
});

test('a refusal of the gateway is told with its code, and nothing typed is lost', async () => {
  const id = await addWebsite('refused');
  const { page } = await openChain(id);
  const siteKey = settings(page, 'Turnstile').getByRole('textbox', { name: 'Site key' });
  await siteKey.fill('site-typed');
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('saveCaptchaChain')
      ? route.fulfill({ json: { errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] } })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Your role does not allow this.').waitFor();
  expect(await siteKey.inputValue()).toBe('site-typed');
  await page.unroute('**/graphql');
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('saveCaptchaChain')
      ? route.fulfill({
          json: {
            errors: [
              {
                message: 'No.',
                extensions: { code: 'BAD_USER_INPUT', errors: { 'links.1.siteKey': ['is odd'] } },
              },
            ],
          },
        })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('1 field to correct').waitFor();
  await steps(page).nth(1).click();
  await page.getByText('The gateway does not accept this: is odd').waitFor();
});

describe('figures and incidents', () => {
  const NOW = Date.now();
  const minute = (ago: number) => new Date(Math.floor(NOW / 60_000) * 60_000 - ago * 60_000);

  async function addHistory(id: string) {
    const { db } = app().services;
    const counted = (stepKey: string, verdict: CaptchaVerdict, count: number) => ({
      websiteId: id,
      day: new Date(),
      stepKey,
      verdict,
      count,
    });
    await db.orm.captchaCount.createMany({
      data: [
        counted('turnstile:main', 'accepted', 1203),
        counted('turnstile:main', 'refused', 43),
        counted('turnstile:main', 'fallback', 12),
        counted('altcha', 'accepted', 12),
        counted('recaptcha_v3:old', 'pass_through', 2),
      ],
    });
    const incident = (ago: number, reason: string, count: number, stepKey = 'turnstile:main') => ({
      websiteId: id,
      stepKey,
      reason,
      count,
      requestId: 'r',
      minute: minute(ago),
      firstSeenAt: minute(ago),
      lastSeenAt: minute(ago),
    });
    await db.orm.incident.createMany({
      data: [
        ...[10, 9, 8, 5].map((ago) => incident(ago, 'timeout', 3)),
        incident(600, 'secret_refused', 7),
        incident(30_000, 'pass_through', 2, 'recaptcha_v3:old'),
      ],
    });
  }

  test('are told in words, with what to do', async () => {
    const id = await addWebsite('history');
    await addHistory(id);
    const { page, expectAccessible, weight, expectSafe } = await openChain(id);
    const figures = page.getByRole('region', { name: 'The last 30 days' }).last();
    const row = figures.getByRole('row', { name: /^Turnstile/ });
    await row.waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['1,203', '43', '12', '0']);
    await figures.getByRole('row', { name: /reCAPTCHA v3.*no longer in the chain/ }).waitFor();
    const incidents = page.getByRole('list', { name: 'Incidents' }).getByRole('listitem');
    await incidents.nth(2).waitFor();
    expect(await incidents.count()).toBe(3);
    await incidents.nth(0).getByText('Turnstile did not answer within three seconds, 12 times.').waitFor();
    await incidents.nth(1).getByText('7 visitors were refused').waitFor();
    await incidents.nth(1).getByText('Copy the secret that belongs to the site key').waitFor();
    await incidents.nth(2).getByText('2 leads were accepted without a check: reCAPTCHA v3').waitFor();
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
  });

  test.each(LOOKS)('fit, and are accessible, in every look', async (look) => {
    const name = `look-${look.colorScheme}-${look.viewport.width}`;
    const id = await addWebsite(name);
    await addHistory(id);
    const { page, expectFits, expectAccessible } = await openChain(id, look);
    await page.getByRole('list', { name: 'Incidents' }).waitFor();
    await page.getByRole('row', { name: /1,203/ }).waitFor();
    await expectFits();
    await expectAccessible();
    await picture({ page }, `captcha-${name}`);
  });
});

test('a member sees the chain, and has nothing to change it with', async () => {
  const id = await addWebsite('member');
  const { page, expectAccessible, expectSafe } = await openChain(id, { as: MEMBER });
  expect(await shown(page)).toEqual(['Turnstile', 'hCaptcha', 'Proof of work']);
  await page.getByText('Owners and administrators of the team change them.').waitFor();
  expect(
    await settings(page, 'Turnstile').getByRole('textbox', { name: 'Site key' }).getAttribute('readonly'),
  ).not.toBeNull();
  for (const name of ['Add step', 'Remove step', 'Check credentials', 'Save', 'Move down']) {
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  }
  expect(await page.locator('[draggable=true]').count()).toBe(0);
  await expectAccessible();
  await expectSafe();
  await picture({ page }, 'captcha-member');
});

test('a website without a chain says what holds then', async () => {
  const id = await addWebsite('empty', []);
  const { page, expectAccessible } = await open(`/websites/${id}?tab=captcha`, { as: OWNER });
  await page.getByText('The chain has no step.').waitFor();
  await page.getByText('the default of this installation holds').waitFor();
  await page.getByText('No captcha has been checked').waitFor();
  await page.getByText('There have been no incidents.').waitFor();
  await expectAccessible();
});

test('the page speaks French', async () => {
  const id = await addWebsite('french');
  const { page, expectAccessible } = await openChain(id, { locale: 'fr-FR' });
  await page.getByText('Turnstile vient en premier.').waitFor();
  await page.getByRole('button', { name: 'Vérifier les identifiants' }).click();
  await page.getByText('Turnstile accepte le secret.').waitFor();
  await expectAccessible();
  await picture({ page }, 'captcha-fr');
});

test('no answer of the gateway has held a secret', async () => {
  const all = await Promise.all(answers);
  expect(all.length).toBeGreaterThan(50);
  expect(all.some((answer) => answer.includes('hasSecret'))).toBe(true);
  for (const secret of SECRETS) expect(all.filter((answer) => answer.includes(secret))).toEqual([]);
});
