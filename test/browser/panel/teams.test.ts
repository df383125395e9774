import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createToken, provision, team, websiteId } from '../../support/factories.js';
import { countAllDays, recordedLeads } from '../../support/leads.js';
import { createAccount, loggedIn } from '../../support/panel.js';
import {
  breakDown,
  comeBack,
  hasFocus,
  holdBack,
  LOOKS,
  MAX_WEIGHT,
  panelTest,
  picture,
  pressTwice,
} from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();
const STAFF = { as: 'staff@agency.test' };
const OWNER = { as: 'owner@acme.test' };
const ADMIN = { as: 'admin@acme.test' };
const MEMBER = { as: 'member@acme.test' };

beforeAll(async () => {
  await provision(app().services, [team('acme'), team('globex')]);
  await createAccount(app().services, { email: STAFF.as, staff: true });
});

const orm = () => app().services.db.orm;
const acme = () => orm().team.findUniqueOrThrow({ where: { slug: 'acme' } });
const pathOf = async (tab = '') => `/teams/${(await acme()).id}${tab && `?tab=${tab}`}`;
const emailTo = (address: string) =>
  orm().oneTimeLink.findFirst({ where: { email: address, purpose: 'invitation' } });

/** Leaves a page on which something is typed, and stays when asked. */
async function stayOn(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Forms' }).click();
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
  await asked.getByRole('button', { name: 'Stay' }).click();
  await asked.waitFor({ state: 'detached' });
}

test('staff find a team by its state and plan, and create one', async () => {
  const { page, expectAccessible, expectSafe } = await open('/teams', STAFF);
  await page.getByRole('row', { name: /acme/ }).waitFor();
  await page.getByRole('searchbox', { name: 'Search teams' }).fill('glob');
  await page.waitForURL(/q=glob/);
  await page.getByRole('row', { name: /acme/ }).waitFor({ state: 'detached' });
  await page.goto(`${app().url}/panel/teams?show=suspended`);
  await page.getByText('No team fits.').waitFor();
  await expectAccessible();
  await page.goto(`${app().url}/panel/teams/new`);
  await page.getByRole('textbox', { name: 'Name of the team' }).fill('Hôtel du Port');
  expect(await page.getByRole('textbox', { name: 'Short name' }).inputValue()).toBe('hotel-du-port');
  await expectAccessible();
  await stayOn(page);
  await page.getByRole('button', { name: 'Create team' }).click();
  await page.getByRole('heading', { name: 'Hôtel du Port' }).waitFor();
  await page.getByText('The team has no member yet.').waitFor();
  expect(await orm().team.count({ where: { slug: 'hotel-du-port' } })).toBe(1);
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Owner.*Role|Role.*Owner/ })
    .waitFor();
  await page.getByRole('dialog').getByRole('textbox', { name: 'E-mail' }).fill('port@acme.test');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Paul Port');
  await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
  await page.getByText('Its owner has been invited.').waitFor();
  await expectSafe();
});

test('staff rename, suspend and resume a team, and are told first what a suspension does', async () => {
  const { id } = await orm().team.findUniqueOrThrow({ where: { slug: 'globex' } });
  const { page, expectAccessible } = await open(`/teams/${id}`, STAFF);
  await page.getByRole('link', { name: 'Websites' }).click();
  await page.getByRole('row', { name: /www\.globex\.test/ }).waitFor();
  await page.goBack();
  await page.getByRole('textbox', { name: 'Name of the team' }).fill('Globex & Co');
  await stayOn(page);
  const save = page.getByRole('button', { name: 'Save' });
  await save.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Globex & Co' }).waitFor();
  expect(await hasFocus(save)).toBe(true);
  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog', { name: 'Suspend Globex & Co' });
  await dialog.getByText(/Visitors of its .* are refused at once/).waitFor();
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Globex & Co is suspended.').waitFor();
  await page.getByRole('link', { name: 'Websites' }).click();
  await page.getByRole('row', { name: /www\.globex\.test.*Suspended/ }).waitFor();
  await page.goBack();
  expect((await orm().team.findUniqueOrThrow({ where: { id } })).active).toBe(false);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
  await page.getByText('Globex & Co is active again.').waitFor();
  expect((await orm().team.findUniqueOrThrow({ where: { id } })).active).toBe(true);
});

