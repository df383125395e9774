import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { contactForm, provision, TEST_ACTOR, team, websiteId } from '../../support/factories.js';
import { recordedLeads } from '../../support/leads.js';
import { createAccount } from '../../support/panel.js';
import { createForm, formInput } from '../../support/panel-forms.js';
import {
  hasFocus,
  holdBack,
  LOOKS,
  MAX_WEIGHT,
  panelTest,
  picture,
  pressTwice,
} from '../../support/panel-pages.js';
import { type Receiver, startReceiver } from '../../support/receiver.js';
import type { SinkBehaviour } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';

const PASSWORD = 'correct horse battery';
const OWNER = 'owner@acme.test';
const MEMBER = 'member@acme.test';
const CONSENT =
  'J’accepte que Lumen Corse enregistre ma demande et me recontacte, comme le dit sa politique de confidentialité.';

const GONE = 'gone@partner.test';

const smtp: SinkBehaviour = { rcpt: (address) => (address === GONE ? '550 5.1.1 No such user' : null) };
const { app, open } = panelTest({ smtp, env: { OUTBOUND_ALLOW: '127.0.0.1' } });
let receiver: Receiver;
let site: string;
let teamId: number;

beforeAll(async () => {
  receiver = await startReceiver();
  const forms = [contactForm(), contactForm({ slug: 'jobs', name: 'Candidatures spontanées et stages' })];
  await provision(app().services, [team('acme', { forms }), team('globex')]);
  await createAccount(app().services, { email: 'staff@agency.test', password: PASSWORD, staff: true });
  site = await websiteId(app().services, 'www.acme.test');
  teamId = (await app().services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});

afterAll(() => receiver.close());

/** Records submissions of a person, so many months ago. */
async function leadsOf(email: string, count: number, months = 0): Promise<string[]> {
  const at = new Date();
  at.setUTCMonth(at.getUTCMonth() - months);
  const ids = await recordedLeads(app().services, site, count, new Date(at.getTime() - 60_000));
  await app().services.db.orm.submission.updateMany({
    where: { id: { in: ids } },
    data: {
      emails: [email],
      values: { email, name: 'Ada <b>Lovelace</b>' },
      consents: { gdpr: { label: CONSENT, locale: 'fr' } },
      pageUrl: 'https://www.acme.test/contact',
    },
  });
  return ids;
}

describe('the page of a person', () => {
  test('shows what there is about an address: leads, consents with their text, and a way to each', async () => {
    const [id] = await leadsOf('ada@x.test', 2);
    const { page, expectSafe, expectAccessible, weight } = await open(`/inbox/${id}`, { as: OWNER });
    await page.getByRole('link', { name: 'Everything about ada@x.test' }).click();
    await page.getByRole('heading', { name: 'A person’s data' }).waitFor();
    await page.getByText(/^2 leads, \d e-mails? sent, 0 notes\./).waitFor();
    const leads = page.getByRole('region', { name: 'Leads of this person' });
    await leads.getByText(CONSENT).first().waitFor();
    expect(await leads.getByRole('row').count()).toBe(3);
    expect(await leads.getByText('Ada <b>Lovelace</b>').count()).toBe(2);
    expect(new URL(page.url()).search).toBe('?email=ada%40x.test');
    await expectAccessible();
    await expectSafe();
    expect(await weight()).toBeLessThan(2 * MAX_WEIGHT.page);
  });

  test('says to whom the e-mails about a lead went, and what became of each', async () => {
    const { db, requestedEmails } = app().services;
    const [id] = await leadsOf('mailed@x.test', 1);
    await requestedEmails.forward({ id: id!, teamId }, { recipients: [GONE], note: null }, TEST_ACTOR);
    await eventually(async () => {
      const { state } = await db.orm.notification.findUniqueOrThrow({ where: { submissionId: id! } });
      const [forwarded] = await db.orm.requestedEmail.findMany({ where: { submissionId: id! } });
      return state === 'sent' && forwarded!.state === 'failed';
    });
    const { page, expectAccessible } = await open('/privacy?email=mailed@x.test', { as: OWNER });
    const leads = page.getByRole('region', { name: 'Leads of this person' });
    await leads.getByText(/^hello@www\.acme\.test Accepted \d/).waitFor();
    await leads.getByText(/^gone@partner\.test Refused \d/).waitFor();
    await expectAccessible();
  });

  test('says which webhooks were told of a lead, and how they answered', async () => {
    const { webhooks, db } = app().services;
    receiver.behave('/left', (response) => response.writeHead(410).end());
    for (const path of ['/told', '/left']) {
      const settings = {
        events: ['submission.created' as const],
        websiteIds: [],
        formIds: [],
        enabled: true,
      };
      await webhooks.create(teamId, { ...settings, url: receiver.url + path, description: '' }, TEST_ACTOR);
    }
    const [submissionId] = await leadsOf('told@x.test', 1);
    await eventually(
      async () =>
        (await db.orm.webhookDelivery.count({ where: { submissionId, state: { not: 'pending' } } })) === 2,
    );
    const { page, expectAccessible } = await open('/privacy?email=told@x.test', { as: OWNER });
    const leads = page.getByRole('region', { name: 'Leads of this person' });
    await leads.getByRole('columnheader', { name: 'Webhooks told' }).waitFor();
    const { host } = new URL(receiver.url);
    await leads.getByText(new RegExp(`^${host}: A lead has come Delivered · 204 \\d`)).waitFor();
    await leads.getByText(new RegExp(`^${host}: A lead has come Failed · 410 \\d`)).waitFor();
    await expectAccessible();
    await picture({ page }, 'privacy-told');
    await db.orm.webhook.deleteMany();
  });

  test('erases a person once the address is typed, and the receipt confirms that address alone', async () => {
    await leadsOf('gone@x.test', 3);
    const { page, expectAccessible } = await open('/privacy', { as: OWNER });
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('Gone@X.test');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('button', { name: 'Erase this person' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase this person' });
    await dialog.getByText('www.acme.test: 3').waitFor();
    await dialog.getByRole('textbox').fill('gone@x.test');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText(/^The data is erased\. Receipt [0-9a-f-]{36} proves it later\.$/).waitFor();
    await page.getByText('There is nothing about gone@x.test.').waitFor();

    const { page: tab } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    const row = tab.getByRole('row', { name: /3 leads, 3 e-mails/ });
    await row.getByText('www.acme.test: 3', { exact: true }).waitFor();
    const { addressHash } = await app().services.db.orm.erasureReceipt.findFirstOrThrow({
      where: { teamId },
    });
    const hash = Buffer.from(addressHash).toString('hex');
    await row.getByText(`Hash of the address: ${hash}`, { exact: true }).waitFor();
    await row.getByRole('button').click();
    const check = tab.getByRole('dialog', { name: 'Check a receipt' });
    const address = check.getByRole('textbox', { name: 'E-mail address' });
    await address.fill('other@x.test');
    await check.getByRole('button', { name: 'Check a receipt' }).click();
    await check.getByText(/The receipt is about another address/).waitFor();
    await address.fill('gone@x.test');
    await check.getByRole('button', { name: 'Check a receipt' }).click();
    await check.getByText('The data of this address was erased. Nothing in it was changed since.').waitFor();
    await expectAccessible();
  });

  test('says of what is under legal hold that it stays, in the receipt too', async () => {
    const [held] = await leadsOf('kept@x.test', 2);
    await app().services.db.orm.submission.update({
      where: { id: held! },
      data: { legalHoldAt: new Date(), legalHoldReason: 'A lawsuit' },
    });
    const { page, expectAccessible } = await open('/privacy?email=kept@x.test', { as: OWNER });
    const dialog = page.getByRole('dialog', { name: 'Erase this person' });
    const erase = async () => {
      await dialog.getByRole('textbox').fill('kept@x.test');
      await dialog.getByRole('button', { name: 'Erase for good' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await page.getByRole('button', { name: 'Erase this person' }).click();
    await dialog.getByText('1 lead is under legal hold and not erased.').waitFor();
    await erase();
    await page.getByText(/^1 lead remains under legal hold; everything else is erased\. Receipt /).waitFor();
    await page.getByRole('button', { name: 'Erase this person' }).click();
    await dialog.getByText('There is no lead of kept@x.test to erase.').waitFor();
    await expectAccessible();
    await erase();

    const { page: tab } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    const check = tab.getByRole('dialog', { name: 'Check a receipt' });
    for (const [leads, said] of [
      ['0 leads', 'It is about this address, of which no lead was erased.'],
      ['1 lead', 'The data of this address was erased.'],
    ]) {
      const row = tab
        .getByRole('row', { name: new RegExp(`${leads}, .*1 lead was under legal hold`) })
        .first();
      await row.getByRole('button').click();
      await check.getByRole('textbox', { name: 'E-mail address' }).fill('kept@x.test');
      await check.getByRole('button', { name: 'Check a receipt' }).click();
      await check.getByText(`${said} 1 lead was under legal hold and not erased.`).waitFor();
      await check.getByRole('button', { name: 'Close' }).click();
    }
  });

  test('shows and erases a rule about spam that names a person, also without a lead', async () => {
    const rule = { teamId, kind: 'blocked_sender', value: 'ruled@x.test' } as const;
    await app().services.db.orm.spamRule.create({ data: rule });
    const { page, expectAccessible } = await open('/privacy?email=ruled@x.test', { as: OWNER });
    await page.getByText('1 rule about spam names this address.').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Erase this person' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase this person' });
    await dialog.getByText('1 rule about spam that names this address is deleted too.').waitFor();
    await dialog.getByRole('textbox').fill('ruled@x.test');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('There is nothing about ruled@x.test.').waitFor();
    expect(await app().services.db.orm.spamRule.count()).toBe(0);
    const { page: tab } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    await tab.getByRole('row', { name: /1 rule about spam/ }).waitFor();
  });

  test('takes the address of a link in any case of letters', async () => {
    await leadsOf('capital@x.test', 1);
    const { page } = await open('/privacy?email=%20Capital@X.test', { as: OWNER });
    await page.getByRole('button', { name: 'Erase this person' }).click();
    const dialog = page.getByRole('dialog', { name: 'Erase this person' });
    await dialog.getByRole('textbox').fill('Capital@X.test');
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await page.getByText('There is nothing about capital@x.test.').waitFor();
  });

  test('offers a member no erasure', async () => {
    await leadsOf('mia@x.test', 1);
    const { page } = await open('/privacy?email=mia@x.test', { as: MEMBER });
    await page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: 'Erase this person' }).count()).toBe(0);
    await page.getByText(/^Shows everything that was sent.* about them\.$/).waitFor();
    const { page: owned } = await open('/privacy', { as: OWNER });
    await owned.getByText(/^Shows everything that was sent.* about them, and erase it\.$/).waitFor();
  });

  test('exports what there is as a file, after a login when the session has ended', async () => {
    await leadsOf('export@x.test', 2);
    const { page } = await open('/privacy?email=export@x.test', {
      as: 'staff@agency.test',
      expected: /401/,
    });
    const button = page.getByRole('button', { name: 'Export' });
    await button.waitFor();
    await page.waitForLoadState('networkidle');
    await page.context().clearCookies();
    await button.click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toMatch(/^address-\d{4}-\d\d-\d\d\.ndjson$/);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.filter((line) => JSON.stringify(JSON.parse(line)).includes('export@x.test'))).not.toEqual(
      [],
    );
  });
});

