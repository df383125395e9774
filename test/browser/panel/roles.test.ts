import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { Rows } from '../../panel/matrix/row.js';
import { createToken, provision, TEST_ACTOR, team, website, websiteId } from '../../support/factories.js';
import { recordedLeads } from '../../support/leads.js';
import { createAccount, loggedIn } from '../../support/panel.js';
import { createForm, formInput } from '../../support/panel-forms.js';
import { panelTest } from '../../support/panel-pages.js';
import { eventually } from '../../support/wait.js';

const { app, open } = panelTest();

const ROLES = ['staff', 'owner', 'admin', 'member'] as const;
/** `view`: staff who see the panel as a client, who may do what an owner may, but change nothing. */
const VIEWERS = [...ROLES, 'view'] as const;
type Viewer = (typeof VIEWERS)[number];

const emailOf = (viewer: Viewer) =>
  viewer === 'staff' || viewer === 'view' ? 'staff@agency.test' : `${viewer}@acme.test`;

const matrix = Object.fromEntries(
  (
    await Promise.all(
      readdirSync(new URL('../../panel/matrix/', import.meta.url))
        .filter((name) => name !== 'row.ts')
        .map(async (name) => import(`../../panel/matrix/${name.replace(/ts$/, 'js')}`)),
    )
  ).flatMap(({ default: rows }: { default: Rows }) => Object.entries(rows)),
);

/** Whether the gateway answers a mutation to a viewer, by its matrix. */
function isAllowed(mutation: string, viewer: Viewer): boolean {
  const row = matrix[`Mutation.${mutation}`];
  if (!row) throw new Error(`The matrix has no ${mutation}.`);
  return viewer !== 'view' && row.allowed.includes(viewer);
}

/** A control of a page and the mutation that it leads to. */
type Control = Readonly<{
  role: 'button' | 'link' | 'textbox' | 'checkbox' | 'menuitem';
  name: string | RegExp;
  mutation: string;
}>;

const button = (name: Control['name'], mutation: string): Control => ({ role: 'button', name, mutation });
const item = (name: Control['name'], mutation: string): Control => ({ role: 'menuitem', name, mutation });

/** Controls that show when another is used: a menu that is opened, a box that is ticked. */
type Hidden = Readonly<{ by: Pick<Control, 'role' | 'name'>; controls: readonly Control[] }>;

/** `bare`: the website without leads; `edited`: a form in its second version. */
type Ids = Readonly<{
  team: number;
  website: string;
  bare: string;
  form: number;
  edited: string;
  lead: string;
}>;

/** A page of the panel, and the controls for changes that are to be on it for who may. */
type Place = Readonly<{
  path(ids: Ids): string;
  isForStaff?: boolean;
  controls: readonly Control[];
  hidden?: Hidden;
}>;

const at = (path: Place['path'], ...controls: Control[]): Place => ({ path, controls });
const forStaff = (path: string, ...controls: Control[]): Place => ({
  path: () => path,
  isForStaff: true,
  controls,
});