test('an admin invites a member, sends the invitation again and takes it back', async () => {
  const { page, expectAccessible, expectSafe } = await open(await pathOf(), ADMIN);
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite' });
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('new@acme.test');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('New');
  await dialog.getByRole('button', { name: /Role/ }).click();
  // An admin appoints no owner, so none is offered.
  await page.getByRole('option').first().waitFor();
  expect(await page.getByRole('option').allInnerTexts()).toEqual(['Admin', 'Member']);
  await page.getByRole('option', { name: 'Admin' }).click();
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await page.getByText('An invitation goes to new@acme.test.').waitFor();
  expect(await emailTo('new@acme.test')).toMatchObject({ role: 'admin', name: 'New' });
  await Promise.all([
    page.waitForResponse(
      (response) => response.request().postData()?.includes('mutation inviteMember(') ?? false,
    ),
    page.getByRole('button', { name: 'Send the invitation of new@acme.test again' }).click(),
  ]);
  await page.getByRole('button', { name: 'Revoke the invitation of new@acme.test' }).click();
  await page.getByText('No invitation waits for an answer.').waitFor();
  expect(await emailTo('new@acme.test')).toBeNull();
  await expectSafe();
});

test('a suspension that was asked for is not asked back while the team is read again', async () => {
  const { planId } = await acme();
  const { id } = await orm().team.create({ data: { slug: 'initech', name: 'Initech', planId } });
  const { page } = await open(`/teams/${id}`, STAFF);
  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/are refused at once/).waitFor();
  const asked: string[] = [];
  await page.exposeFunction('told', (text: string) => asked.push(text));
  await page.evaluate(`new MutationObserver(() => {
    const dialog = document.querySelector('[role=dialog]');
    if (dialog) told(dialog.innerText);
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Initech is suspended.').waitFor();
  await dialog.waitFor({ state: 'detached' });
  expect(asked.filter((text) => text.includes('Resume'))).toEqual([]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await dialog.getByText('At once its websites take leads again, and new tokens can be created.').waitFor();
});

test('each invitation is sent again and taken back by itself, and what fails of one is told', async () => {
  const { page } = await open(await pathOf(), { ...ADMIN, expected: /404|409/ });
  const owner = await loggedIn(app().url, app().services, OWNER.as);
  const invited = async (email: string): Promise<string> =>
    (
      await owner.ask(
        `mutation ($id: ID!, $email: String!) {
           inviteMember(teamId: $id, input: { email: $email, name: "New", role: member }) { id } }`,
        { id: (await acme()).id, email },
      )
    ).inviteMember.id;
  const [, second] = [await invited('first@new.test'), await invited('second@new.test')];
  await page.reload();
  const again = (email: string) =>
    page.getByRole('button', { name: `Send the invitation of ${email} again` });
  const revoke = (email: string) => page.getByRole('button', { name: `Revoke the invitation of ${email}` });
  await again('first@new.test').waitFor();
  const letGo = await holdBack(page, 'inviteMember');
  await again('first@new.test').click();
  await eventually(async () => (await again('first@new.test').getAttribute('aria-disabled')) === 'true');
  expect(await again('second@new.test').getAttribute('aria-disabled')).toBeNull();
  // Another manager takes the second one back meanwhile.
  await owner.ask('mutation ($id: ID!) { revokeInvitation(id: $id) }', { id: second });
  await revoke('second@new.test').click();
  await page.getByText('This does not exist, or it is not yours to see.').waitFor();
  await again('second@new.test').waitFor({ state: 'detached' });
  await page.getByText('This does not exist, or it is not yours to see.').waitFor();
  letGo();
  await page.getByText('An invitation goes to first@new.test.').waitFor();
  await revoke('first@new.test').click();
  await page.getByText('No invitation waits for an answer.').waitFor();
});

test('an owner hands the team over, and is an admin from then on', async () => {
  const { page, expectAccessible } = await open(await pathOf(), OWNER);
  await page.getByText('Owner (the only one)').waitFor();
  const admin = await orm().user.findUniqueOrThrow({ where: { email: ADMIN.as } });
  await page.getByRole('button', { name: `Hand the team over to ${admin.name}` }).click();
  const dialog = page.getByRole('dialog', { name: `Hand acme over to ${admin.name}` });
  await dialog.getByText(/becomes an owner of the team/).waitFor();
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Hand the team over', exact: true }).click();
  await page.getByText(`${admin.name} now owns acme.`).waitFor();
  const { id: teamId } = await acme();
  const roles = await orm().membership.findMany({ where: { teamId }, include: { user: true } });
  const roleOf = (email: string) => roles.find(({ user }) => user.email === email)?.role;
  expect([roleOf(OWNER.as), roleOf(ADMIN.as)]).toEqual(['admin', 'owner']);
  const handOver = page.getByRole('button', { name: /^Hand the team over/ });
  await eventually(async () => (await handOver.count()) === 0);
  // Back as it was, for the other tests.
  await orm()
    .$executeRaw`UPDATE memberships SET role = (CASE role WHEN 'owner' THEN 'admin' ELSE 'owner' END)::role
    WHERE team_id = ${teamId} AND role <> 'member'`;
});

test('an owner beside another hands the team over, and the page goes on with those who own it now', async () => {
  const { id: teamId } = await acme();
  const userId = await createAccount(app().services, { email: 'second@acme.test' });
  await orm().membership.create({ data: { teamId, userId, role: 'owner' } });
  const { page, expectSafe } = await open(await pathOf(), OWNER);
  const admin = await orm().user.findUniqueOrThrow({ where: { email: ADMIN.as } });
  await page.getByRole('button', { name: `Hand the team over to ${admin.name}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /Owner who becomes an admin/ }).waitFor();
  await picture({ page }, 'team-hand-over');
  await dialog.getByRole('button', { name: 'Hand the team over', exact: true }).click();
  await page.getByText(`${admin.name} now owns acme.`).waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /second@acme\.test .*Owner/ }).waitFor();
  await page.getByRole('row', { name: /owner@acme\.test .*Admin/ }).waitFor();
  await expectSafe();
  // Back as it was, for the other tests.
  await orm().membership.deleteMany({ where: { userId } });
  await orm()
    .$executeRaw`UPDATE memberships SET role = (CASE role WHEN 'owner' THEN 'admin' ELSE 'owner' END)::role
    WHERE team_id = ${teamId} AND role <> 'member'`;
});