describe('the retention of a team', () => {
  test('shows what settings delete before they are saved, asks, and saves them', async () => {
    await leadsOf('old@x.test', 4, 30);
    const { page, expectAccessible, expectSafe } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    const months = page.getByRole('textbox', { name: 'Months after the last contact' });
    await months.fill('12');
    await page.getByRole('tab', { name: 'Members' }).click();
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    await asked.getByRole('button', { name: 'Stay' }).click();
    await months.fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Type a number from 1 to 1,200.').waitFor();
    await months.fill('24');
    await page.getByText('4 leads are deleted with the next daily run.').waitFor();
    await expectAccessible();
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete old leads' });
    await dialog.getByText('4 leads will be deleted for good within a day.').waitFor();
    await dialog.getByRole('button', { name: 'Save and delete' }).click();
    await page.getByText('Saved').waitFor();
    const { db } = app().services;
    expect((await db.orm.team.findUniqueOrThrow({ where: { id: teamId } })).retentionMonths).toBe(24);

    await page.getByRole('checkbox', { name: 'For ever' }).check({ force: true });
    await page.getByRole('textbox', { name: 'Candidatures spontanées et stages' }).fill('6');
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    // The message of the first save may still show.
    await eventually(async () => (await app().services.retention.settings(teamId)).retentionMonths === null);
    expect(await app().services.retention.settings(teamId)).toMatchObject({
      retentionMonths: null,
      forms: [{ retentionMonths: 6 }, { retentionMonths: null }],
    });
    await expectSafe();
  });

  test('asks before it is saved when how many leads that deletes is not known', async () => {
    const { retention } = app().services;
    await retention.save(teamId, { retentionMonths: 40, forms: [] }, TEST_ACTOR);
    for (const [locale, due, title, many] of [
      [
        'en-GB',
        /^It is not known how many leads are deleted/,
        'Delete old leads',
        /^It is not known how many/,
      ],
      ['fr-FR', /^On ne sait pas combien/, 'Supprimer les anciennes demandes', /^On ne sait pas combien/],
    ] as const) {
      const opened = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER, locale });
      const { page, expectAccessible } = opened;
      // The gateway counts the 10,001 oldest leads at most, which here are of persons who have written again.
      await page.route('**/graphql', (route) =>
        route.request().postData()?.includes('query retentionPreview(')
          ? route.fulfill({
              json: { data: { retentionPreview: { due: 0, held: 0, isExact: false, months: [] } } },
            })
          : route.fallback(),
      );
      await page.locator('input[name=months]').fill('38');
      await page.getByRole('status').getByText(due).waitFor();
      await page.locator('button[type=submit]:enabled').click();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByText(many).waitFor();
      await expectAccessible();
      await picture(opened, `retention-unknown-${locale}`);
      expect((await retention.settings(teamId)).retentionMonths).toBe(40);
    }
  });

  test('that another account has changed meanwhile is shown, and what was typed stays', async () => {
    const { retention } = app().services;
    await retention.save(teamId, { retentionMonths: 40, forms: [] }, TEST_ACTOR);
    const { page } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    const months = page.getByRole('textbox', { name: 'Months after the last contact' });
    const jobs = page.getByRole('textbox', { name: 'Candidatures spontanées et stages' });
    await months.fill('41');
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    const { forms } = await retention.settings(teamId);
    const { id: formId } = forms.find(({ name }) => name === 'Candidatures spontanées et stages')!;
    const others = { retentionMonths: 48, forms: [{ formId, retentionMonths: 50 }] };
    await retention.save(teamId, others, TEST_ACTOR);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Somebody else has changed this in the meantime.').waitFor();
    await page.getByText('Saved meanwhile by another account:').waitFor();
    await page.getByText('48 months').waitFor();
    expect(await months.inputValue()).toBe('41');
    expect(await jobs.inputValue()).toBe('50');
    await months.fill('42');
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await retention.settings(teamId)).retentionMonths === 42);
    expect((await retention.settings(teamId)).forms).toContainEqual(
      expect.objectContaining({ id: formId, retentionMonths: 50 }),
    );
  });

  test('that are changed elsewhere while nothing is typed are shown, and left without a question', async () => {
    const { retention } = app().services;
    await retention.save(teamId, { retentionMonths: 40, forms: [] }, TEST_ACTOR);
    const { page } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    const months = page.getByRole('textbox', { name: 'Months after the last contact' });
    const members = page.getByRole('tab', { name: 'Members' });
    const isShown = () => page.getByRole('tabpanel', { name: 'Members' }).waitFor();
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    await members.click();
    await isShown();
    const fields = [{ name: 'email', type: 'email' }];
    const formId = await createForm(app(), 'visits', formInput(fields, { name: 'Visites' }));
    await retention.save(teamId, { retentionMonths: 44, forms: [] }, TEST_ACTOR);
    await page.clock.setFixedTime(Date.now() + 60_000);
    await page.getByRole('tab', { name: 'Privacy' }).click();
    await page.getByRole('textbox', { name: 'Visites' }).waitFor();
    await members.click();
    await isShown();
    await page.getByRole('tab', { name: 'Privacy' }).click();
    await eventually(async () => (await months.inputValue()) === '44');
    await app().services.db.orm.form.delete({ where: { id: Number(formId) } });
  });

  test('that are typed while others are saved stay', async () => {
    const { retention } = app().services;
    await retention.save(teamId, { retentionMonths: 40, forms: [] }, TEST_ACTOR);
    const { page } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    const months = page.getByRole('textbox', { name: 'Months after the last contact' });
    const jobs = page.getByRole('textbox', { name: 'Candidatures spontanées et stages' });
    await months.fill('41');
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    const letGo = await holdBack(page, 'saveRetention');
    await page.getByRole('button', { name: 'Save' }).click();
    await jobs.fill('50');
    letGo();
    await page.getByText('Saved').waitFor();
    expect([await months.inputValue(), await jobs.inputValue()]).toEqual(['41', '50']);
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () =>
      (await retention.settings(teamId)).forms.some(({ retentionMonths }) => retentionMonths === 50),
    );
  });

  test('are saved once a preview that failed has come', async () => {
    await app().services.retention.save(teamId, { retentionMonths: 40, forms: [] }, TEST_ACTOR);
    const { page } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER });
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    await page.route('**/graphql', (route) =>
      route.request().postData()?.includes('query retentionPreview(')
        ? route.fulfill({ json: { errors: [{ message: 'Broken.' }] } })
        : route.fallback(),
    );
    await page.getByRole('textbox', { name: 'Months after the last contact' }).fill('39');
    await page.getByRole('alert').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('With these settings no lead is deleted today.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await eventually(async () => (await app().services.retention.settings(teamId)).retentionMonths === 39);
  });

  test('may have no limit, in French too', async () => {
    const { page } = await open(`/teams/${teamId}?tab=privacy`, { as: OWNER, locale: 'fr-FR' });
    await page.getByRole('checkbox', { name: 'Sans limite' }).waitFor();
  });

  test('a member reads the periods, and no receipts', async () => {
    await app().services.retention.save(teamId, { retentionMonths: 36, forms: [] }, TEST_ACTOR);
    const { page } = await open(`/teams/${teamId}?tab=privacy`, { as: MEMBER });
    await page.getByText('36 months').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Receipts of erasures' }).count()).toBe(0);
  });
});

