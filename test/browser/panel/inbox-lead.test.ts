import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { contactForm, createToken, provision, team, websiteId } from '../../support/factories.js';
import { call } from '../../support/integrator.js';
import { loggedIn } from '../../support/panel.js';
import { hasFocus, panelTest, picture } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const OWNER = 'owner@acme.test';

let token: string;

beforeAll(async () => {
  const { services } = app();
  const message = { name: 'message', type: 'textarea', label: 'Message' };
  const form = contactForm({ fields: [...(contactForm().fields as object[]), message] });
  await provision(services, [team('acme', { forms: [form] })]);
  token = await createToken(services, 'acme', OWNER);
});

/** Submits the form with the token, and waits for the e-mail about it. @returns the id of the lead. */
async function submit(values: object): Promise<string> {
  const { services, url } = app();
  const id = await websiteId(services, 'www.acme.test');
  const answer = await call(url, 'POST', `/websites/${id}/forms/contact/submit`, {
    token,
    body: { email: 'visitor@example.test', ...values },
  });
  if (answer.status !== 200) throw new Error(answer.text);
  const lead = (answer.body as { lead_id: string }).lead_id;
  await eventually(async () => {
    const where = { submissionId: lead };
    return (await services.db.orm.notification.findUniqueOrThrow({ where })).state === 'sent';
  });
  return lead;
}

const row = (page: Page, name: RegExp) =>
  page.getByRole('grid', { name: 'Leads' }).getByRole('row', { name });

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

describe('Enter', () => {
  test('follows the link that has the focus, and unfolds details', async () => {
    const id = await submit({ name: 'Kay Keys' });
    const owner = await loggedIn(app().url, app().services, OWNER);
    await owner.ask('mutation { saveView(name: "Archive", filter: { states: [archived] }) { id } }');
    const { page } = await open(`/inbox/${id}`, { as: OWNER });
    const press = async (control: ReturnType<Page['locator']>) => {
      await control.focus();
      await page.keyboard.press('Enter');
    };
    await press(page.locator('summary', { hasText: '1 attempt' }));
    await page.locator('details[open]').getByText('accepted').waitFor();
    await press(page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: /^Done/ }));
    await page.waitForURL(/folder=done/);
    await press(page.getByRole('link', { name: 'Archive', exact: true }));
    await page.waitForURL(/folder=archived/);
    await press(page.getByRole('link', { name: 'Websites', exact: true }));
    await heading(page, 'Websites').waitFor();
  });

  test('opens the lead at the cursor, and leads from the list to its heading', async () => {
    await submit({ name: 'Eve Enter' });
    const { page } = await open('/inbox?q=enter', { as: OWNER });
    await row(page, /Eve Enter/).waitFor();
    await page.keyboard.press('j');
    await heading(page, 'Eve Enter').waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => hasFocus(heading(page, 'Eve Enter')));
  });
});

