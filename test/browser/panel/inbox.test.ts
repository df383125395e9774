import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { contactForm, createToken, provision, team, website, websiteId } from '../../support/factories.js';
import { call } from '../../support/integrator.js';
import { createAccount } from '../../support/panel.js';
import {
  hasFocus,
  holdBack,
  LOOKS,
  MAX_WEIGHT,
  panelTest,
  picture,
  pressTwice,
} from '../../support/panel-pages.js';
import type { SinkBehaviour } from '../../support/smtp.js';
import { eventually } from '../../support/wait.js';

const smtp: SinkBehaviour = {};
const { app, open } = panelTest({ smtp });
const PASSWORD = 'correct horse battery';
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];

const MANY_FIELDS = Array.from({ length: 40 }, (_, number) => ({
  name: `field${number}`,
  type: 'text',
  label: `Field ${number}`,
}));

let tokens: Record<string, string>;

beforeAll(async () => {
  const { services } = app();
  const message = { name: 'message', type: 'textarea', label: 'Message' };
  const form = contactForm({ fields: [...(contactForm().fields as object[]), message] });
  const wide = contactForm({ slug: 'wide', name: 'Wide', fields: MANY_FIELDS, translations: {} });
  const three = ['one@globex.test', 'two@globex.test', 'three@globex.test'];
  const forms = [{ slug: 'contact', recipients: ['claire@acme.test', 'bureau@acme.test'] }, { slug: 'wide' }];
  await provision(services, [
    team('acme', { forms: [form, wide], websites: [website('www.acme.test', { forms })] }),
    team('globex', {
      forms: [form],
      websites: [website('www.globex.test', { forms: [{ slug: 'contact', recipients: three }] })],
    }),
    team('empty', { forms: [form] }),
  ]);
  await createAccount(services, { email: 'staff@agency.test', password: PASSWORD, staff: true });
  tokens = {
    'www.acme.test': await createToken(services, 'acme', OWNER),
    'www.globex.test': await createToken(services, 'globex', 'owner@globex.test'),
  };
});

beforeEach(() => {
  delete smtp.rcpt;
});