test('a lead is put under legal hold with a reason, and released, which can be undone', async () => {
  const [id] = await leadsOf('hold@x.test', 1);
  const { page, expectAccessible, expectSafe } = await open(`/inbox/${id}`, { as: OWNER });
  await page.getByRole('button', { name: 'Put under legal hold' }).click();
  const dialog = page.getByRole('dialog', { name: 'Put under legal hold' });
  await dialog.getByRole('textbox', { name: 'Why' }).fill('Dispute <i>2026-14</i>');
  await dialog.getByRole('button', { name: 'Hold' }).click();
  await page.getByText('Dispute <i>2026-14</i>').waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: 'Release the hold' }).click();
  await page.getByRole('button', { name: 'Put under legal hold' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Dispute <i>2026-14</i>').waitFor();
  await page.getByRole('button', { name: 'Release the hold' }).waitFor();
  const history = page.getByRole('heading', { name: 'History' }).locator('..');
  expect(await history.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringContaining('owner@acme.test: put under legal hold'),
    expect.stringContaining('owner@acme.test: legal hold released'),
    expect.stringContaining('owner@acme.test: put under legal hold'),
    expect.stringContaining('Recorded: New'),
  ]);
  await expectSafe();
});

test('the focus goes to the heading of the lead once it is under legal hold, and once it is released', async () => {
  const [id] = await leadsOf('focus@x.test', 1);
  const { page } = await open(`/inbox/${id}`, { as: OWNER });
  const heading = page.getByRole('heading', { name: 'Ada <b>Lovelace</b>' });
  await page.getByRole('button', { name: 'Put under legal hold' }).press('Enter');
  await page.getByRole('textbox', { name: 'Why' }).fill('Dispute');
  await page.getByRole('button', { name: 'Hold', exact: true }).press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await eventually(() => hasFocus(heading));
  await page.getByRole('button', { name: 'Release the hold' }).press('Enter');
  await page.getByRole('button', { name: 'Put under legal hold' }).waitFor();
  await eventually(() => hasFocus(heading));
});

