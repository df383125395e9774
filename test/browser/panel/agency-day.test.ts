import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createAccount } from '../../support/panel.js';
import { panelTest, picture } from '../../support/panel-pages.js';
import { reachableEnv } from '../../support/probed.js';
import { eventually } from '../../support/wait.js';

const PASSWORD = 'correct horse battery';
const STAFF = 'sam@agency.test';
const TEAM = 'Hôtel du Port';
const { app, open } = panelTest({ env: await reachableEnv() });

const orm = () => app().services.db.orm;

/** Chooses an option of a list of the page, or of its dialog. */
async function choose(page: Page, label: RegExp, option: string): Promise<void> {
  await page.getByRole('button', { name: label }).last().click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

async function createPlans(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Teams', exact: true }).click();
  await page.getByRole('link', { name: 'Plans' }).click();
  for (const [name, emails] of [
    ['Small', '100'],
    ['Large', '5000'],
  ] as const) {
    await page.getByRole('button', { name: 'Create plan' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create plan' });
    await dialog.getByRole('textbox', { name: 'Name of the plan' }).fill(name);
    await dialog.getByRole('textbox', { name: 'E-mails a month' }).fill(emails);
    await dialog.getByRole('button', { name: 'Create plan' }).click();
    await page.getByRole('row', { name: new RegExp(`^${name} `) }).waitFor();
  }
}

/** Creates the team of the new client. @returns the address of its page. */
async function createTeam(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Teams', exact: true }).click();
  await page.getByRole('link', { name: 'New team' }).click();
  await page.getByRole('textbox', { name: 'Name of the team' }).fill(TEAM);
  await choose(page, /Plan$/, 'Small');
  await page.getByRole('button', { name: 'Create team' }).click();
  await page.getByRole('heading', { name: TEAM, level: 1 }).waitFor();
  await page.getByText('The team has no member yet. Invite its owner.').waitFor();
  return page.url();
}

/** Creates the website of the team that has none, and a form on it. */
async function createWebsiteWithForm(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Create a website for this team' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Hôtel du Port, site');
  await page.getByRole('textbox', { name: 'Address (https://…)' }).fill('https://www.hotelduport.test');
  await page.getByRole('textbox', { name: 'Contact e-mail' }).fill('bureau@hotelduport.test');
  await page.getByRole('button', { name: 'Create the website' }).click();
  await page.getByText('No form is on this website.').waitFor();

  await page.getByRole('link', { name: 'Create a form' }).click();
  await page.getByRole('textbox', { name: 'Name of the form' }).fill('Réservation');
  await page.getByRole('dialog').getByRole('button', { name: 'Create form' }).click();
  await page.getByRole('heading', { name: 'Réservation' }).waitFor();
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('menuitem', { name: 'E-mail address' }).click();
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Votre e-mail');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });

  await page.getByRole('tab', { name: 'Websites' }).click();
  await page.getByRole('button', { name: /Add to a website/ }).click();
  await page.getByRole('option', { name: 'Hôtel du Port, site' }).click();
  await page.getByRole('cell', { name: 'Hôtel du Port, site' }).waitFor();
}

async function invite(page: Page, email: string, name: string, role: string): Promise<void> {
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite' });
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill(email);
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  await choose(page, /Role$/, role);
  await dialog.getByRole('button', { name: 'Invite' }).click();
  await page.getByText(`An invitation goes to ${email}.`).waitFor();
}

/** Reads the invitation as the mail server has it, and accepts it in a browser of its own. */
async function accept(email: string) {
  const { mail } = await eventually(() =>
    app().sink.messages.find(({ recipients }) => recipients.includes(email)),
  );
  expect(mail.text).toContain(TEAM);
  const opened = await open(/\/panel(\/invitation\S+)/.exec(mail.text!)![1]!);
  const { page } = opened;
  await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
  return opened;
}

/** Creates a token, and runs the command that the panel shows with it. @returns what the command printed. */
async function useToken(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Teams', exact: true }).click();
  await page.getByRole('link', { name: TEAM }).click();
  await page.getByRole('tab', { name: 'Tokens' }).click();
  await page.getByRole('button', { name: 'Create token' }).click();
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Booking');
  await form.getByRole('checkbox', { name: 'Read the list of websites' }).check({ force: true });
  await form.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByRole('dialog', { name: 'The token is created' });
  const command = await shown.getByText(/^curl/).innerText();
  const { stdout } = await promisify(execFile)('sh', ['-c', command]);
  await shown.getByRole('button', { name: 'I have kept it' }).click();
  return stdout;
}

async function raisePlan(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Plan and usage' }).click();
  await page.getByRole('button', { name: 'Change plan' }).click();
  await choose(page, /Plan$/, 'Large: 5,000 e-mails a month');
  await page.getByRole('dialog').getByRole('button', { name: 'Change plan' }).click();
  await page.getByRole('definition').filter({ hasText: '5,000' }).waitFor();
}

/** Sees the panel as the client, where nothing can be changed, and goes back. */
async function seeAsClient(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'See as this client' }).click();
  await page.getByText(`You see what an owner of ${TEAM} sees. Nothing can be changed.`).waitFor();
  await page.getByRole('link', { name: 'Teams', exact: true }).click();
  await page.getByRole('link', { name: TEAM }).click();
  await page.getByRole('row', { name: /Olive Owner/ }).waitFor();
  for (const name of ['Invite', 'Remove Olive Owner', 'Create token'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await page.getByRole('tab', { name: 'Tokens' }).click();
  await page.getByRole('row', { name: /Booking/ }).waitFor();
  expect(await page.getByRole('button', { name: /Revoke/ }).count()).toBe(0);
  await page.getByRole('button', { name: 'Back to the agency' }).click();
  await page.getByRole('link', { name: 'Audit' }).waitFor();
}

/** What the trail says of the day, the first first. */
const DID = [
  /Created a plan/,
  /Created the team/,
  /Created a website/,
  /Created a form/,
  /Changed a form/,
  /Placed a form on a website/,
  /Invited somebody to the team.*olive@hotelduport\.test/,
  /Olive Owner.*Accepted an invitation/,
  /Olive Owner.*Created a token.*Booking/,
  /Olive Owner.*Invited somebody to the team.*mina@hotelduport\.test/,
  /Changed the team.*plan: Small → Large/,
  /Olive Owner.*Removed a member from the team/,
  /Began to see the panel as this team/,
  /Stopped seeing the panel as this team/,
];

test('a day of an agency: a new client, its owner, a token, a plan, a member who goes, and the trail of it all', async () => {
  await createAccount(app().services, { email: STAFF, password: PASSWORD, staff: true });
  const staff = await open('/', { as: STAFF });
  await createPlans(staff.page);
  const team = await createTeam(staff.page);
  await createWebsiteWithForm(staff.page);
  await staff.page.goto(team);
  await invite(staff.page, 'olive@hotelduport.test', 'Olive Owner', 'Owner');

  const owner = await accept('olive@hotelduport.test');
  const [website] = JSON.parse(await useToken(owner.page)).data;
  expect(website).toMatchObject({ name: 'Hôtel du Port, site' });
  await owner.page.getByRole('tab', { name: 'Members' }).click();
  await invite(owner.page, 'mina@hotelduport.test', 'Mina Member', 'Member');

  const member = await accept('mina@hotelduport.test');
  await member.page.getByRole('link', { name: 'Websites', exact: true }).click();
  await member.page.getByRole('link', { name: 'Hôtel du Port, site' }).waitFor();

  await raisePlan(staff.page);
  await owner.page.getByRole('tab', { name: 'Plan and usage' }).click();
  await owner.page.getByRole('definition').filter({ hasText: 'Large' }).waitFor();

  await owner.page.getByRole('tab', { name: 'Members' }).click();
  await owner.page.getByRole('button', { name: 'Remove Mina Member' }).click();
  await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await owner.page.getByText(`Mina Member no longer belongs to ${TEAM}.`).waitFor();

  await member.page.getByRole('link', { name: 'Forms', exact: true }).click();
  await member.page.getByRole('alert').getByText(`You no longer belong to ${TEAM}`).waitFor();
  await member.expectAccessible();
  await picture(member, 'agency-removed');
  await member.page.getByRole('link', { name: 'Websites', exact: true }).click();
  await member.page.getByText('No websites yet.').waitFor();
  expect(await member.page.getByRole('link', { name: 'Hôtel du Port, site' }).count()).toBe(0);

  await staff.page.goto(team);
  await seeAsClient(staff.page);
  await staff.page.getByRole('link', { name: 'Audit' }).click();
  const trail = staff.page.getByRole('region', { name: 'Audit trail' }).getByRole('row');
  await trail.filter({ hasText: 'Stopped seeing' }).waitFor();
  await picture(staff, 'agency-audit');
  const rows = (await trail.allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')).reverse();
  const at = DID.map((words) => rows.findIndex((row) => words.test(row)));
  expect(at).not.toContain(-1);
  expect(at).toEqual([...at].sort((a, b) => a - b));
  for (const one of [staff, owner, member]) await one.expectSafe();
  expect(await orm().auditEvent.count({ where: { action: 'team.view_began' } })).toBe(1);
}, 300_000);
