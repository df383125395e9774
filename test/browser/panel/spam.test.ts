import { beforeAll, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { contactForm, provision, team, website, websiteId } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { comeBack, holdBack, LOOKS, panelTest, picture, pressTwice } from '../../support/panel-pages.js';
import { createVisitor } from '../../support/visitor.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest({ env: { CAPTCHA_DEFAULT: 'off' } });
const [OWNER, MEMBER] = ['owner@acme.test', 'member@acme.test'];
const HOST = 'www.acme.test';
const SPAM =
  'We noticed your website is not on the first page of Google. We offer backlinks and guest posts, see';

const db = () => app().services.db.orm;

beforeAll(async () => {
  const fields = [
    { name: 'name', type: 'text', label: 'Nom' },
    { name: 'email', type: 'email', label: 'E-mail', is_required: true },
    { name: 'message', type: 'textarea', label: 'Message' },
  ];
  await provision(app().services, [
    team('acme', {
      forms: [contactForm({ fields, translations: {} })],
      websites: [website(HOST, { forms: [{ slug: 'contact' }] })],
    }),
  ]);
});

/** Submits a message as a visitor does, and returns its id. */
async function submit(name: string, message: string, email = `${slugOf(name)}@seo.test`): Promise<string> {
  const { services, url } = app();
  const visitor = createVisitor({
    url,
    websiteId: await websiteId(services, HOST),
    origin: `https://${HOST}`,
  });
  const answer = await visitor.submit({ body: { name, email, message }, headers: await visitor.sign() });
  return String(answer.body.lead_id);
}

const slugOf = (name: string): string => name.toLowerCase().replace(/\W/g, '-');

/** Submits spam, and returns its id once its e-mail is withheld. */
async function withheld(name: string, email?: string): Promise<string> {
  const id = await submit(name, `${SPAM} https://${slugOf(name)}.example`, email);
  await eventually(async () => (await notification(id)).state === 'withheld');
  return id;
}

const notification = (submissionId: string) =>
  db().notification.findUniqueOrThrow({ where: { submissionId } });

const mailed = (id: string) => eventually(async () => (await notification(id)).state === 'sent');

const row = (page: Page, name: RegExp) =>
  page.getByRole('grid', { name: 'Leads' }).getByRole('row', { name });

const formId = async () => (await db().form.findFirstOrThrow({ where: { slug: 'contact' } })).id;

const teamId = async () => (await db().team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;

test('the folder says in words why a lead is spam, and a key releases its e-mail', async () => {
  const id = await withheld('Rank Riser');
  const { page, expectAccessible } = await open(`/inbox/${id}?folder=spam`, { as: OWNER });
  const reasons = page.getByRole('list', { name: 'Reasons' });
  await reasons.getByText(/It offers something instead of asking for something/).waitFor();
  await page.getByText('Spam filter: New → Spam').waitFor();
  await expectAccessible();
  await page.getByRole('heading', { name: 'Rank Riser' }).click();
  await page.keyboard.press('u');
  await mailed(id);
  expect((await db().submission.findUniqueOrThrow({ where: { id } })).state).toBe('new');
  await app().sink.waitFor(({ raw }) => raw.includes(id));
});

test('what is no spam is released in bulk', async () => {
  const ids = [await withheld('Bulk One'), await withheld('Bulk Two')];
  const { page } = await open('/inbox?folder=spam', { as: OWNER });
  for (const name of [/Bulk One/, /Bulk Two/]) await row(page, name).getByRole('checkbox').check();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Not spam' }).click();
  await row(page, /Bulk One/).waitFor({ state: 'detached' });
  for (const id of ids) {
    await mailed(id);
    await app().sink.waitFor(({ raw }) => raw.includes(id));
  }
});

test('the folder tells the heaviest reason of each lead in its row, and no other folder asks for it', async () => {
  await withheld('Reason Shown');
  const { page, expectAccessible } = await open('/inbox?folder=spam', { as: OWNER });
  await row(page, /Reason Shown/)
    .getByText('It offers something instead of asking for something.')
    .waitFor();
  await expectAccessible();
  await page.goto(`${app().url}/panel/inbox?folder=all`);
  await row(page, /Reason Shown/).waitFor();
  expect(await page.getByText('It offers something instead of asking for something.').count()).toBe(0);
});

test('a lead below the threshold does not look like spam; one marked by hand says by whom', async () => {
  const photos = [1, 2, 3].map((number) => `https://boiler.example/x${number}`).join(' ');
  const id = await submit(
    'Three Links',
    `Bonjour, notre chaudière murale de 2009 ne démarre plus depuis dimanche soir et les enfants ont froid. Les photos : ${photos}`,
  );
  await mailed(id);
  const { page } = await open(`/inbox/${id}?folder=new`, { as: OWNER });
  await page.getByRole('heading', { name: 'Checked by the spam filter' }).waitFor();
  await page.getByText('It contains links to other websites: 3. (60 points)').waitFor();
  expect(await page.getByRole('heading', { name: 'Looks like spam' }).count()).toBe(0);

  const unjudged = await submit('Not Judged', 'Bonjour, pouvez-vous passer demain ?');
  await mailed(unjudged);
  for (const marked of [id, unjudged]) {
    await page.goto(`${app().url}/panel/inbox/${marked}?folder=all`);
    await page.getByRole('heading', { name: /Three Links|Not Judged/ }).click();
    await page.keyboard.press('!');
    await page.getByRole('heading', { name: 'Marked as spam' }).waitFor();
    await page.getByText('owner@acme.test marked this as spam.').waitFor();
  }
});

test('a lead blocks its sender or the domain, or has its sender never judged again', async () => {
  await db().team.updateMany({ data: { spamFilter: 'mark' } });
  const marked = await submit('Block Me', `${SPAM} https://block-me.example`, 'me@block.test');
  await mailed(marked);
  await db().team.updateMany({ data: { spamFilter: 'quarantine' } });
  const leads = {
    'Block this sender': {
      id: marked,
      kind: 'blocked_sender' as const,
      value: 'me@block.test',
      state: 'spam',
    },
    'Block this domain': {
      id: await withheld('Domain', 'a@domain.test'),
      kind: 'blocked_domain' as const,
      value: 'domain.test',
      state: 'spam',
    },
    'Never judge this sender': {
      id: await withheld('Partner', 'b@partner.test'),
      kind: 'trusted_sender' as const,
      value: 'b@partner.test',
      state: 'new',
    },
  };
  const { page } = await open('/inbox', { as: OWNER });
  for (const [name, { id, kind, value, state }] of Object.entries(leads)) {
    await page.goto(`${app().url}/panel/inbox/${id}?folder=all`);
    await page.getByRole('button', { name }).click();
    await eventually(async () => (await db().spamRule.count({ where: { kind, value } })) === 1);
    await eventually(
      async () => (await db().submission.findUniqueOrThrow({ where: { id } })).state === state,
    );
  }
  await mailed(leads['Never judge this sender'].id);
  expect((await notification(leads['Block this domain'].id)).state).toBe('withheld');
  await db().spamRule.deleteMany();
});

test('a public mail provider is not offered to be blocked, and the settings say why it is refused', async () => {
  const id = await withheld('Free Mailer', 'rank.riser@gmail.com');
  const { page } = await open(`/inbox/${id}?folder=spam`, { as: OWNER });
  await page.getByRole('button', { name: 'Block this sender' }).waitFor();
  expect(await page.getByRole('button', { name: 'Block this domain' }).count()).toBe(0);
  for (const [locale, [rule, kind, value, add, sentence]] of Object.entries({
    'en-GB': ['Rule', 'Blocked domain', 'Address, domain or words', 'Add rule', /public mail provider/],
    'fr-FR': ['Règle', 'Domaine bloqué', 'Adresse, domaine ou mots', 'Ajouter la règle', /e-mail public/],
  } as const)) {
    const settings = await open(`/teams/${await teamId()}?tab=spam`, { as: OWNER, locale });
    await settings.page.getByRole('button', { name: new RegExp(rule) }).click();
    await settings.page.getByRole('option', { name: kind }).click();
    await settings.page.getByRole('textbox', { name: value }).fill('gmail.com');
    await settings.page.getByRole('button', { name: add }).click();
    await settings.page.getByText(sentence).waitFor();
    await settings.expectAccessible();
  }
  expect(await db().spamRule.count()).toBe(0);
});

test('every rule of a team can be reached and removed, the latest first', async () => {
  const id = await teamId();
  for (let n = 1; n <= 120; n += 1) {
    await db().spamRule.create({ data: { teamId: id, kind: 'blocked_word', value: `word ${n}.` } });
  }
  const { page } = await open(`/teams/${id}?tab=spam`, { as: OWNER });
  const rules = page.getByRole('list', { name: 'Senders and words' }).getByRole('listitem');
  await rules.first().getByText('word 120.').waitFor();
  expect(await rules.count()).toBe(100);
  const fail = (route: Route) =>
    route.fulfill({ json: { errors: [{ message: 'no', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] } });
  await page.route('**/graphql', fail);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('alert').filter({ hasText: 'INTERNAL_SERVER_ERROR' }).waitFor();
  await page.unroute('**/graphql', fail);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Remove word 1.', exact: true }).click();
  await eventually(async () => (await rules.count()) === 119);
  expect(await db().spamRule.count({ where: { value: 'word 1.' } })).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(async () => (await db().spamRule.count({ where: { value: 'word 1.' } })) === 1);
  await db().spamRule.deleteMany();
});

test('a rule that is removed by two presses is told to be removed once', async () => {
  const id = await teamId();
  for (const value of ['one.', 'two.']) {
    await db().spamRule.create({ data: { teamId: id, kind: 'blocked_word', value } });
  }
  const { page } = await open(`/teams/${id}?tab=spam`, { as: OWNER });
  await pressTwice(page.getByRole('button', { name: 'Remove one.' }));
  await page.getByRole('button', { name: 'Remove one.' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(1);
  await db().spamRule.deleteMany();
});

test('a rule that a colleague has removed meanwhile goes from the list, with a word', async () => {
  const id = await teamId();
  await db().spamRule.create({ data: { teamId: id, kind: 'blocked_word', value: 'gone.' } });
  const { page } = await open(`/teams/${id}?tab=spam`, { as: OWNER, expected: /404/ });
  const remove = page.getByRole('button', { name: 'Remove gone.' });
  await remove.waitFor();
  await db().spamRule.deleteMany();
  await remove.click();
  await page.getByText('This does not exist, or it is not yours to see.').waitFor();
  await remove.waitFor({ state: 'detached' });
});

test('settings that are not saved are asked for, and what is typed while they are saved stays', async () => {
  const { page } = await open(`/teams/${await teamId()}?tab=spam`, { as: OWNER });
  const threshold = page.getByRole('textbox', { name: 'Spam from so many points on' });
  await threshold.fill('120');
  await page.getByRole('link', { name: 'Inbox' }).click();
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  await asked.getByRole('button', { name: 'Stay' }).click();
  expect(await threshold.inputValue()).toBe('120');
  const letGo = await holdBack(page, 'updateSpamSettings');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await threshold.fill('130');
  letGo();
  await eventually(async () => (await db().team.findFirstOrThrow()).spamThreshold === 120);
  await page.getByText('Spam settings saved.').first().waitFor();
  expect(await threshold.inputValue()).toBe('130');
  await threshold.fill('100');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(async () => (await db().team.findFirstOrThrow()).spamThreshold === 100);
});

test('settings that a colleague changes show while nothing is typed, and leave what is typed', async () => {
  const path = `/teams/${await teamId()}?tab=spam`;
  const { page } = await open(path, { as: OWNER });
  const threshold = page.getByRole('textbox', { name: 'Spam from so many points on' });
  await threshold.waitFor();
  await db().team.updateMany({ data: { spamThreshold: 140 } });
  await comeBack(page, 'spamSettings');
  await eventually(async () => (await threshold.inputValue()) === '140');
  const { page: typing } = await open(path, { as: OWNER });
  const typed = typing.getByRole('textbox', { name: 'Spam from so many points on' });
  await typed.fill('160');
  await db().team.updateMany({ data: { spamThreshold: 150, spamKeptDays: 40 } });
  await comeBack(typing, 'spamSettings');
  await typing.getByRole('button', { name: 'Save', exact: true }).click();
  await typing.getByText('Spam settings saved.').first().waitFor();
  expect(await typed.inputValue()).toBe('160');
  expect(await db().team.findFirstOrThrow()).toMatchObject({ spamThreshold: 160, spamKeptDays: 40 });
  await db().team.updateMany({ data: { spamThreshold: 100, spamKeptDays: 30 } });
});

test('a rule that is typed while another is added stays', async () => {
  const { page } = await open(`/teams/${await teamId()}?tab=spam`, { as: OWNER });
  const value = page.getByRole('textbox', { name: 'Address, domain or words' });
  await value.fill('first@rule.test');
  const letGo = await holdBack(page, 'addTeamSpamRule');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await value.fill('second@rule.test');
  letGo();
  await page.getByRole('button', { name: 'Remove first@rule.test' }).waitFor();
  expect(await value.inputValue()).toBe('second@rule.test');
  await db().spamRule.deleteMany();
});

test('a member reads how spam is handled', async () => {
  const path = `/teams/${await teamId()}?tab=spam`;
  const { page, expectAccessible } = await open(path, { as: MEMBER });
  for (const text of ['Goes to the spam folder, without an e-mail', '100', '30 days']) {
    await page.getByRole('definition').filter({ hasText: text }).waitFor();
  }
  await expectAccessible();
  await db().team.updateMany({ data: { spamKeptDays: null } });
  await page.reload();
  await page.getByRole('definition').filter({ hasText: 'Never' }).waitFor();
  await db().team.updateMany({ data: { spamKeptDays: 30 } });
});

test("a form's page gives it a spam filter of its own, which a member reads", async () => {
  const path = `/forms/${await formId()}?tab=websites`;
  const { page, expectSafe, expectAccessible } = await open(path, { as: OWNER });
  const choose = async (option: string) => {
    await page.getByRole('button', { name: /What looks like spam/ }).click();
    await page.getByRole('option', { name: option }).click();
    await page.getByText('Spam filter saved.').first().waitFor();
  };
  const stored = async () => (await db().form.findFirstOrThrow({ where: { slug: 'contact' } })).spamFilter;
  await choose('Is not looked for');
  await eventually(async () => (await stored()) === 'off');
  await expectAccessible();
  const member = await open(path, { as: MEMBER });
  await member.page.getByText('What looks like spam: Is not looked for').waitFor();
  await choose('As the team has set it');
  await eventually(async () => (await stored()) === null);
  await expectSafe();
});

test("the team's tab says how far the classifier is trained, and what a threshold would have done", async () => {
  await withheld('Threshold Tester');
  const { page, expectAccessible } = await open(`/teams/${await teamId()}?tab=spam`, { as: OWNER });
  const training = /The classifier has a say from 50 of each on/;
  const threshold = page.getByRole('textbox', { name: /Spam from so many points on/ });
  await threshold.fill('50');
  await page.getByText(/in the last thirty days, \d+ would have been spam/).waitFor();
  // It is of the whole installation, which is the agency's to know.
  expect(await page.getByText(training).count()).toBe(0);
  const staff = 'staff@agency.test';
  await createAccount(app().services, { email: staff, staff: true });
  const asStaff = await open(`/teams/${await teamId()}?tab=spam`, { as: staff });
  await asStaff.page.getByText(training).waitFor();
  await threshold.fill('110');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(
    async () => (await db().team.findFirstOrThrow({ where: { slug: 'acme' } })).spamThreshold === 110,
  );
  await expectAccessible();
  await db().team.updateMany({ data: { spamThreshold: 100 } });
});

const IN_LANGUAGES = ['en-GB', 'fr-FR'].flatMap((locale) => LOOKS.map((look) => ({ locale, ...look })));

test.each(IN_LANGUAGES)('spam can be read: $locale, $colorScheme, $viewport.width px', async (look) => {
  const { locale, colorScheme, viewport } = look;
  const id = await withheld(`Looks ${locale} ${colorScheme} ${viewport.width}`);
  const pages: Record<string, string> = {
    lead: `/inbox/${id}?folder=spam`,
    folder: '/inbox?folder=spam',
    team: `/teams/${await teamId()}?tab=spam`,
    form: `/forms/${await formId()}?tab=websites`,
  };
  for (const [name, path] of Object.entries(pages)) {
    const opened = await open(path, { as: OWNER, ...look });
    const { page } = opened;
    await page
      .getByText(/spam|indésirable/i)
      .locator('visible=true')
      .first()
      .waitFor();
    await page.waitForLoadState('networkidle');
    await opened.expectFits();
    await opened.expectAccessible();
    await picture(opened, `spam-${name}-${locale}-${colorScheme}-${viewport.width}`);
  }
});