const PLACES: readonly Place[] = [
  at(() => '/', button(/: expected until…$/, 'setAside')),
  {
    path: ({ team: id }) => `/inbox?team=${id}&folder=all`,
    controls: [
      button('Save this view', 'saveView'),
      button(/^Change the view/, 'renameView'),
      button('Send them', 'sendHeld'),
    ],
    hidden: {
      by: { role: 'checkbox', name: 'Select the leads shown' },
      controls: [
        button('Done', 'setStateOfSelected'),
        button('Send again', 'sendSelectedAgain'),
        button('Delete', 'deleteSelected'),
      ],
    },
  },
  at(
    ({ lead }) => `/inbox/${lead}`,
    button('Done', 'setSubmissionState'),
    button('Forward', 'forwardSubmission'),
    button('Send again', 'sendAgain'),
    button('Put under legal hold', 'setLegalHold'),
    button('Erase this person', 'erasePerson'),
    { role: 'textbox', name: /^New note/, mutation: 'addSubmissionNote' },
  ),
  at(() => '/privacy?email=v@x.test', button('Erase this person', 'erasePerson')),
  at(
    () => '/websites',
    { role: 'link', name: 'New website', mutation: 'createWebsite' },
    { role: 'link', name: 'Import websites', mutation: 'importWebsites' },
    { role: 'checkbox', name: /^Select/, mutation: 'editWebsites' },
  ),
  at(({ website }) => `/websites/${website}`, button('List it again – Silence', 'endSetAside'), {
    role: 'link',
    name: 'Test it now',
    mutation: 'runProbe',
  }),
  at(
    ({ website }) => `/websites/${website}?tab=forms`,
    button(/Add a form/, 'saveFormLink'),
    button('Remove Contact', 'removeFormLink'),
  ),
  at(
    ({ website }) => `/websites/${website}?tab=captcha`,
    button('Add step', 'saveCaptchaChain'),
    button('Check credentials', 'checkCaptchaLink'),
    button('Remove step', 'saveCaptchaChain'),
  ),
  at(({ website }) => `/websites/${website}?tab=install`, button('Test it', 'runProbe')),
  at(({ website }) => `/websites/${website}?tab=statistics`),
  at(
    ({ website }) => `/websites/${website}?tab=settings`,
    button('Save', 'updateWebsite'),
    button('New signature key', 'regenerateSignatureKey'),
  ),
  // A website that has leads cannot be deleted.
  at(({ bare }) => `/websites/${bare}?tab=settings`, button('Delete the website', 'deleteWebsite')),
  at(() => '/forms', button('Create form', 'createForm')),
  {
    path: ({ form }) => `/forms/${form}`,
    controls: [button('Save', 'saveForm'), button('Add field', 'saveForm')],
    hidden: {
      by: { role: 'button', name: 'More' },
      controls: [
        item('Rename', 'saveForm'),
        item('Duplicate', 'duplicateForm'),
        item('Delete form', 'deleteForm'),
      ],
    },
  },
  ...['texts', 'translations', 'history'].map((tab) =>
    at(({ form }) => `/forms/${form}?tab=${tab}`, button('Save', 'saveForm')),
  ),
  at(
    ({ form }) => `/forms/${form}?tab=websites`,
    button('Save', 'saveForm'),
    button(/What looks like spam$/, 'setFormSpamFilter'),
  ),
  at(({ edited }) => `/forms/${edited}?tab=history&version=1`, button('Restore', 'restoreFormVersion')),
  at(
    () => '/teams',
    { role: 'link', name: 'New team', mutation: 'createTeam' },
    { role: 'link', name: 'Plans', mutation: 'createPlan' },
  ),
  at(
    ({ team: id }) => `/teams/${id}`,
    button('Invite', 'inviteMember'),
    button(/^Change the role of admin@/, 'changeRole'),
    button(/^Remove member@/, 'removeMember'),
    button(/^Hand the team over to admin@/, 'transferOwnership'),
    button(/^Revoke the invitation/, 'revokeInvitation'),
    button('Suspend', 'updateTeam'),
    button('See as this client', 'viewAs'),
  ),
  at(
    ({ team: id }) => `/teams/${id}?tab=tokens`,
    button('Create token', 'createToken'),
    button('Revoke all tokens', 'revokeTokens'),
    button('Revoke test', 'revokeToken'),
  ),
  at(({ team: id }) => `/teams/${id}?tab=usage`, button('Change plan', 'updateTeam')),
  at(
    ({ team: id }) => `/teams/${id}?tab=webhooks`,
    button('Create a webhook', 'createWebhook'),
    button('Send test', 'sendTestWebhook'),
    button('New secret', 'rotateWebhookSecret'),
    button('Delete', 'deleteWebhook'),
  ),
  at(({ team: id }) => `/teams/${id}?tab=privacy`, button('Save', 'saveRetention')),
  at(
    ({ team: id }) => `/teams/${id}?tab=spam`,
    button('Save', 'updateSpamSettings'),
    button('Add rule', 'addSpamRule'),
    button('Remove spam@x.test', 'deleteSpamRule'),
  ),
  at(({ team: id }) => `/teams/${id}?tab=audit`),
  at(({ team: id }) => `/statistics?team=${id}`, {
    role: 'checkbox',
    name: /^Send the report of each month/,
    mutation: 'setMonthlyReport',
  }),
  at(() => '/account', button('Change password', 'changePassword'), button('Save', 'updateViewer')),
  forStaff('/plans', button('Create plan', 'createPlan'), button('Edit Default', 'updatePlan')),
  forStaff('/teams/new', button('Create team', 'createTeam')),
  {
    path: () => '/people?q=safe@acme.test',
    isForStaff: true,
    controls: [
      button('New account', 'createUser'),
      {
        role: 'checkbox',
        name: 'Staff need two-factor login',
        mutation: 'requireStaffSecondFactor',
      },
    ],
    hidden: {
      by: { role: 'button', name: 'Actions for safe@acme.test' },
      controls: [
        item('Edit', 'updateUser'),
        item('Reset the password', 'resetUserPassword'),
        item('Disable', 'setUserDisabled'),
        item('Remove the second factor', 'resetUserSecondFactor'),
        item('Delete the account', 'deleteUser'),
        item('See as acme', 'viewAs'),
      ],
    },
  },
  forStaff('/captcha', button('Check credentials', 'checkCaptchaCredentials')),
  forStaff('/audit'),
];

