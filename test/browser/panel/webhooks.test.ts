import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { provision, TEST_ACTOR, team, websiteId } from '../../support/factories.js';
import { recordedLeads } from '../../support/leads.js';
import {
  comeBack,
  hasFocus,
  holdBack,
  LOOKS,
  panelTest,
  picture,
  pressTwice,
} from '../../support/panel-pages.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import { eventually } from '../../support/wait.js';

const OWNER = 'owner@acme.test';
const { app, open } = panelTest({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
let receiver: Receiver;
let teamId: number;
let site: string;

beforeAll(async () => {
  receiver = await startReceiver();
  await provision(app().services, [team('acme')]);
  teamId = (await app().services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  site = await websiteId(app().services, 'www.acme.test');
});
afterAll(() => receiver.close());

const tab = () => `/teams/${teamId}?tab=webhooks`;

const SETTINGS = { events: ['submission.created' as const], formIds: [], enabled: true };

/** Adds websites to the team. @returns their ids. */
const addWebsites = async (...hosts: string[]): Promise<string[]> =>
  (
    await app().services.db.orm.website.createManyAndReturn({
      data: hosts.map((host) => ({
        id: randomUUID(),
        teamId,
        name: host,
        host,
        url: `https://${host}`,
        locale: 'fr',
        email: 'a@acme.test',
        signatureKeyCipher: Buffer.alloc(1),
      })),
    })
  ).map(({ id }) => id);

/** Creates an endpoint and lets it be told of leads. */
async function endpoint(path: string, leads: number) {
  const { webhooks, db } = app().services;
  const { id } = await webhooks.create(
    teamId,
    { ...SETTINGS, url: receiver.url + path, description: '', websiteIds: [] },
    TEST_ACTOR,
  );
  await recordedLeads(app().services, site, leads);
  await eventually(
    async () =>
      (await db.orm.webhookDelivery.count({ where: { webhookId: id, state: 'delivered' } })) === leads,
  );
  return id;
}

/** Waits until a webhook has no delivery in flight: its receiver has one before the gateway records the answer. */
const isIdle = (webhookId: string) =>
  eventually(
    async () =>
      (await app().services.db.orm.webhookDelivery.count({ where: { webhookId, state: 'pending' } })) === 0,
  );

describe('the tab of webhooks', () => {
  test('creates a webhook for a website, and shows its secret once', async () => {
    const { page, expectSafe, expectAccessible } = await open(tab(), { as: OWNER });
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a webhook' });
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/made`);
    await dialog.getByRole('button', { name: /Websites/ }).click();
    await page.getByRole('option', { name: 'www.acme.test' }).click();
    await page.keyboard.press('Escape');
    await expectAccessible();
    await dialog.getByRole('button', { name: 'Create a webhook' }).click();
    const shown = page.getByRole('dialog', { name: 'Secret of the webhook' });
    const secret = await shown.getByText(/^whsec_/).textContent();
    await shown.getByRole('button', { name: 'I have kept it' }).click();
    const item = page.getByRole('article', { name: `${receiver.url}/made` });
    await item.getByText('For 1 website and all forms.').waitFor();
    expect(await page.getByText(secret!).count()).toBe(0);
    const stored = await app().services.db.orm.webhook.findFirstOrThrow({ where: { teamId } });
    expect(stored.websiteIds).toEqual([site]);
    await expectSafe();
  });

  test('asks for a webhook in a low window without a control behind the buttons of the dialog', async () => {
    const { page } = await open(tab(), { as: OWNER, viewport: { width: 360, height: 420 } });
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    const dialog = page.getByRole('dialog');
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    await dialog.getByRole('textbox', { name: 'Address' }).waitFor();
    await dialog.locator(':focus').waitFor();
    const { y } = (await cancel.boundingBox())!;
    const ends: number[] = [];
    while (ends.length < 60 && !(await hasFocus(cancel))) {
      const { y: top, height } = (await page.locator(':focus').boundingBox())!;
      ends.push(top + height);
      await page.keyboard.press('Tab');
    }
    expect(await hasFocus(cancel)).toBe(true);
    expect(ends.length).toBeGreaterThan(5);
    expect(Math.max(...ends)).toBeLessThanOrEqual(y);
    await picture({ page }, 'webhook-dialog-low');
  });

  test('creates one webhook by a double click', async () => {
    const { page } = await open(tab(), { as: OWNER });
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create a webhook' });
    await dialog.getByRole('textbox', { name: 'Address' }).fill(`${receiver.url}/once`);
    await pressTwice(dialog.getByRole('button', { name: 'Create a webhook' }));
    const shown = page.getByRole('dialog', { name: 'Secret of the webhook' });
    await shown.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('article', { name: `${receiver.url}/once` }).waitFor();
    const where = { url: `${receiver.url}/once` };
    expect(await app().services.db.orm.webhook.count({ where })).toBe(1);
    await app().services.db.orm.webhook.deleteMany({ where });
  });

  test('keeps what a colleague changes of a webhook while it is edited', async () => {
    const { webhooks, db } = app().services;
    const settings = { ...SETTINGS, url: `${receiver.url}/shared`, description: '', websiteIds: [] };
    const { id } = await webhooks.create(teamId, settings, TEST_ACTOR);
    const { page } = await open(tab(), { as: OWNER });
    const item = page.getByRole('article', { name: settings.url });
    await item.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the webhook' });
    await dialog.getByRole('textbox', { name: 'What it is for' }).fill('For the sales team');
    const found = await webhooks.find(id);
    await webhooks.update(found!, { ...settings, websiteIds: [site], enabled: false }, TEST_ACTOR);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await item.getByText('For 1 website and all forms.').waitFor();
    expect(await db.orm.webhook.findUniqueOrThrow({ where: { id } })).toMatchObject({
      description: 'For the sales team',
      websiteIds: [site],
      state: 'paused',
    });
    await db.orm.webhook.delete({ where: { id } });
  });

  test('keeps what is typed while a webhook is saved, to be saved next', async () => {
    const { webhooks, db } = app().services;
    const settings = { ...SETTINGS, url: `${receiver.url}/typed`, description: 'Before', websiteIds: [] };
    const { id } = await webhooks.create(teamId, settings, TEST_ACTOR);
    const { page } = await open(tab(), { as: OWNER });
    const item = page.getByRole('article', { name: settings.url });
    await item.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit the webhook' });
    const description = dialog.getByRole('textbox', { name: 'What it is for' });
    await description.fill('Sent');
    const letGo = await holdBack(page, 'updateWebhook');
    await dialog.getByRole('button', { name: 'Save' }).click();
    // What is taken back is a change of what was sent.
    await description.fill('Before');
    letGo();
    await page.getByText('Webhook saved.').waitFor();
    const stored = () => db.orm.webhook.findUniqueOrThrow({ where: { id } });
    expect((await stored()).description).toBe('Sent');
    expect(await description.inputValue()).toBe('Before');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await stored()).description).toBe('Before');
    await db.orm.webhook.delete({ where: { id } });
  });

  test('no longer lists a webhook that a colleague has deleted, once that was told', async () => {
    const { webhooks, db } = app().services;
    const settings = { ...SETTINGS, url: `${receiver.url}/gone`, description: '', websiteIds: [] };
    const { id } = await webhooks.create(teamId, settings, TEST_ACTOR);
    const { page } = await open(tab(), { as: OWNER, expected: /404/ });
    const item = page.getByRole('article', { name: settings.url });
    await item.getByRole('button', { name: 'Delete' }).click();
    await db.orm.webhook.delete({ where: { id } });
    const dialog = page.getByRole('dialog', { name: 'Delete this webhook?' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('This does not exist, or it is not yours to see.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await item.waitFor({ state: 'detached' });
  });

  test('no longer lists it after another action either, which each tell that it is gone', async () => {
    const { db } = app().services;
    const gone = async (action: string) => {
      const id = await endpoint(`/gone-${action}`, 1);
      const { page } = await open(tab(), { as: OWNER, expected: /404/ });
      const item = page.getByRole('article', { name: `${receiver.url}/gone-${action}` });
      await item.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first().waitFor();
      return { page, item, remove: () => db.orm.webhook.delete({ where: { id } }) };
    };
    const told = 'This does not exist, or it is not yours to see.';

    for (const action of ['Send test', 'Redeliver']) {
      const { page, item, remove } = await gone(action.replaceAll(' ', '-'));
      if (action === 'Redeliver') await item.getByText('A lead has come', { exact: true }).last().click();
      await remove();
      await item.getByRole('button', { name: action, exact: true }).click();
      await page.getByRole('alertdialog').getByText(told).waitFor();
      await item.waitFor({ state: 'detached' });
    }

    for (const action of ['New secret', 'Redeliver all since…']) {
      const { page, item, remove } = await gone(action.replaceAll(/\W/g, '-'));
      await item.getByRole('button', { name: action }).click();
      await remove();
      const dialog = page.getByRole('dialog');
      const since = dialog.getByLabel('Since');
      if (await since.count()) await since.fill('2026-01-01T00:00');
      await dialog.getByRole('button', { name: /^(New secret|Redeliver)$/ }).click();
      await dialog.getByText(told).waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await item.waitFor({ state: 'detached' });
    }
  });

  test('says that a website of a webhook is gone, keeps that narrowing, and replaces it', async () => {
    const { services } = app();
    const [gone, kept] = await addWebsites('gone.acme.test', 'kept.acme.test');
    const { id } = await services.webhooks.create(
      teamId,
      { ...SETTINGS, url: `${receiver.url}/gone`, description: '', websiteIds: [gone!] },
      TEST_ACTOR,
    );
    expect(await services.managedWebsites.remove(gone!, TEST_ACTOR)).toBe('deleted');
    const { page, expectAccessible, expectSafe } = await open(tab(), { as: OWNER });
    const item = page.getByRole('article', { name: `${receiver.url}/gone` });
    await item.getByText('1 website of it is gone').waitFor();
    await item.getByText('It is told of no lead').waitFor();
    const narrowedTo = async () =>
      (await services.db.orm.webhook.findUniqueOrThrow({ where: { id } })).websiteIds;
    const dialog = page.getByRole('dialog', { name: 'Edit' });
    const edit = async () => {
      await item.getByRole('button', { name: 'Edit' }).click();
      await dialog.getByRole('button', { name: `Website that is gone (${gone})` }).waitFor();
    };
    const save = async () => {
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await edit();
    await expectAccessible();
    await dialog.getByRole('textbox', { name: 'What it is for' }).fill('CRM');
    await save();
    expect(await narrowedTo()).toEqual([gone]);
    await edit();
    await dialog.getByRole('button', { name: /Websites/ }).click();
    await page.getByRole('option', { name: /Website that is gone/ }).click();
    await page.getByPlaceholder('Search').fill('kept');
    await page.getByRole('option', { name: 'kept.acme.test' }).click();
    // The first one empties the search.
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    await save();
    expect(await narrowedTo()).toEqual([kept]);
    await item.getByText('It is told of no lead').waitFor({ state: 'detached' });
    await expectSafe();
  });

  test('finds a website beyond the first fifty by a search, and keeps what is chosen already', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `w${String(n).padStart(2, '0')}.acme.test`);
    const ids = await addWebsites(...names);
    const { id } = await app().services.webhooks.create(
      teamId,
      { ...SETTINGS, url: `${receiver.url}/many`, description: '', websiteIds: [ids[58]!] },
      TEST_ACTOR,
    );
    const { page } = await open(tab(), { as: OWNER });
    const item = page.getByRole('article', { name: `${receiver.url}/many` });
    await item.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit' });
    const button = dialog.getByRole('button', { name: /Websites/ });
    await button.getByText('w58.acme.test').waitFor();
    await button.click();
    await page.getByRole('option').first().waitFor();
    expect(await page.getByRole('option', { name: 'w59.acme.test' }).count()).toBe(0);
    await page.getByPlaceholder('Search').fill('w59');
    await page.getByRole('option', { name: 'w59.acme.test' }).click();
    // The first one empties the search.
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
    // They are shown in the order of their ids, which are random here.
    const chosen = ids[58]! < ids[59]! ? 'w58.acme.test, w59.acme.test' : 'w59.acme.test, w58.acme.test';
    await button.getByText(chosen).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { websiteIds } = await app().services.db.orm.webhook.findUniqueOrThrow({ where: { id } });
    expect([...websiteIds].sort()).toEqual([ids[58], ids[59]].sort());
  });

  test('says when a former secret ends, and draws no new one while five sign', async () => {
    const { webhooks } = app().services;
    const { id } = await webhooks.create(
      teamId,
      { ...SETTINGS, url: `${receiver.url}/rotated`, description: '', websiteIds: [] },
      TEST_ACTOR,
    );
    const rotate = async () => webhooks.rotateSecret((await webhooks.find(id))!, TEST_ACTOR);
    for (let former = 0; former < 4; former++) await rotate();
    const { page, expectAccessible } = await open(tab(), { as: OWNER });
    const item = page.getByRole('article', { name: `${receiver.url}/rotated` });
    await item.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByText('4 former secrets still sign, the first one until').waitFor();
    await dialog.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await item.getByRole('button', { name: 'New secret' }).click();
    await dialog.getByText('No more than 5 former secrets sign at a time').waitFor();
    expect(await dialog.getByRole('button', { name: 'New secret' }).isDisabled()).toBe(true);
    await expectAccessible();
  });

  test('shows request, answer and duration of each delivery, and sends it again', async () => {
    const path = '/told';
    receiver.behave(path, (response) => response.writeHead(200).end('Thank you'));
    const id = await endpoint(path, 2);
    const { page, expectAccessible } = await open(tab(), { as: OWNER });
    const item = page.getByRole('article', { name: receiver.url + path });
    const first = item.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first();
    await first.getByText('A lead has come').first().click();
    await first.getByText('"type":"submission.created"').waitFor();
    await first.getByText('200', { exact: true }).first().waitFor();
    await first.getByText('Thank you', { exact: true }).waitFor();
    expect(await first.getByText('Next attempt').count()).toBe(0);
    await first
      .getByText(/^\d+ ms$|ms/)
      .first()
      .waitFor();
    await expectAccessible();
    const messageId = (await first.getByText(/^webhook-id: /).textContent())!.replace('webhook-id: ', '');
    const logged = receiver.at(path).find(({ headers }) => headers['webhook-id'] === messageId)!;
    await first.getByText(`webhook-timestamp: ${logged.headers['webhook-timestamp']}`).waitFor();
    expect(await item.textContent()).not.toMatch(/webhook-signature|v1,|whsec_/);
    await first.getByRole('button', { name: 'Redeliver' }).click();
    await eventually(() => receiver.at(path).length === 3);
    await isIdle(id);
    await item.getByRole('button', { name: 'Redeliver all since…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redeliver all since…' });
    await dialog.getByLabel('Since').fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Redeliver' }).click();
    await eventually(() => receiver.at(path).length === 5);
    await isIdle(id);
    await item.getByRole('button', { name: 'Send test' }).click();
    await eventually(() => receiver.at(path).length === 6);
    const { submissionId } = await app().services.db.orm.webhookDelivery.findUniqueOrThrow({
      where: { id: messageId, webhookId: id },
    });
    const delivery = item.locator('details', { hasText: messageId });
    await delivery.getByRole('link', { name: 'Open the lead' }).click();
    await page.waitForURL(`**/inbox/${submissionId}`);
  });

  test('says that a delivery is being sent, then what was answered and when it is tried next', async () => {
    const path = '/busy';
    const held: ServerResponse[] = [];
    receiver.behave(path, (response) => void held.push(response));
    await app().services.webhooks.create(
      teamId,
      { ...SETTINGS, url: receiver.url + path, description: '', websiteIds: [] },
      TEST_ACTOR,
    );
    const { page } = await open(tab(), { as: OWNER });
    const item = page.getByRole('article', { name: receiver.url + path });
    await item.getByText('Nothing was sent in the last 30 days.').waitFor();
    await recordedLeads(app().services, site, 1);
    await eventually(() => held.length > 0);
    await comeBack(page, 'webhookDeliveries');
    const delivery = item.locator('details');
    await delivery.getByText('A lead has come', { exact: true }).click();
    await delivery.getByText('It is being sent at this moment.').waitFor();
    expect(await delivery.getByText('Next attempt').count()).toBe(0);
    for (const response of held) response.writeHead(503, { 'retry-after': '3600' }).end('Out for lunch');
    await delivery.getByText('Out for lunch', { exact: true }).waitFor();
    await delivery.getByText('503', { exact: true }).first().waitFor();
    const next = delivery.getByRole('listitem').filter({ hasText: 'Next attempt' });
    const at = await next.getByRole('time').getAttribute('datetime');
    expect(Date.parse(at!)).toBeGreaterThan(Date.now() + 3_500_000);
    expect(await delivery.getByText('It is being sent at this moment.').count()).toBe(0);
  });

  test.each([
    {
      locale: 'en-GB',
      tryNow: 'Try now',
      short: 'no answer',
      unreachable: 'The receiver could not be reached, or closed the connection. Check that it runs',
      timeout: 'The receiver did not answer within 15 seconds.',
    },
    {
      locale: 'fr-FR',
      tryNow: 'Essayer maintenant',
      short: 'pas de réponse',
      unreachable: 'Le destinataire est injoignable ou a fermé la connexion. Vérifiez',
      timeout: 'Le destinataire n’a pas répondu en 15 secondes.',
    },
  ])('says in $locale why a receiver was not reached, and tries again at once', async (told) => {
    const { locale, tryNow, short, unreachable, timeout } = told;
    const { webhooks, db } = app().services;
    await db.orm.webhook.deleteMany();
    const settings = { events: ['submission.created' as const], websiteIds: [], formIds: [], enabled: true };
    // No program listens on port 1.
    const { id } = await webhooks.create(
      teamId,
      { ...settings, url: 'http://127.0.0.1:1/', description: '' },
      TEST_ACTOR,
    );
    await recordedLeads(app().services, site, 1);
    const attempts = () => db.orm.webhookAttempt.count({ where: { delivery: { webhookId: id } } });
    // The second one is five minutes before the third.
    await eventually(async () => (await attempts()) === 2);
    const hung = { fault: 'timeout', answer: 'No answer in time.' };
    await db.orm.webhookAttempt.updateMany({ where: { delivery: { webhookId: id }, number: 2 }, data: hung });
    const { page, expectAccessible } = await open(tab(), { as: OWNER, locale });
    const delivery = page.getByRole('article').locator('details').first();
    await delivery.getByText(short, { exact: true }).waitFor();
    await delivery.getByTitle('submission.created').click();
    await delivery.getByText(unreachable).waitFor();
    await delivery.getByText('ECONNREFUSED').waitFor();
    await delivery.getByText(timeout).waitFor();
    expect(await delivery.getByText('No answer in time.').count()).toBe(0);
    await expectAccessible();
    await picture({ page }, `webhook-unanswered-${locale}`);
    await delivery.getByRole('button', { name: tryNow }).click();
    await eventually(async () => (await attempts()) === 3);
  });
});

describe('the tab of webhooks with forty deliveries', () => {
  beforeAll(async () => {
    const { db } = app().services;
    await db.orm.webhook.deleteMany();
    const id = await endpoint(`/${'a-long-path'.repeat(12)}`, 40);
    await endpoint('/disabled', 1);
    // The lead of the other webhook goes to this one too.
    await isIdle(id);
    await db.orm.webhook.updateMany({ where: { NOT: { id } }, data: { state: 'gone' } });
    const { id: latest } = await db.orm.webhookDelivery.findFirstOrThrow({
      where: { webhookId: id },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    });
    const answer = '<p>Internal error</p>\n'.repeat(150);
    await db.orm.webhookDelivery.update({ where: { id: latest }, data: { state: 'failed' } });
    const attempt = { where: { deliveryId: latest }, data: { status: 500, answer } };
    await eventually(async () => (await db.orm.webhookAttempt.updateMany(attempt)).count > 0);
  });

  test.each(['en-GB', 'fr-FR'].flatMap((locale) => LOOKS.map((look) => ({ locale, ...look }))))(
    'fits and is accessible in %j',
    async ({ locale, ...look }) => {
      const opened = await open(tab(), { as: OWNER, locale, ...look });
      await opened.page.getByRole('article').nth(1).waitFor();
      // The two endpoints read their deliveries apart, in any order.
      const delivery = opened.page.getByRole('article').first().locator('details').first();
      await delivery.getByTitle('submission.created').click();
      await delivery.getByText('"type":"submission.created"').waitFor();
      expect(await delivery.locator('summary').innerText()).toContain('500');
      const shown = await delivery.locator('pre').last().boundingBox();
      expect(shown!.height).toBeLessThanOrEqual(200);
      await opened.expectFits();
      await opened.expectAccessible();
      await picture(opened, `webhooks-${locale}-${look.colorScheme}-${look.viewport.width}`);
    },
  );
});