test('a member reads who belongs to the team and may leave it, and sees no tab of its managers', async () => {
  const { page } = await open(await pathOf('tokens'), MEMBER);
  await page.getByRole('table').waitFor();
  expect(await page.getByRole('tab').allInnerTexts()).toEqual([
    'Members',
    'Plan and usage',
    'Privacy',
    'Spam',
  ]);
  const main = page.getByRole('main');
  expect(await main.getByRole('button').allInnerTexts()).toEqual(['Leave the team']);
});

test('a member who leaves the last team is not told of a lost one, and the start page does not say that all is well', async () => {
  const as = 'leaver@acme.test';
  const { id: teamId } = await acme();
  const userId = await createAccount(app().services, { email: as });
  await orm().membership.create({ data: { teamId, userId, role: 'member' } });
  const { page, expectAccessible } = await open(`${await pathOf()}?team=${teamId}`, { as });
  await page.getByRole('button', { name: 'Leave the team' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave the team' }).click();
  await page.getByText('You have left acme.').waitFor();
  await page.getByText('You do not belong to a team.').waitFor();
  const admin = await loggedIn(app().url, app().services, ADMIN.as);
  await admin.ask(
    'mutation ($teamId: ID!, $input: InviteMemberInput!) { inviteMember(teamId: $teamId, input: $input) { id } }',
    { teamId, input: { email: as, name: 'Leaver', role: 'member' } },
  );
  await page.getByRole('link', { name: /^Attention/ }).click();
  await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
  await page.getByText('You do not belong to a team.').waitFor();
  const alerts = page.getByRole('alert').filter({ hasNotText: 'You have left acme.' });
  expect(await alerts.allInnerTexts()).toEqual([]);
  await picture({ page }, 'attention-no-team');
  expect(await page.getByText('All is well.').count()).toBe(0);
  await expectAccessible();
  await page.reload();
  await page.getByRole('link', { name: '1 invitation waits for your answer' }).click();
  await page.getByRole('heading', { name: 'Invitations' }).waitFor();
});

test('a token is shown once with a command that works, and revoked with all others', async () => {
  await createToken(app().services, 'acme', OWNER.as);
  const { page, expectAccessible, expectSafe } = await open(await pathOf('tokens'), OWNER);
  await page.getByRole('button', { name: 'Create token' }).click();
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByRole('textbox', { name: 'Name' }).fill('CRM');
  // A press beside a dialog loses nothing that is typed in it.
  await page.mouse.click(2, 2);
  await form.getByRole('checkbox', { name: 'Read the list of websites' }).check({ force: true });
  await expectAccessible();
  await form.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByRole('dialog', { name: 'The token is created' });
  const command = await shown.getByText(/^curl/).innerText();
  await expectAccessible();
  const [, url, value] = /'(.*?)'.*Bearer (.*?)'/s.exec(command)!;
  const { publicUrl } = app().services.config;
  expect(url).toBe(`${publicUrl}/api/websites`);
  const call = () =>
    fetch(url!.replace(publicUrl, app().url), {
      headers: { authorization: `Bearer ${value}`, accept: 'application/json' },
    });
  expect((await call()).status).toBe(200);
  await page.keyboard.press('Escape');
  await shown.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('row', { name: /CRM/ }).waitFor();
  expect(await page.getByText(value!.split('|')[1]!).count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke all tokens' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke all tokens' }).click();
  await page.getByText('There is no token yet.').waitFor();
  expect((await call()).status).toBe(401);
  await expectSafe();
});

test('a double click creates one token', async () => {
  const { page } = await open(await pathOf('tokens'), OWNER);
  await page.getByRole('button', { name: 'Create token' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Pressed twice');
  // The clicks are at least a millisecond apart.
  await page.evaluate('const now = Date.now; let ticks = 0; Date.now = () => now() + ticks++');
  await pressTwice(dialog.getByRole('button', { name: 'Create token' }));
  await page
    .getByText(/\d+\|\w+/)
    .first()
    .waitFor();
  expect(await orm().token.count({ where: { name: 'Pressed twice' } })).toBe(1);
});

test('a member or token that a colleague has removed meanwhile leaves the list, with a word', async () => {
  const { id: teamId } = await acme();
  const userId = await createAccount(app().services, { email: 'removed@acme.test' });
  await orm().membership.create({ data: { teamId, userId, role: 'member' } });
  const token = await createToken(app().services, 'acme', ADMIN.as);
  const { page } = await open(await pathOf(), { ...OWNER, expected: /404/ });
  const told = page.getByRole('dialog').getByText('This does not exist, or it is not yours to see.');
  const row = page.getByRole('row', { name: /removed@acme\.test/ });
  await row.getByRole('button', { name: 'Remove removed@acme.test' }).click();
  await orm().membership.deleteMany({ where: { userId } });
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await told.waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await row.waitFor({ state: 'detached' });

  await page.goto(`${app().url}/panel${await pathOf('tokens')}`);
  const revoke = page
    .getByRole('row', { name: /admin@acme\.test/ })
    .getByRole('button')
    .first();
  await revoke.click();
  await orm().token.update({ where: { id: Number(token.split('|')[0]) }, data: { revokedAt: new Date() } });
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await told.waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await revoke.waitFor({ state: 'detached' });
});

test('the command of a token as it is offered works as it is shown', async () => {
  const { page } = await open(await pathOf('tokens'), OWNER);
  await page.getByRole('button', { name: 'Create token' }).click();
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Forms');
  await form.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByRole('dialog', { name: 'The token is created' });
  const command = await shown.getByText(/^curl/).innerText();
  const { publicUrl } = app().services.config;
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace(publicUrl, app().url)]);
  const { data } = JSON.parse(stdout);
  expect(data).toContainEqual(expect.objectContaining({ name: 'Forms', abilities: ['team:submit'] }));
});

test('staff who do not belong to the team are offered no token of their own', async () => {
  const { page } = await open(await pathOf('tokens'), STAFF);
  await page.getByText(/A token works while its bearer is an owner or admin/).waitFor();
  expect(await page.getByRole('button', { name: 'Create token' }).count()).toBe(0);
});

test('staff edit a plan, and give it to a team', async () => {
  const { page, expectAccessible, expectSafe } = await open('/plans', STAFF);
  await page.getByRole('button', { name: 'Create plan' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create plan' });
  await eventually(() => hasFocus(dialog.getByRole('textbox', { name: 'Name of the plan' })));
  await dialog.getByRole('textbox', { name: 'Name of the plan' }).fill('Large');
  await dialog.getByRole('textbox', { name: 'E-mails a month' }).fill('many');
  await dialog.getByRole('button', { name: 'Create plan' }).click();
  await dialog.getByText('A whole number from 0 on.').waitFor();
  await expectAccessible();
  await dialog.getByRole('textbox', { name: 'E-mails a month' }).fill('');
  await dialog.getByRole('button', { name: 'Create plan' }).click();
  await page.getByRole('row', { name: /Large.*Without a limit/ }).waitFor();
  await page.goto(`${app().url}/panel${await pathOf('usage')}`);
  await page.getByRole('button', { name: 'Change plan' }).click();
  await page.getByRole('dialog').getByRole('button', { name: /Plan$/ }).click();
  await page.getByRole('option', { name: 'Large: e-mails without a limit' }).click();
  await page.getByRole('dialog').getByText('E-mails a month: Without a limit').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Change plan' }).click();
  await page.getByRole('definition').filter({ hasText: 'Large' }).waitFor();
  const { planId } = await acme();
  expect(await orm().plan.findUniqueOrThrow({ where: { id: planId } })).toMatchObject({
    code: 'large',
    notificationsPerMonth: null,
  });
  await expectSafe();
});

test('what a colleague changes of a plan while it is edited stays', async () => {
  const { id } = await orm().plan.create({
    data: { code: 'shared', name: 'Shared', submissionsPerMinute: 5, submissionsPerHour: 1000 },
  });
  const { page } = await open('/plans', STAFF);
  await page.getByRole('button', { name: 'Edit Shared' }).click();
  await page.getByRole('textbox', { name: 'Name of the plan' }).fill('Shared by all');
  await orm().plan.update({ where: { id }, data: { submissionsPerHour: 2000 } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect(await orm().plan.findUniqueOrThrow({ where: { id } })).toMatchObject({
    name: 'Shared by all',
    submissionsPerMinute: 5,
    submissionsPerHour: 2000,
  });
});

test('the audit trail says in words who did what, and is narrowed in the address', async () => {
  const { page, expectAccessible } = await open(await pathOf('audit'), OWNER);
  await page.getByRole('row', { name: /Created a token.*CRM/ }).waitFor();
  await page.getByRole('button', { name: /What$/ }).click();
  await page.getByRole('option', { name: 'Members' }).click();
  await page.waitForURL(/action=member/);
  await page
    .getByRole('row', { name: /Created a token/ })
    .first()
    .waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /Invited.*new@acme.test/ })
    .first()
    .waitFor();
  await expectAccessible();
  await page.getByRole('button', { name: /What$/ }).click();
  await page.getByRole('option', { name: 'Legal holds' }).click();
  await page.getByText('Nothing was recorded here.').waitFor();
  await page.getByRole('button', { name: /What$/ }).click();
  await page.getByRole('option', { name: 'Everything' }).click();
  // Staff are no members, and have acted.
  await page.getByRole('button', { name: /Who$/ }).click();
  await page.getByRole('option', { name: STAFF.as }).click();
  await page.getByRole('row', { name: /staff@agency.test.*Changed the team.*plan: .* → Large/ }).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const lines = readFileSync(await (await download).path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines.slice(1)) expect(line).toContain(STAFF.as);
  expect(lines.join('\n')).toMatch(/plan: .* → Large/);
});

test('months before show what the quota held back, with the way to those leads', async () => {
  const { services } = app();
  const site = await websiteId(services, 'www.acme.test');
  const now = new Date();
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0, 12));
  const [held] = await recordedLeads(services, site, 1, last);
  await eventually(async () => (await orm().notification.count({ where: { state: 'pending' } })) === 0);
  await orm().notification.update({
    where: { submissionId: held! },
    data: { state: 'skipped_quota', quotaClaimedAt: null },
  });
  await countAllDays(services);
  const { page, expectFits, expectAccessible } = await open(await pathOf('usage'), {
    ...OWNER,
    // Where the next month has begun.
    timezoneId: 'Pacific/Auckland',
  });
  const month = page.getByRole('region', { name: 'Months before' }).getByRole('row').nth(1);
  await month.getByRole('link', { name: '1' }).waitFor();
  expect(await month.getByRole('cell').first().innerText()).toBe('1');
  await expectAccessible();
  await expectFits();
  await month.getByRole('link', { name: '1' }).click();
  await page.waitForURL(/folder=held/);
  await page.getByRole('grid', { name: 'Leads' }).getByRole('rowgroup').getByRole('row').waitFor();
  const name = last.toLocaleString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
  await page.getByRole('button', { name: `Period: ${name}` }).waitFor();
});

test('the focus stays at the end of a list that is read to its end, and a failed refresh is told', async () => {
  await orm().auditEvent.createMany({
    data: Array.from({ length: 60 }, () => ({
      channel: 'panel' as const,
      action: 'token.created',
      subjectType: 'token',
      subjectId: '1',
    })),
  });
  const { page, expectAccessible } = await open('/audit?action=token.created', STAFF);
  const more = page.getByRole('button', { name: 'Show earlier ones' });
  await more.focus();
  await page.keyboard.press('Enter');
  await eventually(() => hasFocus(page.getByText('This is the end of the list.')));
  await expectAccessible();
  const rows = page.getByRole('row');
  expect(await rows.count()).toBeGreaterThan(60);
  const mend = await breakDown(page, 'auditTrail');
  await comeBack(page, 'auditTrail');
  const failed = page.getByRole('status').filter({ hasText: 'This could not be read again' });
  await failed.waitFor();
  expect(await rows.count()).toBeGreaterThan(60);
  await expectAccessible();
  await mend();
  await failed.getByRole('button', { name: 'Try again' }).click();
  await failed.waitFor({ state: 'detached' });
});

test('tabs are reached and selected by keyboard', async () => {
  const { page } = await open(await pathOf(), OWNER);
  await page.getByRole('tab', { name: 'Members' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForURL(/tab=tokens/);
  await page.getByRole('heading', { name: 'Tokens' }).waitFor();
});

test.each(LOOKS)('the pages of teams fit $viewport.width px in $colorScheme', async (look) => {
  const long = 'Établissements Desmoulins-Vandenbroucke & Fils, menuiserie générale du bâtiment';
  const { id } = await acme();
  await orm().team.update({ where: { id }, data: { name: long } });
  const paths = ['/teams', '/plans', ...(await Promise.all(['', 'tokens', 'usage', 'audit'].map(pathOf)))];
  for (const [index, path] of paths.entries()) {
    const opened = await open(path, { ...STAFF, ...look, locale: 'fr-FR' });
    await opened.page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    await opened.page.waitForLoadState('networkidle');
    await opened.expectFits();
    await opened.expectAccessible();
    await picture(opened, `teams-fr-${index}-${look.viewport.width}-${look.colorScheme}`);
    expect(await opened.weight()).toBeLessThan(MAX_WEIGHT.page);
    await opened.page.close();
  }
  await orm().team.update({ where: { id }, data: { name: 'acme' } });
});