test('a legal hold that is released by two presses is told to be released once', async () => {
  const [id] = await leadsOf('twice@x.test', 1);
  await app().services.legalHolds.set(id!, 'Dispute', TEST_ACTOR);
  const { page } = await open(`/inbox/${id}`, { as: OWNER });
  await pressTwice(page.getByRole('button', { name: 'Release the hold' }));
  await page.getByRole('button', { name: 'Put under legal hold' }).waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
});

test('neither the undo of a release nor another hold replaces the reason that a colleague has given meanwhile', async () => {
  const [id] = await leadsOf('held@x.test', 1);
  const { legalHolds } = app().services;
  await legalHolds.set(id!, 'Dispute', TEST_ACTOR);
  const { page, expectSafe } = await open(`/inbox/${id}`, { as: OWNER });
  await page.getByRole('button', { name: 'Release the hold' }).click();
  await page.getByRole('button', { name: 'Put under legal hold' }).waitFor();
  await legalHolds.set(id!, 'Inquiry of the colleague', TEST_ACTOR);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('has put this lead under legal hold').waitFor();
  await page.getByText('Inquiry of the colleague').waitFor();

  await legalHolds.release(id!, TEST_ACTOR);
  await page.reload();
  await page.getByRole('button', { name: 'Put under legal hold' }).click();
  const dialog = page.getByRole('dialog', { name: 'Put under legal hold' });
  await dialog.getByRole('textbox', { name: 'Why' }).fill('Dispute again');
  await legalHolds.set(id!, 'Second inquiry', TEST_ACTOR);
  await dialog.getByRole('button', { name: 'Hold' }).click();
  await page.getByText('has put this lead under legal hold').waitFor();
  await page.getByText('Second inquiry').waitFor();
  await expectSafe();
});