describe('the next lead', () => {
  const message = Array.from({ length: 20 }, (_, line) => `nextword ${line}`).join('\n');

  const openFirst = async (names: readonly [string, string], viewport = { width: 1280, height: 500 }) => {
    const [before, after] = names;
    await submit({ name: before, message: `${message} ${before}` });
    await submit({ name: after, message: `${message} ${after}` });
    const { page } = await open('/inbox?q=nextword', { as: OWNER, viewport });
    await row(page, new RegExp(after)).click();
    await heading(page, after).waitFor();
    return page;
  };

  const scrollTop = (page: Page) => page.evaluate(`document.querySelector('[aria-label=Lead]').scrollTop`);

  /** Scrolls within the lead, and waits for the frame in which the browser tells of it. */
  const scrollDown = async (page: Page) => {
    await page.evaluate(`document.querySelector('[aria-label=Lead]').scrollTo(0, 300)`);
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))');
    expect(await scrollTop(page)).toBe(300);
  };

  test('is read from its beginning, with the focus on the same button', async () => {
    const page = await openFirst(['Nell Next', 'Finn First']);
    const pane = page.getByRole('region', { name: 'Lead', exact: true });
    await scrollDown(page);
    await page.keyboard.press('j');
    await heading(page, 'Nell Next').waitFor();
    expect(await scrollTop(page)).toBe(0);
    await scrollDown(page);
    await row(page, /Finn First/).click();
    await heading(page, 'Finn First').waitFor();
    expect(await scrollTop(page)).toBe(0);
    await page.keyboard.press('j');
    await heading(page, 'Nell Next').waitFor();
    const forward = pane.getByRole('button', { name: 'Forward' });
    await forward.focus();
    await page.keyboard.press('k');
    await heading(page, 'Finn First').waitFor();
    expect(await hasFocus(forward)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Forward the lead' }).waitFor();
  });

  test('is read from its beginning on a narrow screen too, where the list is in between', async () => {
    const page = await openFirst(['Nan Narrow', 'Ned Narrow'], { width: 800, height: 500 });
    await scrollDown(page);
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await row(page, /Nan Narrow/).click();
    await heading(page, 'Nan Narrow').waitFor();
    expect(await scrollTop(page)).toBe(0);
  });

  test('has no dialog of the one before, nor has that when it comes back', async () => {
    const page = await openFirst(['Dora Dialog', 'Bert Before']);
    await row(page, /Dora Dialog/).click();
    await heading(page, 'Dora Dialog').waitFor();
    await page.getByRole('button', { name: 'Forward' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await heading(page, 'Bert Before').waitFor();
    await page.goForward();
    await heading(page, 'Dora Dialog').waitFor();
    expect(await dialog.count()).toBe(0);
  });
});

test('a note that was begun is there again after a look at another lead, until it is added', async () => {
  const first = await submit({ name: 'Nina Note', message: 'draftword' });
  await submit({ name: 'Otto Other', message: 'draftword' });
  const { page } = await open(`/inbox/${first}?q=draftword`, { as: OWNER });
  const note = page.getByRole('textbox', { name: /New note/ });
  const look = async (name: string) => {
    await row(page, new RegExp(name)).click();
    await heading(page, name).waitFor();
  };
  await note.fill('Calls back on Monday.');
  await look('Otto Other');
  expect(await note.inputValue()).toBe('');
  await look('Nina Note');
  expect(await note.inputValue()).toBe('Calls back on Monday.');
  await page.getByRole('button', { name: 'Add the note' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Calls back on Monday.' }).waitFor();
  expect(await note.inputValue()).toBe('');
  await look('Otto Other');
  await look('Nina Note');
  expect(await note.inputValue()).toBe('');
});

test('a number is written as the viewer writes numbers, with all its digits, and one kept as text stays', async () => {
  const id = await submit({ name: 'Nora Number' });
  const data = { values: { name: 'Nora Number', price: 1_234_567.891, year: 2024, code: '0012345' } };
  await app().services.db.orm.submission.update({ where: { id }, data });
  for (const [locale, price] of [
    ['en-GB', '1,234,567.891'],
    ['fr-FR', '1\u202f234\u202f567,891'],
  ] as const) {
    const { page } = await open(`/inbox/${id}`, { as: OWNER, locale });
    await heading(page, 'Nora Number').waitFor();
    const values = await page.getByRole('definition').allInnerTexts();
    expect(values).toEqual(expect.arrayContaining([price, '2024', '0012345']));
    await picture({ page }, `lead-numbers-${locale}`);
  }
});

test('a lead tells its token, the language of its page, each attempt and the webhooks told', async () => {
  const { services, url } = app();
  const { orm } = services.db;
  const id = await submit({ name: 'Dana Detail' });
  const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  const owner = await loggedIn(url, services, OWNER);
  const { createWebhook } = await owner.ask(
    `mutation ($teamId: ID!) { createWebhook(teamId: $teamId,
       input: { url: "https://hooks.example.com/secret", events: [form_changed] }) { webhook { id } } }`,
    { teamId },
  );
  const webhookId = createWebhook.webhook.id as string;
  await orm.webhookDelivery.create({
    data: { webhookId, submissionId: id, type: 'submission.created', state: 'delivered' },
  });
  await orm.submission.update({ where: { id }, data: { pageLocale: 'de' } });

  const { page, expectAccessible, expectFits, expectSafe } = await open(`/inbox/${id}`, {
    as: OWNER,
    viewport: { width: 360, height: 740 },
  });
  await page.getByText('German').waitFor();
  await page.getByRole('link', { name: 'test', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText(`Sent again by ${OWNER}`).waitFor();
  const attempts = page.locator('summary', { hasText: '1 attempt' });
  await eventually(async () => (await attempts.count()) === 2);
  await attempts.last().click();
  await page.locator('details[open]').getByText('accepted (250)').waitFor();
  await page.locator('summary', { hasText: '1 message' }).click();
  const told = page.getByRole('listitem').filter({ hasText: 'hooks.example.com' });
  await told.getByText('A lead has come').waitFor();
  await told.getByText('Delivered').waitFor();
  await expectAccessible();
  await expectFits();
  await picture({ page }, 'inbox-lead-details');
  await expectSafe();

  // A page may declare any text as its language, and a member does not see the tokens.
  await orm.submission.update({ where: { id }, data: { pageLocale: 'not a language' } });
  const other = await open(`/inbox/${id}`, { as: 'member@acme.test' });
  await other.page.getByText('not a language').waitFor();
  expect(await other.page.getByRole('link', { name: 'test', exact: true }).count()).toBe(0);
  await other.expectSafe();
});

test('notes have the time of the website, and a deleted account stands within its sentence', async () => {
  const id = await submit({ name: 'Nora Noted' });
  const owner = await loggedIn(app().url, app().services, OWNER);
  const variables = { id, recipients: ['desk@x.test'] };
  await owner.ask(
    `mutation ($id: ID!, $recipients: [String!]!) {
      forwardSubmission(submissionId: $id, recipients: $recipients) { outcome }
    }`,
    variables,
  );
  const { orm } = app().services.db;
  await orm.submissionNote.create({ data: { submissionId: id, text: 'Calls back.' } });
  await orm.requestedEmail.updateMany({ where: { submissionId: id }, data: { requestedById: null } });
  const opened = await open(`/inbox/${id}`, { as: OWNER, timezoneId: 'Asia/Tokyo' });
  const { page } = opened;
  const note = page.getByRole('listitem').filter({ hasText: 'Calls back.' });
  await note.getByText(/^A deleted account$/).waitFor();
  expect(await note.locator('time').innerText()).toMatch(/your time\)$/);
  await page.getByText(/^Forwarded by a deleted account/).waitFor();
  await picture(opened, 'lead-note');
});
