import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Route } from 'playwright-core';
import { mendingPath } from '../../../src/attention/mending-path.js';
import { attentionOf } from '../../support/attention.js';
import { provision, team, website, websiteId } from '../../support/factories.js';
import { countAllDays, recordedLeads } from '../../support/leads.js';
import { createAccount } from '../../support/panel.js';
import { LOOKS, MAX_WEIGHT, panelTest, picture, pressTwice } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const [STAFF, OWNER, MEMBER] = ['staff@agency.test', 'owner@acme.test', 'member@acme.test'];
const LONG = 'Établissements Müller-Vandenbroucke & Fils, plomberie, chauffage, climatisation et dépannage';
const WEBHOOK_HOST = 'hooks.example.com';
const HOUR_MS = 3_600_000;

const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

/** An element as the browser has it. */
type Linked = { getAttribute(name: string): string | null };

let site: string;
let deferred: string;

beforeAll(async () => {
  const { services } = app();
  const { orm } = services.db;
  await provision(services, [
    team('acme', {
      websites: [
        website('www.acme.test', { name: LONG }),
        website('mail.acme.test', { name: 'موقع الاختبار' }),
      ],
    }),
    team('globex'),
    team('quiet'),
  ]);
  await createAccount(services, { email: STAFF, staff: true });
  site = await websiteId(services, 'www.acme.test');
  const mail = await websiteId(services, 'mail.acme.test');
  const globex = await websiteId(services, 'www.globex.test');
  const leads: string[] = [];
  for (let n = 0; n < 20; n++) {
    for (const id of [site, globex])
      leads.push(...(await recordedLeads(services, id, 1, ago(9 * 24 + n * 14))));
  }
  for (let day = 0; day < 30; day++)
    leads.push(...(await recordedLeads(services, mail, 1 + (day % 3), ago(day * 24))));
  /** Waits until the worker, to whom leads of another day are due at once, has no e-mail in its hands. */
  const isIdle = () =>
    eventually(async () => (await orm.notification.count({ where: { state: 'pending' } })) === 0);
  await isIdle();
  await orm.notification.updateMany({ data: { state: 'sent', sentAt: new Date() } });
  await orm.notification.update({ where: { submissionId: leads.at(-60)! }, data: { state: 'sent' } });
  const [failed] = await recordedLeads(services, mail, 1, ago(1));
  await isIdle();
  await orm.notification.update({ where: { submissionId: failed! }, data: { state: 'failed' } });
  await orm.incident.create({
    data: {
      websiteId: mail,
      stepKey: 'turnstile:main',
      reason: 'secret_refused',
      requestId: 'r',
      minute: ago(1),
      firstSeenAt: ago(1),
      lastSeenAt: ago(1),
    },
  });
  const { id: planId } = await orm.plan.create({
    data: { code: 'small', name: 'Small', notificationsPerMonth: 500 },
  });
  const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  await orm.team.update({ where: { id: teamId }, data: { planId } });
  await orm.webhook.create({
    data: {
      id: randomUUID(),
      teamId,
      url: `https://${WEBHOOK_HOST}/`,
      events: ['form_changed'],
      state: 'gone',
      secretCipher: Buffer.alloc(1),
    },
  });
  const today = new Date();
  for (let day = 0; day < 60; day++) {
    const ok = day % 17 !== 3;
    // At noon, so that no change of the clocks puts two on the same day.
    const at = day === 0 ? today : new Date(ago(day * 24).setUTCHours(12, 0, 0, 0));
    await orm.probe.create({
      data: {
        websiteId: site,
        ok,
        startedAt: at,
        finishedAt: at,
        steps: [{ name: 'page', ok, ms: 12, finding: ok ? null : 'page_status', detail: null }],
      },
    });
  }
  await countAllDays(services);
  [deferred = ''] = await recordedLeads(services, mail, 1, ago(3));
  await isIdle();
  await orm.notification.update({
    where: { submissionId: deferred },
    data: { state: 'pending', createdAt: ago(3), retryingSince: ago(3), retries: 4, nextAttemptAt: ago(-24) },
  });
  const usage = { used: 430 };
  // On the last day of a month the tests may go on in the next one.
  for (const day of [today, ago(-24)]) {
    const month = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1));
    await orm.quotaUsage.upsert({
      where: { teamId_month: { teamId, month } },
      create: { teamId, month, ...usage },
      update: usage,
    });
  }
});