let ids: Ids;

beforeAll(async () => {
  const { services, url } = app();
  const { orm } = services.db;
  await provision(services, [
    team('acme', { websites: [website('www.acme.test'), website('bare.acme.test')] }),
  ]);
  await createAccount(services, { email: emailOf('staff'), staff: true });
  const found = await orm.team.findUniqueOrThrow({
    where: { slug: 'acme' },
    include: { forms: true },
  });
  const [shown, bare] = await Promise.all(
    ['www.acme.test', 'bare.acme.test'].map((host) => websiteId(services, host)),
  );
  const [lead, failed, held] = await recordedLeads(services, shown!, 3);
  await eventually(async () => (await orm.notification.count({ where: { state: 'pending' } })) === 0);
  await orm.notification.update({ where: { submissionId: failed! }, data: { state: 'failed' } });
  await orm.notification.update({
    where: { submissionId: held! },
    data: { state: 'skipped_quota', quotaClaimedAt: null },
  });
  const userId = await createAccount(services, { email: 'safe@acme.test' });
  await orm.membership.create({ data: { teamId: found.id, userId, role: 'member' } });
  await orm.secondFactor.create({
    data: { userId, secretCipher: Buffer.alloc(1), confirmedAt: new Date() },
  });
  await services.setAsides.set(
    { kind: 'SILENT_WEBSITE', website: { id: shown!, teamId: found.id } },
    { until: new Date(Date.now() + 86_400_000), reason: 'Holidays', userId },
    TEST_ACTOR,
  );
  const input = formInput([{ name: 'email', type: 'email' }]);
  const edited = await createForm(app(), 'edited', input);
  ids = {
    team: found.id,
    website: shown!,
    bare: bare!,
    lead: lead!,
    form: found.forms[0]!.id,
    edited,
  };
  for (let count = 0; count < 2; count += 1) await createToken(services, 'acme', 'owner@acme.test');
  await services.erasures.erase(found.id, 'gone@x.test', TEST_ACTOR);
  const owner = await loggedIn(url, services, 'owner@acme.test');
  await owner.ask(
    'mutation ($id: ID!, $input: FormInput!) { saveForm(id: $id, version: 1, input: $input) { id } }',
    { id: edited, input: { ...input, name: 'Edited' } },
  );
  for (const change of [
    'inviteMember(teamId: $id, input: { email: "new@x.test", name: "New", role: member }) { id }',
    'addSpamRule(teamId: $id, kind: blocked_sender, value: "spam@x.test") { id }',
    'createWebhook(teamId: $id, input: { url: "https://hooks.example.com/", events: [form_changed] }) { secret }',
  ])
    await owner.ask(`mutation ($id: ID!) { ${change} }`, { id: found.id });
  await owner.ask(
    `mutation ($id: ID!) { saveCaptchaChain(websiteId: $id, links: [
      { key: "turnstile:main", siteKey: "site", secret: "secret" }, { key: "altcha:main" }
    ]) { key } }`,
    { id: shown },
  );
  for (const role of ROLES) {
    const client = await loggedIn(url, services, emailOf(role));
    await client.ask('mutation { saveView(name: "Mine", filter: { states: [new] }) { id } }');
  }
});

/** Waits until a page shows all that it reads. */
async function isShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  await page.waitForLoadState('networkidle');
}

/** Whether a control is offered; one that must be may come late on a busy machine, after a pause in what is loaded. */
function isOffered(control: Locator, isDue: boolean): Promise<boolean> {
  if (!isDue) return control.count().then((count) => count > 0);
  return control
    .first()
    .waitFor({ state: 'attached' })
    .then(
      () => true,
      () => false,
    );
}