/** Submits a form as a visitor of a website does. @returns the id of the lead. */
async function submit(values: object, host = 'www.acme.test', form = 'contact'): Promise<string> {
  const id = await websiteId(app().services, host);
  const body = { email: 'visitor@example.test', ...values };
  const answer = await call(app().url, 'POST', `/websites/${id}/forms/${form}/submit`, {
    token: tokens[host]!,
    body,
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.body as { lead_id: string }).lead_id;
}

const stateOf = async (id: string) =>
  (await app().services.db.orm.submission.findUniqueOrThrow({ where: { id } })).state;

const emailState = (id: string, state: string) =>
  eventually(async () => {
    const found = await app().services.db.orm.notification.findUnique({ where: { submissionId: id } });
    return found?.state === state;
  });

const row = (page: Page, name: string | RegExp) =>
  page.getByRole('grid', { name: 'Leads' }).getByRole('row', { name });

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

describe('“Where is my lead?”', () => {
  test('is answered by the next steps where no lead fits', async () => {
    const { page, expectAccessible, expectSafe } = await open('/inbox?q=nosuchlead&period=week', {
      as: OWNER,
    });
    await page.getByText('No lead fits.').waitFor();
    await page.getByRole('link', { name: 'Deletions in the audit trail' }).waitFor();
    await page.getByRole('link', { name: 'How long leads are kept' }).waitFor();
    await expectAccessible();
    await picture({ page }, 'inbox-no-hit');
    await page.getByRole('button', { name: 'Period: Last 7 days' }).click();
    await page.getByRole('option', { name: 'Yesterday' }).click();
    await page.waitForURL(/from=(\S+)&to=\1/);
    await page.getByRole('link', { name: 'Search all websites, forms and days' }).click();
    await page.waitForURL(/inbox\?q=nosuchlead$/);
    await expectSafe();
  });

  test('is answered by a word, the open lead and the words of the mail server', async () => {
    smtp.rcpt = '550 5.1.1 No such mailbox here';
    const id = await submit({ name: 'Zoé Martin', message: 'Un jardin avec glycine' });
    await emailState(id, 'failed');
    const { page, expectSafe, weight } = await open('/inbox', { as: OWNER });
    await page.getByRole('searchbox', { name: 'Search' }).fill('glycine');
    await row(page, /Zoé Martin/).click();
    await page.getByRole('heading', { name: 'Zoé Martin' }).waitFor();
    for (const name of ['Message', 'E-mail', 'Notes', 'History']) {
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    const email = page.getByRole('listitem').filter({ hasText: 'bureau@acme.test' }).first();
    await email.getByText('Refused').waitFor();
    await email.getByText(/550.*No such mailbox here/).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/panel/inbox/${id}`);
    const lead = page.getByRole('region', { name: 'Lead', exact: true });
    await lead.getByText('E-mail failed').waitFor();
    await lead.getByText('No recipient has the e-mail').waitFor();
    await picture({ page }, 'inbox-lead');

    delete smtp.rcpt;
    await page.getByRole('button', { name: 'Send again' }).click();
    await app().sink.waitFor(({ recipients }) => recipients.includes('bureau@acme.test'));
    await email.getByText('Accepted').waitFor();
    await expectSafe();
    expect(await weight()).toBeLessThan(MAX_WEIGHT.page);
  });

  test('looks through all folders, and an address with the search shows the same again', async () => {
    const id = await submit({ name: 'Ana Ruiz', message: 'quetzalcoatl' });
    await app().services.db.orm.submission.update({ where: { id }, data: { state: 'archived' } });
    const { page } = await open('/inbox', { as: OWNER });
    await page.getByRole('searchbox', { name: 'Search' }).fill('quetzal');
    await row(page, /Ana Ruiz.*Archived/).waitFor();
    const again = await open(
      new URL(page.url()).pathname.replace('/panel', '') + new URL(page.url()).search,
      {
        as: OWNER,
      },
    );
    await row(again.page, /Ana Ruiz/).waitFor();
    expect(await again.page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('quetzal');
    await again.page.getByRole('searchbox', { name: 'Search' }).fill('');
    await eventually(() => !again.page.url().includes('q='));
    await eventually(async () => (await row(again.page, /Ana Ruiz/).count()) === 0);
  });
});

test('a lead leaves the folder of failed e-mails once its e-mail is on the way again', async () => {
  smtp.rcpt = '550 5.1.1 No such mailbox here';
  const id = await submit({ name: 'Fay Failed', message: 'failedword' });
  await emailState(id, 'failed');
  const { page } = await open('/inbox?folder=failed', { as: OWNER });
  await row(page, /Fay Failed/)
    .getByRole('checkbox')
    .check();
  delete smtp.rcpt;
  await page.getByRole('button', { name: 'Send again' }).click();
  await row(page, /Fay Failed/).waitFor({ state: 'detached' });
  await emailState(id, 'sent');
});

describe('an e-mail that was sent', () => {
  const copies = (word: string) => app().sink.messages.filter(({ mail }) => mail.text?.includes(word));

  test('is sent again as another message', async () => {
    const id = await submit({ name: 'Sam Encore', message: 'encoreword' });
    await emailState(id, 'sent');
    const before = copies('encoreword').length;
    const { page } = await open(`/inbox/${id}`, { as: OWNER });
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText(`Sent again by ${OWNER}`).waitFor();
    await eventually(() => copies('encoreword').length > before);
  });

  test('is sent again to one of its recipients alone', async () => {
    const id = await submit({ name: 'Rae Resend', message: 'resendword' });
    await emailState(id, 'sent');
    const before = copies('resendword').length;
    const { page, expectAccessible } = await open(`/inbox/${id}`, { as: OWNER });
    await page.getByRole('button', { name: 'Resend to bureau@acme.test' }).click();
    await page.getByText(`Sent again by ${OWNER}`).waitFor();
    await eventually(() => copies('resendword').length > before);
    const copy = copies('resendword').at(-1)!;
    expect([copy.mail.text, copy.recipients]).toEqual([
      expect.stringContaining('resendword'),
      ['bureau@acme.test'],
    ]);
    await expectAccessible();
  });

  test('is sent again to several of its recipients, which the timeline tells', async () => {
    const id = await submit({ name: 'Cho Chosen', message: 'chosenword' }, 'www.globex.test');
    await emailState(id, 'sent');
    const { page, expectAccessible } = await open(`/inbox/${id}`, { as: 'owner@globex.test' });
    await page.getByRole('checkbox', { name: 'Choose one@globex.test' }).check();
    await page.getByRole('checkbox', { name: 'Choose three@globex.test' }).check();
    await picture({ page }, 'inbox-resend-chosen');
    await expectAccessible();
    const before = copies('chosenword').length;
    await page.getByRole('button', { name: 'Resend to the 2 chosen' }).click();
    await page.getByText('Sent again by owner@globex.test').waitFor();
    await eventually(() => copies('chosenword').length > before);
    const copy = copies('chosenword').at(-1)!;
    expect([copy.mail.text, [...copy.recipients].sort()]).toEqual([
      expect.stringContaining('chosenword'),
      ['one@globex.test', 'three@globex.test'],
    ]);
    // The first e-mail names all three, the second one the two that were chosen.
    for (const [address, times] of [
      ['one@globex.test', 2],
      ['two@globex.test', 1],
    ] as const) {
      expect(await page.getByRole('listitem').filter({ hasText: address }).count()).toBe(times);
    }
    expect(await page.getByRole('checkbox', { name: /^Choose .*globex/, checked: true }).count()).toBe(0);
  });

  test('is forwarded to other addresses with a note, and the lead tells so', async () => {
    const id = await submit({ name: 'Fay Forward' });
    const { page, expectAccessible } = await open(`/inbox/${id}`, { as: OWNER, expected: /400|422/ });
    await page.getByRole('button', { name: 'Forward' }).click();
    const dialog = page.getByRole('dialog', { name: 'Forward the lead' });
    await dialog.getByRole('textbox', { name: 'To' }).fill('no, address');
    await dialog.getByRole('button', { name: 'Forward' }).click();
    await dialog.getByText('no and address are not e-mail addresses.').waitFor();
    await expectAccessible();
    await dialog.getByRole('textbox', { name: 'To' }).fill('partner@example.test, boss@example.test');
    await dialog.getByRole('textbox', { name: /Note/ }).fill('Please call her today.');
    await dialog.getByRole('button', { name: 'Forward' }).click();
    const sent = await app().sink.waitFor(({ recipients }) => recipients.includes('partner@example.test'));
    expect(sent.mail.text).toContain('Please call her today.');
    await page.getByText(`Forwarded by ${OWNER}`).waitFor();
    const partner = page.getByRole('listitem').filter({ hasText: 'partner@example.test' });
    await partner.getByText('Accepted').waitFor();
  });
});

test('e-mails that the quota holds back are told, and sent once the month of their lead has room', async () => {
  const { services, sink } = app();
  const where = { slug: 'globex' };
  const { planId } = await services.db.orm.team.findUniqueOrThrow({ where });
  const tiny = { code: 'tiny', name: 'Tiny', notificationsPerMonth: 0 };
  const { id: tinyId } = await services.db.orm.plan.create({ data: tiny });
  await services.db.orm.team.update({ where, data: { planId: tinyId } });
  const id = await submit({ name: 'Hal Held', message: 'heldword' }, 'www.globex.test');
  await emailState(id, 'skipped_quota');
  // The banner is about the team, not about what the list is narrowed to.
  const { page, expectAccessible } = await open('/inbox?q=nothing', { as: 'owner@globex.test' });
  await page.getByText('The quota holds back 1 e-mail.').waitFor();
  await page.getByText('whose quota is used up: they can be sent once the plan is raised.').waitFor();
  expect(await page.getByRole('button', { name: 'Send them' }).count()).toBe(0);
  await expectAccessible();
  await picture({ page }, 'inbox-held');
  await page.getByRole('link', { name: 'Show', exact: true }).click();
  await row(page, /Hal Held/).waitFor();
  expect(await page.getByRole('link', { name: 'Show', exact: true }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Plan of the team' }).count()).toBe(0);
  const { id: globex } = await services.db.orm.team.findUniqueOrThrow({ where });
  const staff = await open(`/inbox?team=${globex}`, { as: 'staff@agency.test' });
  await staff.page.getByRole('link', { name: 'Plan of the team' }).click();
  await staff.page.getByRole('heading', { name: 'This month' }).waitFor();
  await staff.page.getByText('The e-mail of 1 lead is held back').getByRole('link', { name: 'Show' }).click();
  await row(staff.page, /Hal Held/).waitFor();
  await services.db.orm.submission.update({
    where: { id },
    data: { createdAt: new Date('2026-01-15T12:00:00Z') },
  });
  await page.goto(`${app().url}/panel/inbox/${id}`);
  await page.getByText('The plan’s e-mails of January 2026 were used up when this lead came.').waitFor();
  expect(await page.getByRole('button', { name: 'Send it now' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('The e-mail was not sent: the plan’s e-mails of January 2026 are used up.').waitFor();
  await picture({ page }, 'inbox-held-again');
  expect(await page.getByText('on the way again').count()).toBe(0);
  await services.db.orm.team.update({ where, data: { planId } });
  await services.db.orm.submission.update({
    where: { id },
    data: { createdAt: new Date(Date.now() - 40 * 86_400_000) },
  });
  await page.reload();
  await page.getByText('By now the plan has room for it.').waitFor();
  await page.getByRole('button', { name: 'Send it now' }).waitFor();
  const member = await open('/inbox', { as: 'member@globex.test' });
  await member.page.getByText('The quota holds back 1 e-mail.').waitFor();
  await page.goto(`${app().url}/panel/inbox?folder=held`);
  await row(page, /Hal Held/).waitFor();
  await page.getByRole('button', { name: 'Send them' }).click();
  await sink.waitFor(({ mail }) => mail.text?.includes('heldword') ?? false);
  await row(page, /Hal Held/).waitFor({ state: 'detached' });
  await page.getByText('The quota holds back 1 e-mail.').waitFor({ state: 'detached' });
  expect(await member.page.getByRole('button', { name: 'Send them' }).count()).toBe(0);
});

describe('the state of a lead', () => {
  test('changes by keyboard alone, and the next lead opens', async () => {
    const words = ['kbfirst', 'kbsecond', 'kbthird'];
    const ids: string[] = [];
    for (const name of words) ids.push(await submit({ name, message: 'keyboardwalk' }));
    const [first = '', second = '', third = ''] = ids;
    const { page } = await open('/inbox?folder=new&q=keyboardwalk', { as: OWNER });
    await row(page, /kbthird/).waitFor();
    await press(page, 'j', 'j', 'k');
    await page.getByRole('heading', { name: 'kbthird' }).waitFor();
    await press(page, 'e');
    await page.getByRole('heading', { name: 'kbsecond' }).waitFor();
    await press(page, '!');
    await page.getByRole('heading', { name: 'kbfirst' }).waitFor();
    await press(page, 'a');
    await eventually(async () => {
      const states = [await stateOf(third), await stateOf(second), await stateOf(first)];
      return states.join() === 'done,spam,archived';
    });
    await page.getByText('1 lead archived').waitFor();
    await press(page, 'z');
    await eventually(async () => (await stateOf(first)) === 'new');
    expect([await stateOf(third), await stateOf(second)]).toEqual(['done', 'spam']);
    await press(page, '/');
    expect(await hasFocus(page.getByRole('searchbox', { name: 'Search' }))).toBe(true);
    await press(page, 'Escape', 'Escape');
    await press(page, '?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Next lead').waitFor();
    await press(page, 'Escape');
  });

  test('is undone by a key that is pressed before the answer has come, and no other with it', async () => {
    const [before = '', latest = ''] = [
      await submit({ name: 'undobefore', message: 'undoflight' }),
      await submit({ name: 'undolatest', message: 'undoflight' }),
    ];
    const { page } = await open('/inbox?folder=new&q=undoflight', { as: OWNER });
    await row(page, /undobefore/).waitFor();
    await press(page, 'j', 'j');
    await page.getByRole('heading', { name: 'undobefore' }).waitFor();
    await press(page, 'e');
    await page.getByText('1 lead done').waitFor();
    await row(page, /undolatest/)
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'undolatest' }).waitFor();
    const letGo = await holdBack(page, 'setStateOfSelected');
    await press(page, 'a', 'z');
    await row(page, /undolatest/).waitFor({ state: 'detached' });
    letGo();
    await row(page, /undolatest/).waitFor();
    await eventually(async () => (await stateOf(latest)) === 'new');
    expect(await stateOf(before)).toBe('done');
  });

  test('that was changed last is undone, though the answer about another comes later', async () => {
    const [other = '', last = ''] = [
      await submit({ name: 'orderother', message: 'undoorder' }),
      await submit({ name: 'orderlast', message: 'undoorder' }),
    ];
    const { page } = await open('/inbox?folder=new&q=undoorder', { as: OWNER });
    await row(page, /orderother/)
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'orderother' }).waitFor();
    const letGo = await holdBack(page, 'setStateOfSelected', 1);
    const asked = page.waitForRequest((one) => !!one.postData()?.includes('mutation setStateOfSelected('));
    await press(page, '!');
    await asked;
    await row(page, /orderlast/)
      .getByRole('link')
      .click();
    await page.getByRole('heading', { name: 'orderlast' }).waitFor();
    await press(page, 'a');
    await page.getByText('1 lead archived').waitFor();
    letGo();
    await page.getByText('1 lead marked as spam').waitFor();
    await press(page, 'z');
    await eventually(async () => (await stateOf(last)) === 'new');
    expect(await stateOf(other)).toBe('spam');
  });

  test('is set by a button of the open lead, is told in the history, and can be undone', async () => {
    const id = await submit({ name: 'Paul Bouton' });
    const { page } = await open(`/inbox/${id}?folder=new&q=bouton`, { as: OWNER });
    await row(page, /Paul Bouton/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('1 lead done').waitFor();
    await page.getByText(`${OWNER}: New → Done`).waitFor();
    expect(await stateOf(id)).toBe('done');
    expect(await row(page, /Paul Bouton/).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, /Paul Bouton/).waitFor();
    await eventually(async () => (await stateOf(id)) === 'new');
  });

  test('is set by a button of the open lead, which leads on to the next as the key does', async () => {
    const first = await submit({ name: 'Walk One', message: 'buttonwalk' });
    const second = await submit({ name: 'Walk Two', message: 'buttonwalk' });
    const { page } = await open('/inbox?folder=new&q=buttonwalk', { as: OWNER });
    await row(page, /Walk Two/).click();
    await page.getByRole('heading', { name: 'Walk Two' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    // The focus tells a screen reader that it is another lead, and a second Enter marks none.
    const heading = page.getByRole('heading', { name: 'Walk One' });
    await heading.waitFor();
    await eventually(() => hasFocus(heading));
    await page.keyboard.press('Enter');
    await eventually(async () => (await stateOf(second)) === 'done');
    expect([new URL(page.url()).pathname, await stateOf(first)]).toEqual([`/panel/inbox/${first}`, 'new']);
  });

  test('is given by a key to the lead that the keys before have reached, on a slow device too', async () => {
    const ids: string[] = [];
    for (let n = 5; n > 0; n--) ids.unshift(await submit({ name: `Fast ${n}`, message: 'fastkeys' }));
    const { page } = await open('/inbox?folder=new&q=fastkeys', { as: OWNER });
    await row(page, /Fast 5/).waitFor();
    await press(page, 'j');
    await page.getByRole('heading', { name: 'Fast 1' }).waitFor();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 8 });
    await press(page, 'j', 'j', 'j', 'e');
    await eventually(async () => (await Promise.all(ids.map(stateOf))).includes('done'));
    expect(await Promise.all(ids.map(stateOf))).toEqual(['new', 'new', 'new', 'done', 'new']);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  });

  test.each([
    ['the one before', 'Back 3', ''],
    [
      'the one that is still shown',
      'Back 2',
      `document.querySelector('[role=row][aria-rowindex="4"] a').click();`,
    ],
  ])(
    'is given by a key to the lead that Back leads to before a key has shown another: %s',
    async (title, at, before) => {
      const ids: string[] = [];
      const word = `backword${title.length}`;
      for (let n = 4; n > 0; n--) ids.unshift(await submit({ name: `Back ${n}`, message: word }));
      const { page } = await open(`/inbox?folder=new&q=${word}`, { as: OWNER });
      const show = async (name: string) => {
        await row(page, new RegExp(name)).getByRole('link').click();
        await page.getByRole('heading', { name }).waitFor();
      };
      await show('Back 2');
      await page.evaluate('window.entry = [history.state, location.href]');
      await show(at);
      // On a busy device the browser may have gone back before React renders what the key opens.
      await page.evaluate(`(async () => {
      ${before}
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
      await Promise.resolve();
      await Promise.resolve();
      const [state, href] = window.entry;
      History.prototype.replaceState.call(history, state, '', href);
      dispatchEvent(new PopStateEvent('popstate', { state }));
    })()`);
      await page.getByRole('heading', { name: 'Back 2' }).waitFor();
      await page.locator('[role=row][data-cursor]').filter({ hasText: 'Back 2' }).waitFor();
      await press(page, 'e');
      await eventually(async () => (await Promise.all(ids.map(stateOf))).includes('done'));
      expect(await Promise.all(ids.map(stateOf))).toEqual(['new', 'done', 'new', 'new']);
    },
  );

  test('is undone lead by lead, though two changes are told in the same words', async () => {
    const one = await submit({ name: 'Undo One', message: 'undoword' });
    const two = await submit({ name: 'Undo Two', message: 'undoword' });
    const { page } = await open('/inbox?folder=new&q=undoword', { as: OWNER });
    for (const [name, id] of [
      ['Undo One', one],
      ['Undo Two', two],
    ] as const) {
      await row(page, new RegExp(name)).click();
      await page.getByRole('heading', { name }).waitFor();
      await page.getByRole('button', { name: 'Done' }).click();
      await eventually(async () => (await stateOf(id)) === 'done');
    }
    const undo = page.getByRole('button', { name: 'Undo', exact: true });
    await eventually(async () => (await undo.count()) === 2);
    await undo.first().click();
    await eventually(async () => (await undo.count()) === 1);
    await undo.click();
    await eventually(async () => (await stateOf(one)) === 'new' && (await stateOf(two)) === 'new');
  });

  test('is taken back with a message when the gateway refuses the change', async () => {
    const id = await submit({ name: 'Rita Retour' });
    const { page } = await open(`/inbox/${id}`, { as: OWNER, expected: /403/ });
    await page.getByRole('heading', { name: 'Rita Retour' }).waitFor();
    const { services } = app();
    const { id: userId } = await services.db.orm.user.findUniqueOrThrow({ where: { email: OWNER } });
    const { id: teamId } = await services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const where = { teamId_userId: { teamId, userId } };
    await services.db.orm.membership.update({ where, data: { role: 'member' } });
    await page.getByRole('button', { name: 'Spam' }).click();
    await page.getByText('Your role does not allow this.').waitFor();
    await row(page, /Rita Retour/).waitFor();
    await services.db.orm.membership.update({ where, data: { role: 'owner' } });
    expect(await stateOf(id)).toBe('new');
  });

  test('of many is set at once, of ranges and of all that match, and undone', async () => {
    for (let number = 0; number < 60; number++) {
      await submit({ name: `Bulk ${number}`, message: 'bulkword' });
    }
    const { page } = await open('/inbox?folder=new&q=bulkword', { as: OWNER });
    await page.getByText('60 leads').waitFor();
    await row(page, /Bulk 59\b/)
      .getByRole('checkbox')
      .check();
    await row(page, /Bulk 55\b/)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByText('5 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 60 that match' }).click();
    await page.getByText('60 selected').waitFor();
    await picture({ page }, 'inbox-selection');
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText('60 leads archived').waitFor();
    await page.getByText('No lead fits.').waitFor();
    const { orm } = app().services.db;
    const where = { values: { path: ['message'], equals: 'bulkword' }, state: 'archived' as const };
    expect(await orm.submission.count({ where })).toBe(60);
    await page.getByRole('button', { name: 'Undo' }).click();
    await row(page, /Bulk 59\b/).waitFor();
    await eventually(async () => (await orm.submission.count({ where })) === 0);
  });

  test('has the list follow the keys to leads further down', async () => {
    const { page } = await open('/inbox?folder=new&q=bulkword', { as: OWNER });
    await row(page, /Bulk 59\b/).waitFor();
    const isInSight = (name: RegExp) =>
      eventually(async () => {
        const box = await row(page, name).boundingBox();
        const list = await page.getByRole('grid', { name: 'Leads' }).locator('..').boundingBox();
        return box && list && box.y >= list.y && box.y + box.height <= list.y + list.height + 1;
      });
    // A key that outruns the list finds no next lead, so each waits for the one before.
    for (let number = 59; number >= 30; number--) {
      await page.keyboard.press('j');
      await page.getByRole('heading', { name: `Bulk ${number}`, exact: true }).waitFor();
    }
    await isInSight(/Bulk 30\b/);
    // The key leads to the last lead that was read.
    await page.locator('#leads[aria-rowcount="61"]').waitFor();
    await page.getByRole('grid', { name: 'Leads' }).press('End');
    await page.getByRole('heading', { name: /^Bulk 0$/ }).waitFor();
    await isInSight(/Bulk 0\b/);
  });
});

test('a note is added once by a double click', async () => {
  const id = await submit({ name: 'Dora Double' });
  const { page, expectSafe } = await open(`/inbox/${id}`, { as: OWNER });
  await page.getByRole('textbox', { name: /New note/ }).fill('Only once.');
  await pressTwice(page.getByRole('button', { name: 'Add the note' }));
  await page.getByRole('listitem').filter({ hasText: 'Only once.' }).waitFor();
  await page.getByRole('button', { name: 'Add the note' }).waitFor({ state: 'detached' });
  expect(await app().services.db.orm.submissionNote.count({ where: { submissionId: id } })).toBe(1);
  await expectSafe();
});

test('notes are written, and deleted by who has written them, who can undo that', async () => {
  const id = await submit({ name: 'Nora Note' });
  const { page } = await open(`/inbox/${id}`, { as: OWNER });
  const note = page.getByRole('textbox', { name: /New note/ });
  await note.fill('Called back.\nWill send a quote.');
  await page.getByRole('button', { name: 'Add the note' }).press('Enter');
  await page.locator('[aria-live=polite]').getByText('Will send a quote.').waitFor();
  await eventually(() => hasFocus(note));
  const other = await open(`/inbox/${id}`, { as: 'admin@acme.test' });
  await other.page.getByText('Will send a quote.').waitFor();
  const deletion = (shown: Page) =>
    shown
      .getByRole('listitem')
      .filter({ hasText: 'Will send a quote.' })
      .getByRole('button', { name: /^Delete the note of \d/ });
  expect(await deletion(other.page).count()).toBe(0);
  await deletion(page).press('Enter');
  await eventually(() => hasFocus(page.getByRole('heading', { level: 2 })));
  await page.getByText('There are no notes.').waitFor();
  expect(await app().services.db.orm.submissionNote.count({ where: { submissionId: id } })).toBe(0);
  await press(page, 'z');
  await page.getByText('Will send a quote.').waitFor();
});

test('a note that is deleted by two presses is told to be deleted once', async () => {
  const id = await submit({ name: 'Dana Deleted' });
  const { page } = await open(`/inbox/${id}`, { as: OWNER });
  await page.getByRole('textbox', { name: /New note/ }).fill('Not twice.');
  await page.getByRole('button', { name: 'Add the note' }).click();
  const note = page.getByRole('listitem').filter({ hasText: 'Not twice.' });
  await pressTwice(note.getByRole('button', { name: /^Delete the note/ }));
  await page.getByText('There are no notes.').waitFor();
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
});

test('a person is erased after the address is typed, and the preview tells what goes', async () => {
  const email = 'gone@example.test';
  const id = await submit({ name: 'Eva Efface', email });
  await submit({ name: 'Eva Efface', email });
  const { page, expectAccessible } = await open(`/inbox/${id}`, { as: OWNER });
  await page.getByRole('button', { name: 'Erase this person' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase this person' });
  await dialog.getByText('2 leads of gone@example.test').waitFor();
  await dialog.getByText('www.acme.test: 2').waitFor();
  await expectAccessible();
  const erase = dialog.getByRole('button', { name: 'Erase for good' });
  expect(await erase.isEnabled()).toBe(false);
  await dialog.getByRole('textbox').fill(email);
  await erase.click();
  await page.getByText('2 leads of gone@example.test erased').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => (await row(page, /Eva Efface/).count()) === 0);
  expect(await app().services.db.orm.submission.count({ where: { emails: { has: email } } })).toBe(0);
});

describe('who sees the inbox', () => {
  test('a member reads, and is offered nothing that a member may not do', async () => {
    const id = await submit({ name: 'Mia Membre' });
    const { page } = await open(`/inbox/${id}`, { as: MEMBER });
    await page.getByRole('heading', { name: 'Mia Membre' }).waitFor();
    for (const name of ['Done', 'Spam', 'Archive', 'Send again', 'Delete', 'Erase this person']) {
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    }
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await press(page, 'e', 'x');
    await page.getByRole('link', { name: 'Reply' }).waitFor();
    expect(await stateOf(id)).toBe('new');
  });

  test('another team’s lead is not there, and staff narrow the inbox to a team', async () => {
    const id = await submit({ name: 'Gus Globex', message: 'teamword' }, 'www.globex.test');
    await submit({ name: 'Alice Acme', message: 'teamword' });
    const other = await open(`/inbox/${id}`, { as: OWNER });
    await other.page.getByText('This does not exist, or it is not yours to see.').waitFor();
    const { page } = await open('/inbox?q=teamword', { as: 'staff@agency.test' });
    await row(page, /Alice Acme/).waitFor();
    await row(page, /Gus Globex/).waitFor();
    await page.getByRole('button', { name: /^Team/ }).click();
    await page.getByRole('option', { name: 'globex' }).click();
    await eventually(async () => (await row(page, /Alice Acme/).count()) === 0);
    await row(page, /Gus Globex/).waitFor();
  });

  test('who has no lead yet reads how the first one comes', async () => {
    const { page } = await open('/inbox', { as: 'owner@empty.test' });
    await page.getByText('No new leads.').waitFor();
    await page.getByText(/Leads appear here as soon as a form/).waitFor();
  });
});

test('new leads are told and join the list when they are asked for', async () => {
  await submit({ name: 'Before', message: 'pollword' });
  const { page } = await open('/inbox?folder=new&q=pollword', { as: OWNER });
  await page.clock.install();
  await page.reload();
  await row(page, /Before/).waitFor();
  await submit({ name: 'After', message: 'pollword' });
  await page.clock.runFor(20_000);
  const bar = page.getByRole('button', { name: /new leads? – show$/ });
  await page.getByRole('button', { name: '1 new lead – show' }).waitFor();
  expect(await row(page, /After/).count()).toBe(0);
  await submit({ name: 'Again', message: 'pollword' });
  await page.clock.runFor(20_000);
  await page.getByRole('button', { name: '2 new leads – show' }).waitFor();
  // What fails is said, and can be tried again.
  await page.route('**/graphql', (route) =>
    route.request().postData()?.includes('query leads(')
      ? route.fulfill({ status: 500, json: { errors: [{ message: 'Broken.' }] } })
      : route.fallback(),
  );
  await bar.click();
  await page.getByText('Something went wrong in the gateway.').waitFor();
  await page.unroute('**/graphql');
  await bar.click();
  await row(page, /After/).waitFor();
  await page.clock.runFor(100);
  await eventually(() => hasFocus(page.getByRole('grid', { name: 'Leads' })));
});

test('the first lead of an empty list shows by itself, and takes no focus', async () => {
  const { page } = await open('/inbox?q=arrivalword', { as: OWNER });
  await page.clock.install();
  await page.reload();
  await page.getByText('No lead fits.').waitFor();
  const search = page.getByRole('searchbox', { name: 'Search' });
  await search.focus();
  await submit({ name: 'First', message: 'arrivalword' });
  await page.clock.runFor(20_000);
  await row(page, /First/).waitFor();
  await page.clock.runFor(100);
  expect(await hasFocus(search)).toBe(true);
});

test('a new search is not said to find what the one before did', async () => {
  await submit({ name: 'Carla Count', message: 'countword' });
  await submit({ name: 'Other', message: 'countword' });
  const { page } = await open('/inbox?q=countword', { as: OWNER });
  await page.getByText('2 leads', { exact: true }).waitFor();
  let letGo = () => {};
  const free = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes('query leadCounts(')) await free;
    await route.continue();
  });
  await page.getByRole('searchbox', { name: 'Search' }).fill('countword carla');
  await eventually(async () => (await row(page, /Other/).count()) === 0);
  expect(await page.getByText('2 leads', { exact: true }).count()).toBe(0);
  letGo();
  await page.getByText('1 lead', { exact: true }).waitFor();
});

test('a lead of yesterday has its day, also in a list that is open over midnight', async () => {
  const id = await submit({ name: 'Nora Night', message: 'midnightword' });
  const { createdAt } = await app().services.db.orm.submission.findUniqueOrThrow({ where: { id } });
  const [day, month] = [
    createdAt.getUTCDate(),
    createdAt.toLocaleString('en-GB', { month: 'short', timeZone: 'UTC' }),
  ];
  const { page } = await open('/inbox?q=midnightword', { as: OWNER, timezoneId: 'UTC' });
  await page.clock.install({ time: new Date(createdAt).setUTCHours(23, 59, 50) });
  await page.reload();
  await row(page, /Nora Night.*\d\d:\d\d/).waitFor();
  await page.clock.runFor(60_000);
  await row(page, new RegExp(`Nora Night.* ${day} ${month}`)).waitFor();
});

test('a lead of another time zone has the viewer’s day too, where that differs', async () => {
  const id = await submit({ name: 'Ada Afar', message: 'zoneword' });
  const createdAt = new Date('2026-03-21T20:00:00Z');
  await app().services.db.orm.submission.update({ where: { id }, data: { createdAt } });
  const { page } = await open(`/inbox/${id}`, { as: OWNER, timezoneId: 'Pacific/Auckland' });
  await page
    .getByText(/^21 Mar 2026, 21:00 \(22 Mar 2026, 09:00 your time\)$/)
    .first()
    .waitFor();
});

test('the languages to narrow by are those of the installation', async () => {
  const { page } = await open('/inbox', { as: OWNER });
  await page.getByRole('button', { name: 'Language' }).click();
  await page.getByRole('option', { name: 'Dutch' }).click();
  await page.waitForURL(/language=nl/);
});

describe('what a visitor typed', () => {
  test('is text: markup, other directions, and as long as it is', async () => {
    const markup = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
    const long = 'mot '.repeat(2_500).trim();
    const id = await submit({ name: markup.slice(0, 40), message: `javascript:alert(3)\n${markup}` });
    const rtl = await submit({ name: 'مريم الهاشمي', message: 'مرحبا' });
    const much = await submit({ name: 'Long', message: long });
    const { page, expectSafe, expectFits, expectAccessible } = await open(`/inbox/${id}`, { as: OWNER });
    await page.getByRole('region', { name: 'Lead', exact: true }).getByText(markup).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.getByRole('link', { name: /javascript/ }).count()).toBe(0);
    await expectFits();
    await page.goto(`${app().url}/panel/inbox/${rtl}`);
    await page.getByRole('heading', { name: 'مريم الهاشمي' }).waitFor();
    expect(await page.evaluate(`getComputedStyle(document.querySelector('article h2')).direction`)).toBe(
      'rtl',
    );
    await page.goto(`${app().url}/panel/inbox/${much}`);
    await page.getByRole('button', { name: 'Show all 9,999 characters' }).click();
    await page.getByRole('region', { name: 'Lead', exact: true }).getByText(long).waitFor();
    await expectFits();
    await expectAccessible();
    await expectSafe();
  });

  test('is shown field by field, of forty fields too, and links only to e-mail addresses, numbers and pages', async () => {
    const values = Object.fromEntries(MANY_FIELDS.map(({ name }) => [name, `value of ${name}`]));
    const link = 'https://example.test/a?b=c';
    const wide = await submit({ ...values, field7: link }, 'www.acme.test', 'wide');
    const { page } = await open(`/inbox/${wide}`, { as: OWNER });
    await page.getByText('value of field39').waitFor();
    const found = page.getByRole('link', { name: link });
    expect(await found.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    await picture({ page }, 'inbox-forty-fields');
  });
});

test('a view is saved for the account alone, shows the same again, is renamed, deleted and brought back', async () => {
  const id = await submit({ name: 'Vera View', message: 'viewword' });
  await app().services.db.orm.submission.update({ where: { id }, data: { state: 'done' } });
  const { page, expectAccessible } = await open('/inbox?folder=done&q=viewword&period=week', { as: OWNER });
  await row(page, /Vera View/).waitFor();
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Views of the week');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const again = await open('/inbox', { as: OWNER });
  await again.page.getByRole('link', { name: 'Views of the week' }).click();
  await row(again.page, /Vera View/).waitFor();
  const { searchParams } = new URL(again.page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ folder: 'done', q: 'viewword', period: 'week' });
  await expectAccessible();
  const other = await open('/inbox', { as: 'admin@acme.test' });
  await other.page.getByRole('grid', { name: 'Leads' }).waitFor();
  expect(await other.page.getByRole('link', { name: 'Views of the week' }).count()).toBe(0);
  const act = async (name: string, action: string) => {
    await again.page.getByRole('button', { name: `Change the view ${name}` }).click();
    await again.page.getByRole('menuitem', { name: action }).click();
  };
  await act('Views of the week', 'Rename the view');
  const dialog = again.page.getByRole('dialog', { name: 'Rename the view' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Of the week');
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await again.page.getByRole('link', { name: 'Of the week', exact: true }).waitFor();
  expect(await again.page.getByRole('link', { name: 'Views of the week' }).count()).toBe(0);
  await act('Of the week', 'Delete the view');
  await eventually(async () => (await again.page.getByRole('link', { name: 'Of the week' }).count()) === 0);
  await again.page.getByRole('button', { name: 'Undo' }).click();
  await again.page.getByRole('link', { name: 'Of the week' }).waitFor();
});

test('a view says that it replaces the one of its name, and is not renamed over another', async () => {
  const ADMIN = 'admin@acme.test';
  const { page, expectAccessible } = await open('/inbox?folder=done', { as: ADMIN, expected: /409/ });
  const saveAs = async (name: string) => {
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name);
  };
  const save = async (button: string) => {
    await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  for (const name of ['First', 'Second']) {
    await saveAs(name);
    await save('Save');
    await page.getByRole('link', { name, exact: true }).waitFor();
  }
  await page.goto(`${app().url}/panel/inbox?folder=archived`);
  await page.getByRole('link', { name: 'First', exact: true }).waitFor();
  await saveAs('First');
  await page.getByText('There is a view of this name. This one replaces it.').waitFor();
  await expectAccessible();
  await picture({ page }, 'inbox-view-replaces');
  await save('Replace');
  const owned = { user: { email: ADMIN } };
  const filterOf = async (name: string) =>
    (await app().services.db.orm.savedView.findFirstOrThrow({ where: { ...owned, name } })).filter;
  expect(await filterOf('First')).toEqual({ states: ['archived'] });
  await page.getByRole('button', { name: 'Change the view Second' }).click();
  await page.getByRole('menuitem', { name: 'Rename the view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('First');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByText('Another view has this name.').waitFor();
  expect(await filterOf('Second')).toEqual({ states: ['done'] });
});

test.each([
  ['en-GB', 'Save this view', 'Name', 'The limit of 50 is reached.'],
  ['fr-FR', 'Enregistrer cette vue', 'Nom', 'La limite de 50 est atteinte.'],
])('a view beyond the most of an account is refused in words, in %s', async (locale, button, name, words) => {
  const { orm } = app().services.db;
  const { id: userId } = await orm.user.findUniqueOrThrow({ where: { email: MEMBER } });
  await orm.savedView.createMany({
    data: Array.from({ length: 50 }, (_, n) => ({ userId, name: `View ${n}`, filter: {} })),
  });
  const opened = await open('/inbox?folder=done', { as: MEMBER, locale, expected: /409/ });
  await opened.page.getByRole('button', { name: button }).click();
  await opened.page.getByRole('dialog').getByRole('textbox', { name }).fill('One more');
  await opened.page.keyboard.press('Enter');
  await opened.page.getByRole('alert').getByText(words).waitFor();
  await opened.expectAccessible();
  await picture(opened, `inbox-view-full-${locale}`);
  await orm.savedView.deleteMany({ where: { userId } });
});

test('a view that another tab has deleted leaves the list, once that was told', async () => {
  const { page } = await open('/inbox?folder=done', { as: OWNER, expected: /404/ });
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Passing');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  const view = page.getByRole('link', { name: 'Passing', exact: true });
  await view.waitFor();
  await page.getByRole('button', { name: 'Change the view Passing' }).click();
  await page.getByRole('menuitem', { name: 'Rename the view' }).click();
  await app().services.db.orm.savedView.deleteMany({ where: { name: 'Passing' } });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Lasting');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('This does not exist, or it is not yours to see.').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await view.waitFor({ state: 'detached' });
});

test('a view of all teams leaves the team that the inbox was narrowed to', async () => {
  const STAFF = 'staff@agency.test';
  await submit({ name: 'Every One', message: 'everyword' });
  await submit({ name: 'Every Two', message: 'everyword' }, 'www.globex.test');
  const { page } = await open('/inbox?q=everyword', { as: STAFF });
  await row(page, /Every Two/).waitFor();
  await page.getByRole('button', { name: 'Save this view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Everywhere');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { id } = await app().services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  await page.goto(`${app().url}/panel/inbox?q=everyword&team=${id}`);
  await row(page, /Every One/).waitFor();
  expect(await row(page, /Every Two/).count()).toBe(0);
  await page.getByRole('link', { name: 'Everywhere' }).click();
  await row(page, /Every Two/).waitFor();
  expect(new URL(page.url()).searchParams.has('team')).toBe(false);
});

test('a view of a team that the account has lost says so, and leads on', async () => {
  const { id } = await app().services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
  const { page } = await open(`/inbox?q=lostword&team=${id}`, { as: OWNER, expected: /404/ });
  await page.getByText('This does not exist, or it is not yours to see.').first().waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Go to the first page' }).click();
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
});

test('a team that there is not is left by the link to the first page, which staff would carry along', async () => {
  const { page } = await open('/inbox?team=999999', { as: 'staff@agency.test', expected: /404/ });
  await page.getByRole('link', { name: 'Go to the first page' }).click();
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
  await page.getByText(/^Checked/).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

describe('the export', () => {
  beforeAll(async () => {
    await submit({ name: 'Export One', message: 'exportword' });
    await submit({ name: 'Other One', message: 'besides' });
  });

  test('has what the list finds', async () => {
    const { page } = await open('/inbox?q=exportword', { as: OWNER });
    await row(page, /Export One/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const text = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(text).toString()).toMatch(/Export One/);
    expect(Buffer.concat(text).toString()).not.toMatch(/Other One/);
  });

  test('says that it has more than what is selected, beside which the open lead keeps its reply', async () => {
    const { page } = await open('/inbox?q=exportword', { as: OWNER });
    await row(page, /Export One/).click();
    const actions = page.getByRole('link', { name: 'Reply' });
    await actions.waitFor();
    // The row is at the cursor once the lead is open.
    await page.locator('#leads[aria-activedescendant]').waitFor();
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Export all' }).waitFor();
    expect(await actions.isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Forward' }).isVisible()).toBe(true);
    // Only that of the selection, or it would find two.
    await page.getByRole('button', { name: 'Archive', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
  });

  test('tells how far it is, and can be cancelled', async () => {
    const { page } = await open('/inbox?q=exportword', { as: OWNER });
    await row(page, /Export One/).waitFor();
    await page.route('**/panel/exports/**', () => undefined);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('progressbar', { name: 'Progress of the export' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Export' }).waitFor();
  });

  test('that breaks off is told in words, and saves nothing', async () => {
    const { page } = await open('/inbox?q=exportword', { as: OWNER, expected: /ERR_FAILED/ });
    await row(page, /Export One/).waitFor();
    await page.clock.install();
    await page.route('**/panel/exports/**', (route) => route.abort());
    let downloads = 0;
    page.on('download', () => {
      downloads += 1;
    });
    await page.getByRole('button', { name: 'Export' }).click();
    const failure = page.getByText('The export did not come whole. The gateway cannot be reached.');
    await failure.waitFor();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    await page.clock.fastForward(60_000);
    expect(await failure.isVisible()).toBe(true);
    expect(downloads).toBe(0);
  });

  test('goes on when the inbox is left meanwhile, tells how far it is there too, and can be cancelled', async () => {
    const { page, expectAccessible } = await open('/inbox?q=exportword', { as: OWNER });
    await row(page, /Export One/).waitFor();
    let letGo = () => {};
    await page.route('**/panel/exports/**', async (route) => {
      await new Promise<void>((resolve) => {
        letGo = resolve;
      });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('progressbar', { name: 'Progress of the export' }).waitFor();
    await page.getByRole('link', { name: 'Websites' }).click();
    await page.getByRole('heading', { name: 'Websites' }).waitFor();
    await page.getByRole('progressbar', { name: 'Progress of the export' }).waitFor();
    await expectAccessible();
    await picture({ page }, 'export-elsewhere');
    const [download] = await Promise.all([page.waitForEvent('download'), letGo()]);
    expect(download.suggestedFilename()).toMatch(/^submissions-/);
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('link', { name: 'Websites' }).click();
    await page.getByRole('heading', { name: 'Websites' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('button', { name: 'Export' }).and(page.locator(':not([aria-disabled])')).waitFor();
  });

  test('that a proxy answers while the gateway is away says so', async () => {
    const { page } = await open('/inbox?q=exportword', { as: OWNER, expected: /502/ });
    await row(page, /Export One/).waitFor();
    await page.route('**/panel/exports/**', (route) =>
      route.fulfill({ status: 502, body: '<h1>Bad Gateway' }),
    );
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByText('The export did not come whole. The gateway is not available').waitFor();
  });

  test('asks for the password when the session has ended, and goes on', async () => {
    const { page } = await open('/inbox?q=exportword', { as: 'staff@agency.test', expected: /401/ });
    await row(page, /Export One/).waitFor();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    expect(download.suggestedFilename()).toMatch(/^submissions-\d{4}-\d\d-\d\d\.csv$/);
  });
});

test('an error is told in words, and tried again', async () => {
  const { page } = await open('/login', { expected: /500/, as: OWNER });
  let isBroken = true;
  await page.route('**/graphql', (route) => {
    if (!isBroken || !route.request().postData()?.includes('query leads(')) return route.fallback();
    return route.fulfill({ status: 500, json: { errors: [{ message: 'Broken.' }] } });
  });
  await page.goto(`${app().url}/panel/inbox`);
  await page.getByRole('alert').getByText('Something went wrong in the gateway.').waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('grid', { name: 'Leads' }).waitFor();
});

describe('on a telephone', () => {
  const look = LOOKS[2];

  test.each(['archived', 'held', 'all'])('the folder %s of the address is in sight', async (folder) => {
    const { page } = await open(`/inbox?folder=${folder}`, { as: OWNER, ...look });
    const current = page.getByRole('navigation', { name: 'Folders' }).locator('[aria-current]');
    await eventually(async () => {
      const box = await current.boundingBox();
      // A page is scrolled by whole pixels.
      return box !== null && box.x > -1 && box.x + box.width < look.viewport.width + 1;
    });
    await picture({ page }, `inbox-folder-${folder}`);
  });

  test('a lead that is opened has the focus at its heading, and the list has it again afterwards', async () => {
    await submit({ name: 'Tess Tap', message: 'tapword' });
    const { page } = await open('/inbox', { as: OWNER, ...look });
    await row(page, /Tess Tap/).click();
    await eventually(() => hasFocus(page.getByRole('heading', { name: 'Tess Tap' })));
    await page.getByRole('link', { name: 'Back to the list' }).click();
    await eventually(() => hasFocus(page.getByRole('grid', { name: 'Leads' })));
  });

  test('the days of a period are within its popover', async () => {
    const { page, expectFits } = await open('/inbox', { as: OWNER, ...look });
    await page.getByRole('button', { name: 'Period' }).click();
    const dialog = page.getByRole('dialog');
    for (const label of ['From', 'To']) {
      await eventually(async () => {
        const input = await dialog.getByLabel(label, { exact: true }).boundingBox();
        const box = await dialog.boundingBox();
        return input && box && input.x + input.width <= box.x + box.width;
      });
    }
    await expectFits();
    await picture({ page }, 'inbox-period-360');
  });
});

describe('the look', () => {
  test.each(LOOKS)('is accessible and fits: %j', async (look) => {
    const id = await submit({ name: 'Maximilian-Alexander von Hohenstein-W.', message: 'Bonjour' });
    const name = `inbox-${look.colorScheme}-${look.viewport.width}`;
    const { page, expectAccessible, expectFits, expectSafe } = await open('/inbox', { as: OWNER, ...look });
    await row(page, /Maximilian/)
      .first()
      .waitFor();
    await expectAccessible();
    await expectFits();
    await picture({ page }, name);
    await row(page, /Maximilian/)
      .first()
      .click();
    await page.getByRole('heading', { name: 'History' }).waitFor();
    await expectAccessible();
    await expectFits();
    await picture({ page }, `${name}-lead`);
    expect(page.url()).toContain(id);
    await expectSafe();
  });

  test('is French for who reads French', async () => {
    const { page, expectAccessible } = await open('/inbox', { as: OWNER, locale: 'fr-FR' });
    await page.getByRole('searchbox', { name: 'Rechercher' }).waitFor();
    await page.getByRole('grid', { name: 'Demandes' }).waitFor();
    await press(page, 'j');
    await page.getByRole('button', { name: 'Indésirable' }).waitFor();
    await page.getByRole('heading', { name: 'Historique' }).waitFor();
    await expectAccessible();
    await picture({ page }, 'inbox-french');
  });
});