/** Leaves no form with missing texts, of which the start page would tell. */
async function mendTexts(): Promise<void> {
  const { orm } = app().services.db;
  // The worker examines each version of a form once, and would find the missing texts after this.
  await eventually(async () => (await orm.formFindings.count()) === (await orm.form.count()));
  await orm.formFindings.updateMany({ data: { missingTexts: 0, missingLocales: [] } });
}

describe('the start page', () => {
  test('says what needs attention, the most urgent first, each with the button that leads to its mending', async () => {
    const { page, expectSafe, expectAccessible, weight } = await open('/', { as: STAFF });
    await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
    const items = page.getByRole('list', { name: 'Items' }).getByRole('listitem');
    await items.filter({ hasText: 'The provider refuses the credentials of the captcha' }).waitFor();
    expect(await items.first().textContent()).toMatch(/^Urgent/);
    // How it goes on depends on the day of the month.
    await items.filter({ hasText: '430 of 500 e-mails' }).waitFor();
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
    const silent = items.filter({ hasText: LONG });
    expect(await silent.textContent()).toContain('No lead for 9 days; usually there is one every 14 hours');
    await silent.getByRole('link', { name: `Run a test: ${LONG}, acme` }).click();
    await page.getByRole('button', { name: 'Test it' }).waitFor();
    await page.goBack();
    await items
      .filter({ hasText: '1 e-mail has failed' })
      .getByRole('link', { name: 'See the leads' })
      .click();
    await eventually(async () => new URL(page.url()).pathname.endsWith('/inbox'));
    expect(new URL(page.url()).search).toContain('folder=failed');
  });

  test('is printed without its buttons', async () => {
    const { page } = await open('/', { as: STAFF });
    const action = page.getByRole('link', { name: `Run a test: ${LONG}, acme` });
    await action.waitFor();
    await page.emulateMedia({ media: 'print' });
    expect(await action.count()).toBe(0);
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    await page
      .getByText(/^Urgent/)
      .first()
      .waitFor();
    await picture({ page }, 'attention-print');
  });

  test('leads from e-mails that wait to the leads whose e-mails these are', async () => {
    const { page, expectAccessible } = await open('/', { as: OWNER });
    await page
      .getByRole('listitem')
      .filter({ hasText: '1 e-mail waits for the mail server' })
      .getByRole('link', { name: 'See the leads' })
      .click();
    await page.getByRole('navigation', { name: 'Folders' }).getByText('E-mail waits').waitFor();
    const rows = page.getByRole('grid', { name: 'Leads' }).getByRole('rowgroup').getByRole('row');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    await rows.first().click();
    await eventually(async () => new URL(page.url()).pathname.endsWith(`/inbox/${deferred}`));
    await expectAccessible();
  });

  test('says in a dialog what the operator does about what is mended outside the panel', async () => {
    const { orm } = app().services.db;
    const since = ago(30);
    await orm.senderCheck.create({
      data: {
        name: 'spf',
        isOk: false,
        finding: 'missing',
        detail: 'agency.test',
        since,
        checkedAt: since,
      },
    });
    const { page, expectAccessible, expectSafe } = await open('/', { as: STAFF });
    const item = page.getByRole('listitem').filter({ hasText: 'agency.test' });
    await item.getByRole('button', { name: 'What to do: The whole installation', exact: true }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'What the operator of Formgate does' });
    await dialog.getByText('formgate doctor').waitFor();
    await expectAccessible();
    await page.keyboard.press('Escape');
    await eventually(async () => (await dialog.count()) === 0);
    await expectSafe();
    await orm.senderCheck.deleteMany();
  });

  test('says that a check failed beside what the others found, and of no website that all is well', async () => {
    const { orm } = app().services.db;
    await orm.$executeRaw`ALTER TABLE webhooks RENAME failing_since TO lost`;
    try {
      const { page, expectAccessible, expectSafe } = await open('/', { as: OWNER });
      const items = page.getByRole('listitem');
      await items.filter({ hasText: '1 e-mail has failed' }).waitFor();
      const unchecked = items.filter({ hasText: 'Not everything could be checked' });
      await picture({ page }, 'attention-unchecked');
      await unchecked.getByRole('button', { name: 'What to do' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Attention not checked').waitFor();
      await expectAccessible();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('link', { name: 'Websites' }).click();
      await page.getByRole('row').filter({ hasText: 'Not checked' }).first().waitFor();
      expect(await page.getByText('All well').count()).toBe(0);
      await expectSafe();
    } finally {
      await orm.$executeRaw`ALTER TABLE webhooks RENAME lost TO failing_since`;
    }
  });

  test('leads from each item to the address that e-mails to staff have for it', async () => {
    const { services } = app();
    const { page } = await open('/', { as: STAFF });
    const listed = page.getByRole('list', { name: 'Items' }).getByRole('listitem');
    // The worker looks through the forms meanwhile.
    const items = await eventually(async () => {
      const found = await attentionOf(services);
      return (await listed.count()) === found.length && found;
    });
    const addressOf = (url: string) => {
      const { pathname, searchParams } = new URL(url, app().url);
      searchParams.sort();
      return `${pathname}?${searchParams}`;
    };
    const links = await listed
      .getByRole('link')
      .evaluateAll((found) => (found as unknown as Linked[]).map((link) => link.getAttribute('href') ?? ''));
    const shown = new Set(links.map(addressOf));
    for (const item of items) {
      const path = mendingPath(item);
      if (item.action !== 'OPEN_GUIDE') expect(shown).toContain(addressOf(`/panel${path}`));
    }
    expect(new Set(items.map(({ action }) => action)).size).toBeGreaterThan(4);
  });

  test('is the first link of the navigation, with the number of its items', async () => {
    const { page } = await open('/websites', { as: OWNER });
    const link = page.getByRole('navigation').getByRole('link').first();
    await page.getByRole('link', { name: /^Attention \d+$/ }).waitFor();
    expect(await link.textContent()).toMatch(/^Attention\d+$/);
    await link.click();
    await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
    expect(await link.getAttribute('aria-current')).toBe('page');
  });

  test('shows owners their own team, and the day beside it', async () => {
    const { page } = await open('/', { as: OWNER });
    await page.getByText(LONG).waitFor();
    expect(await page.getByText('www.globex.test').count()).toBe(0);
    const aside = page.getByRole('complementary', { name: 'How the day goes' });
    await aside.getByText(/^\d+ leads?$/).waitFor();
    await aside.getByRole('img', { name: /^Leads of the last 14 days, oldest first: [\d ]+$/ }).waitFor();
    await aside.getByText('430 of 500').waitFor();
    await aside.getByRole('progressbar', { name: 'E-mails used by acme' }).waitFor();
  });

  test('says that all is well where nothing needs attention', async () => {
    const { page, expectAccessible } = await open('/', { as: 'owner@quiet.test' });
    await mendTexts();
    await page.reload();
    await page.getByText('All is well.').waitFor();
    await page.getByText(/^Checked/).waitFor();
    await expectAccessible();
  });

  test('says of a suspended team that its visitors are refused, and not that all is well', async () => {
    const { services } = app();
    const { orm } = services.db;
    await provision(services, [team('stopped'), team('halted')]);
    await orm.team.updateMany({ where: { slug: { in: ['stopped', 'halted'] } }, data: { active: false } });
    await mendTexts();
    const { id: stopped } = await orm.team.findUniqueOrThrow({ where: { slug: 'stopped' } });
    const { id: quiet } = await orm.team.findUniqueOrThrow({ where: { slug: 'quiet' } });
    const opened = await open('/', { as: 'owner@stopped.test' });
    const { page, expectAccessible, expectSafe } = opened;
    const said = page
      .getByRole('status')
      .filter({ hasText: 'stopped is suspended: its visitors are refused.' });
    await said.waitFor();
    await page.getByText(/^Checked/).waitFor();
    expect(await page.getByText('All is well.').count()).toBe(0);
    await expectAccessible();
    await picture(opened, 'attention-suspended');

    const staff = await open(`/?team=${stopped}`, { as: STAFF });
    await staff.page.getByText('stopped is suspended: its visitors are refused.').waitFor();
    expect(await staff.page.getByText('All is well.').count()).toBe(0);

    const { id: userId } = await orm.user.findUniqueOrThrow({ where: { email: 'owner@halted.test' } });
    const { id: acme } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    await orm.membership.createMany({
      data: [acme, quiet, stopped].map((teamId) => ({ userId, teamId, role: 'admin' as const })),
    });
    const several = await open('/', { as: 'owner@halted.test', ...LOOKS[2], locale: 'fr-FR' });
    await several.page
      .getByText(/^halted et stopped sont suspendues\s: leurs visiteurs sont refusés\.$/)
      .waitFor();
    await several.page.getByRole('listitem').filter({ hasText: '1 e-mail a échoué' }).waitFor();
    await several.expectFits();
    await picture(several, 'attention-suspended-several');
    await several.page.goto(`${app().url}/panel/?team=${quiet}`);
    await several.page.getByText('Tout va bien.').waitFor();
    expect(await several.page.getByText(/suspendue/).count()).toBe(0);
    await expectSafe();
  });

  test('leads to a first website where there is none of which that could be said', async () => {
    const { services } = app();
    await provision(services, [team('empty', { websites: [] })]);
    const opened = await open('/', { as: 'owner@empty.test' });
    const { page, expectAccessible } = opened;
    await page.getByText('No websites yet.').waitFor();
    expect(await page.getByText('All is well.').count()).toBe(0);
    await expectAccessible();
    await picture(opened, 'attention-no-website');
    await page.getByRole('link', { name: 'Create the first website' }).click();
    await page.getByRole('heading', { name: 'New website' }).waitFor();

    const { page: membersPage } = await open('/', { as: 'member@empty.test' });
    await membersPage.getByText('An owner or admin of the team creates websites.').waitFor();
    expect(await membersPage.getByRole('link', { name: 'Create the first website' }).count()).toBe(0);
  });

  test('does not say that all is well when no worker has checked it yet, or lately', async () => {
    const { services } = app();
    await provision(services, [team('bare', { websites: [] })]);
    await mendTexts();
    /** Answers as a gateway without a worker does. */
    const withoutWorker = (checkedAt: string) => async (route: Route) => {
      if (!route.request().postData()?.includes('query today(')) return route.fallback();
      const answer = await (await route.fetch()).text();
      const body = answer
        .replace('"areCountsLate":false', '"areCountsLate":true')
        .replace(/"checkedAt":("[^"]*"|null)/, `"checkedAt":${checkedAt}`);
      return route.fulfill({ body, contentType: 'application/json' });
    };
    const { page } = await open('/', { as: 'owner@quiet.test' });
    await page.getByText('All is well.').waitFor();
    for (const [checkedAt, words] of [
      [`"${ago(1).toISOString()}"`, /^Nothing has been checked for a while/],
      ['null', /^Nothing has been checked yet/],
    ] as const) {
      await page.route('**/graphql', withoutWorker(checkedAt));
      await page.reload();
      await page.getByText(words).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByText('All is well.').count()).toBe(0);
      await page.unroute('**/graphql');
    }
    const bare = await open('/', { as: 'owner@bare.test' });
    await bare.page.route('**/graphql', withoutWorker('null'));
    await bare.page.reload();
    await bare.page.getByText(/^Nothing has been checked yet/).waitFor();
    await bare.page.getByRole('link', { name: 'Create the first website' }).waitFor();
  });

  test('says that the check is old when the gateway does, whatever the clock of the viewer', async () => {
    const { page } = await open('/', { as: 'owner@quiet.test' });
    let isLate = false;
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query today(')) return route.fallback();
      const answer = await (await route.fetch()).text();
      const body = answer.replace(/"areCountsLate":[a-z]+/, `"areCountsLate":${isLate}`);
      return route.fulfill({ body, contentType: 'application/json' });
    });
    await page.clock.install({ time: Date.now() + 3_600_000 });
    await page.reload();
    await page.getByText('All is well.').waitFor();
    await page.clock.runFor(60_000);
    expect(await page.getByText(/^Nothing has been checked for a while/).count()).toBe(0);
    isLate = true;
    await page.clock.runFor(60_000);
    await page.getByText(/^Nothing has been checked for a while/).waitFor();
  });

  test('does not say that all is well when no website has been tested for more than a day', async () => {
    const { orm } = app().services.db;
    const quiet = await websiteId(app().services, 'www.quiet.test');
    await orm.website.update({ where: { id: quiet }, data: { createdAt: ago(100) } });
    const due = { dueAt: ago(30) };
    // A worker may have scheduled it already.
    await orm.scheduledProbe.upsert({
      where: { websiteId: quiet },
      create: { websiteId: quiet, ...due },
      update: due,
    });
    const opened = await open('/', { as: 'owner@quiet.test' });
    const { page, expectAccessible } = opened;
    await page.getByText(/^No website has been tested for more than a day/).waitFor();
    expect(await page.getByText('All is well.').count()).toBe(0);
    await expectAccessible();
    await picture(opened, 'attention-untested');
    await orm.scheduledProbe.deleteMany();
  });

  test('leaves out what is expected, by keyboard, and lists it again with Undo', async () => {
    const { page, expectAccessible, expectSafe } = await open('/', { as: OWNER });
    const item = page.getByRole('listitem').filter({ hasText: 'No lead for 9 days' });
    await item.getByRole('button', { name: `${LONG}, Silence: expected until…` }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `${LONG}, Silence: expected until…` });
    await dialog.getByText('Everything of this kind about the website is left out').waitFor();
    await dialog.getByRole('textbox', { name: 'Why' }).fill('Summer holidays');
    await expectAccessible();
    await picture({ page }, 'attention-expect');
    await dialog.getByLabel('Until').fill('2020-01-01');
    await dialog.getByRole('button', { name: 'Leave out until then' }).click();
    await dialog.getByText('Choose a day after today, within a year.').waitFor();
    const until = new Date(Date.now() + 20 * 24 * HOUR_MS).toISOString().slice(0, 10);
    await dialog.getByLabel('Until').fill(until);
    await dialog.getByRole('button', { name: 'Leave out until then' }).click();
    await page.getByText(/, Silence: expected until \d/).waitFor();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('mutation endSetAside(')
        ? route.fulfill({ json: { errors: [{ message: 'Broken.' }] } })
        : route.fallback(),
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Something went wrong in the gateway.').waitFor();
    await page.unroute('**/graphql');
    await eventually(async () => (await item.count()) === 0);
    await page.goto(`${app().url}/panel/websites/${site}`);
    await page.getByText(/^Silence is expected until .*Summer holidays/).waitFor();
    await page.goto(`${app().url}/panel/`);
    await page.getByRole('listitem').filter({ hasText: '1 e-mail has failed' }).waitFor();
    expect(await item.count()).toBe(0);
    await page.goto(`${app().url}/panel/websites/${site}`);
    await page.getByRole('button', { name: 'List it again – Silence', exact: true }).click();
    await eventually(async () => (await page.getByText(/^Silence is expected/).count()) === 0);
    await page.getByRole('link', { name: /^Attention/ }).click();
    await item.waitFor();
    await item.getByRole('button', { name: /expected until/ }).click();
    await page.getByRole('button', { name: 'Leave out until then' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await item.waitFor();
    await expectSafe();
  });

  test('says once what two presses leave out', async () => {
    const { page } = await open('/', { as: OWNER });
    const item = page.getByRole('listitem').filter({ hasText: 'No lead for 9 days' });
    await item.getByRole('button', { name: /expected until/ }).click();
    await pressTwice(page.getByRole('button', { name: 'Leave out until then' }));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Undo' }).click();
    await item.waitFor();
  });

  test('lets members read the list, and offers them nothing that is refused to them', async () => {
    const { page } = await open('/', { as: MEMBER });
    const silent = page.getByRole('listitem').filter({ hasText: 'No lead for 9 days' });
    await silent.getByRole('link', { name: 'See the website' }).waitFor();
    const webhook = page.getByRole('listitem').filter({ hasText: WEBHOOK_HOST });
    await webhook.waitFor();
    expect(await webhook.getByRole('link', { name: 'See the webhooks' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /expected until/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Run a test' }).count()).toBe(0);
    const owner = await open('/', { as: OWNER });
    await owner.page.getByRole('link', { name: 'See the webhooks' }).click();
    await owner.page.getByRole('button', { name: 'Create a webhook' }).waitFor();
  });

  test.each(LOOKS)('fits its window and is accessible, in French too: %o', async (look) => {
    const opened = await open('/', { as: STAFF, locale: 'fr-FR', ...look });
    const { page, expectAccessible, expectFits } = opened;
    await page.getByRole('heading', { name: 'À traiter' }).waitFor();
    await page
      .getByText(/Aucune demande depuis 9\sjours/)
      .first()
      .waitFor();
    await page.getByText('430 sur 500', { exact: true }).waitFor();
    await expectAccessible();
    await expectFits();
    await picture(opened, `attention-fr-${look.colorScheme}-${look.viewport.width}`);
    const english = await open('/', { as: STAFF, ...look });
    await english.page.getByText('No lead for 9 days').first().waitFor();
    await english.page.getByText('430 of 500', { exact: true }).waitFor();
    await picture(english, `attention-en-${look.colorScheme}-${look.viewport.width}`);
  });
});

describe('the health of a website', () => {
  test.each(LOOKS)('has its tests of ninety days, and those that failed: %o', async (look) => {
    const opened = await open(`/websites/${site}`, { as: OWNER, ...look });
    const { page, expectAccessible, expectFits, expectSafe } = opened;
    await page.getByRole('img', { name: '56 days passed, 4 failed, 30 without a test' }).waitFor();
    const failed = page.getByRole('region', { name: 'Failed tests' });
    expect(await failed.getByRole('row').count()).toBe(5);
    await failed
      .getByRole('cell', { name: /^The page answers with an error\. Open it/ })
      .first()
      .waitFor();
    await page.getByText(/^No lead for 9 days; usually there is one every/).waitFor();
    await page.getByText('Silence', { exact: true }).waitFor();
    await expectAccessible();
    await expectFits();
    await expectSafe();
    await picture(opened, `health-${look.colorScheme}-${look.viewport.width}`);
    await page.getByRole('link', { name: 'Test it now' }).click();
    await page.getByRole('button', { name: 'Test it' }).waitFor();
    const title = page.getByRole('heading', { name: 'Does it work?' });
    await eventually(async () => {
      const top = (await title.boundingBox())?.y ?? -1;
      // Below the bar of the shell, which a narrow window has.
      return top >= 40 && top < look.viewport.height;
    });
    await picture(opened, `health-test-${look.colorScheme}-${look.viewport.width}`);
  });
});