test('the proof of a consent shows its wording, language, time and version, and prints without the navigation', async () => {
  const [id] = await leadsOf('proof@x.test', 1);
  await app().services.db.orm.submission.update({ where: { id }, data: { currentFormVersion: 1 } });
  const { page, expectAccessible, expectSafe } = await open(`/inbox/${id}`, { as: OWNER });
  await page.getByRole('link', { name: 'Proof of consent' }).click();
  await page.getByRole('heading', { name: 'Proof of consent' }).waitFor();
  await page.getByText(CONSENT).waitFor();
  for (const text of ['Shown in this wording, in French.', 'proof@x.test', id!, /version 1/]) {
    await page.getByText(text).first().waitFor();
  }
  await expectAccessible();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.getByText(CONSENT).isVisible()).toBe(true);
  await picture({ page }, 'proof-print');
  await expectSafe();
});

test('the proof of a consent names the zone behind its time, and prints no other time', async () => {
  const [id] = await leadsOf('zone@x.test', 1);
  const { website, submission } = app().services.db.orm;
  const { timeZone } = await website.findUniqueOrThrow({ where: { id: site } });
  await website.update({ where: { id: site }, data: { timeZone: 'America/Los_Angeles' } });
  await submission.update({ where: { id: id! }, data: { createdAt: new Date('2026-11-28T15:31:00Z') } });
  const { page } = await open(`/inbox/${id}/consent`, { as: OWNER, timezoneId: 'Europe/Paris' });
  const given = page.getByRole('time');
  const zoned = '28 Nov 2026, 07:31 America/Los_Angeles';
  expect(await given.innerText()).toBe(`${zoned} (16:31 your time)`);
  await page.emulateMedia({ media: 'print' });
  await picture({ page }, 'proof-zone-print');
  expect((await given.innerText()).trim()).toBe(zoned);
  await website.update({ where: { id: site }, data: { timeZone } });
});