/** Opens the panel as a viewer, and keeps what the gateway refuses to it. */
async function openAs(viewer: Viewer) {
  const { page } = await open(`/teams/${ids.team}`, { as: emailOf(viewer) });
  if (viewer === 'view') {
    await page.getByRole('button', { name: 'See as this client' }).click();
    await page.getByText('Nothing can be changed.').waitFor();
  }
  const refusals: string[] = [];
  /** What a busy machine had no time for, until the panel has asked again. */
  const unanswered = new Set<string>();
  page.on('response', async (response) => {
    if (!response.url().endsWith('/graphql')) return;
    const answer = await response.json().catch(() => ({}));
    const operation = response.request().postData() ?? '';
    unanswered.delete(operation);
    for (const { message, extensions } of answer.errors ?? [])
      if (extensions?.code === 'SERVICE_UNAVAILABLE') unanswered.add(operation);
      else refusals.push(`${message} ${operation.slice(0, 80)}`);
  });
  return { page, refusals, unanswered };
}

/** The buttons of the client's pages that change nothing: they narrow, unfold, copy and download. */
const READING = [
  /^(Export|Download CSV|Preview|Print|Copy.*|Back to the agency)$/,
  /^(Website|Form|Period|Language|Show|Campaign|What|Who|To review)$/,
  /^(All|All languages|All websites|Last \d+ days|Everything|Everyone|Version \d.*)$/,
];

/** The buttons by which members change what is their own, on whatever page. */
const OWN = [
  /^(Save this view|Change the view Mine|Leave the team|Change the address|Set up two-factor login)$/,
  /^(That of the browser|Those of the system|End the other sessions|End the session of .*)$/,
];

/** An element of the page, as far as its name is asked for. */
type Named = Readonly<{ innerText: string; getAttribute(name: string): string | null }>;

/** Names the buttons of a page that can be pressed. */
async function buttonsOf(page: Page): Promise<string[]> {
  const names = await page
    .getByRole('main')
    .getByRole('button', { disabled: false })
    .evaluateAll((all) =>
      (all as unknown as Named[]).map((one) => one.getAttribute('aria-label') ?? one.innerText),
    );
  return names.map((name) => name.trim().replace(/\s+/g, ' '));
}

/** Names the buttons of a page that neither read nor are those that its viewer is to have. */
async function strayButtons(page: Page, viewer: Viewer, controls: readonly Control[]): Promise<string[]> {
  const known = [
    ...READING,
    ...(viewer === 'member' ? OWN : []),
    ...controls.filter(({ mutation }) => isAllowed(mutation, viewer)).map(({ name }) => name),
  ];
  const isKnown = (button: string) =>
    known.some((name) => (typeof name === 'string' ? name === button : name.test(button)));
  return (await buttonsOf(page)).filter((button) => !isKnown(button));
}

describe.each(VIEWERS)('%s', (viewer) => {
  test('opens every page without a refusal, and is offered what the gateway answers, and nothing else', async () => {
    const { page, refusals, unanswered } = await openAs(viewer);
    const wrong: string[] = [];
    for (const { path, isForStaff, controls, hidden } of PLACES) {
      const address = path(ids);
      await page.goto(`${app().url}/panel${address}`);
      await isShown(page);
      await eventually(() => unanswered.size === 0);
      const isThere = (await page.getByRole('heading', { name: 'Page not found' }).count()) === 0;
      if (isThere !== (!isForStaff || viewer === 'staff')) wrong.push(`${address} is there: ${isThere}`);
      for (const alert of await page.getByRole('main').getByRole('alert').allInnerTexts())
        wrong.push(`${address}: ${alert}`);
      if (!isThere) continue;
      const check = async (within: Page | Locator, { role, name, mutation }: Control) => {
        const control = within.getByRole(role, { name, exact: true });
        const isDue = isAllowed(mutation, viewer);
        if ((await isOffered(control, isDue)) !== isDue)
          wrong.push(`${address}: ${name} (${mutation}) is offered: ${!isDue}`);
      };
      const main = page.getByRole('main');
      for (const control of controls) await check(main, control);
      if (viewer === 'view' || viewer === 'member')
        for (const name of await strayButtons(page, viewer, controls))
          wrong.push(`${address}: ${name} is offered`);
      if (!hidden) continue;
      const opener = main.getByRole(hidden.by.role, { name: hidden.by.name, exact: true }).first();
      const isDue = hidden.controls.some(({ mutation }) => isAllowed(mutation, viewer));
      if (await isOffered(opener, isDue)) {
        await opener.click();
        if (hidden.by.role === 'button') await page.getByRole('menuitem').first().waitFor();
        for (const control of hidden.controls) await check(page, control);
      } else if (isDue) wrong.push(`${address}: ${hidden.by.name} is not offered`);
    }
    expect(wrong).toEqual([]);
    expect(refusals).toEqual([]);
  }, 240_000);
});