test('a lead is printed whole and on white, without its buttons and the empty note', async () => {
  const [id] = await leadsOf('print@x.test', 1);
  const { submission, user } = app().services.db.orm;
  const message = `${'A long message. '.repeat(200)}The last words.`;
  await submission.update({ where: { id: id! }, data: { values: { email: 'print@x.test', message } } });
  await app().services.legalHolds.set(id!, 'Dispute', TEST_ACTOR);
  await user.update({ where: { email: OWNER }, data: { theme: 'dark' } });
  const { page } = await open(`/inbox/${id}`, { as: OWNER });
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.waitFor();
  await page.emulateMedia({ media: 'print' });
  await picture({ page }, 'lead-print');
  expect(await note.isVisible()).toBe(false);
  expect(await page.getByRole('button').filter({ visible: true }).allInnerTexts()).toEqual([]);
  await page.getByText('Dispute').waitFor();
  expect(await page.getByText(message).innerText()).toBe(message);
  expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(27, 33, 32)');
  await page.emulateMedia({ media: 'screen' });
  expect(await page.getByText('The last words.').isVisible()).toBe(false);
  await user.update({ where: { email: OWNER }, data: { theme: null } });
});

test('the list of leads is printed without room for those that are not drawn', async () => {
  await leadsOf('many@x.test', 150);
  const { page } = await open('/inbox', { as: OWNER });
  const rows = page.getByRole('grid', { name: 'Leads' }).getByRole('rowgroup');
  await rows.getByRole('row').first().waitFor();
  await page.emulateMedia({ media: 'print' });
  const list = await rows.boundingBox();
  const row = await rows.getByRole('row').first().boundingBox();
  expect(list!.height).toBeLessThan((await rows.getByRole('row').count()) * (row!.height + 1));
  await picture({ page }, 'list-print');
  await app().services.db.orm.submission.deleteMany({ where: { emails: { has: 'many@x.test' } } });
});

describe.each(['en-GB', 'fr-FR'])('in %s', (locale) => {
  test.each(LOOKS)('the pages fit and are accessible in %j', async (look) => {
    const [id] = await leadsOf('look-with-a-rather-long-name.for.an.address@subdomain.example.test', 2, 30);
    await app().services.legalHolds.set(id!, 'Litige en cours', TEST_ACTOR);
    const email = 'look-with-a-rather-long-name.for.an.address@subdomain.example.test';
    const paths = [
      `/privacy?email=${email}`,
      `/teams/${teamId}?tab=privacy`,
      `/inbox/${id}/consent`,
      `/inbox/${id}`,
    ];
    for (const [index, path] of paths.entries()) {
      const opened = await open(path, { as: 'staff@agency.test', locale, ...look });
      await opened.page.getByRole('heading', { level: 1 }).waitFor();
      await opened.page.waitForLoadState('networkidle');
      await opened.expectFits();
      await opened.expectAccessible();
      await picture(opened, `privacy-${index}-${locale}-${look.colorScheme}-${look.viewport.width}`);
      await opened.expectSafe();
    }
  });
});
