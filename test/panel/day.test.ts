import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { Challenge } from '../../src/captcha/providers/altcha.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { createAccount, type PanelClient, type PanelData, panelClient } from '../support/panel.js';
import { solve } from '../support/solve.js';
import { createVisitor } from '../support/visitor.js';
import { eventually } from '../support/wait.js';

const STAFF = { email: 'sam@agency.test', password: 'correct horse battery' };
const OWNER = { email: 'olive@acme.test', password: 'battery staple horse' };
const HOST = 'www.acme.test';
const ORIGIN = `https://${HOST}`;
const LEAD = 'ada.lovelace@visitor.test';

const LOGIN = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }';
/** Of links of the chain that no visitor of this day meets. */
const CAPTCHA_SECRETS = { secret: '1x-secret-of-the-turnstile', apiKey: 'key-of-the-enterprise' };

const LINES = '/panel/exports/submissions.csv';

const FORM = {
  name: 'Contact',
  sourceLocale: 'fr',
  submitButtonText: 'Envoyer',
  confirmationMessage: 'Merci.',
  recipients: ['desk@acme.test'],
  fields: [
    { name: 'email', type: 'email', label: 'Adresse', isRequired: true },
    { name: 'message', type: 'textarea', label: 'Message' },
    {
      name: 'topic',
      type: 'select',
      label: 'Sujet',
      options: [
        { value: 'quote', label: 'Devis' },
        { value: 'other', label: 'Autre' },
      ],
    },
    {
      name: 'budget',
      type: 'number',
      label: 'Budget',
      visibility: { match: 'all', rules: [{ field: 'topic', operator: 'equals', value: 'quote' }] },
    },
  ],
};

/** The same with an English translation. */
const TRANSLATED = {
  ...FORM,
  fields: FORM.fields.map((field) => ({
    ...field,
    options: field.options?.map((option) => ({
      ...option,
      translations: [{ locale: 'en', label: option.value === 'quote' ? 'Quote' : 'Other' }],
    })),
    translations: [{ locale: 'en', label: field.name === 'email' ? 'Address' : field.label }],
  })),
  translations: [{ locale: 'en', submitButtonText: 'Send', confirmationMessage: 'Thank you.' }],
};

let app: TestApp;
let staff: PanelClient;
let owner: PanelClient;
let teamId: string;
let siteId: string;
let formId: string;
let token: string;
let byToken: string;
let byVisitor: string;
let invitation: string;
const logged: string[] = [];

beforeAll(async () => {
  // Nothing is redacted here: the code itself must not log what it may not.
  const log = pino({ level: 'trace' }, { write: (line: string) => logged.push(line) });
  app = await startTestApp({ worker: true, log, env: { ALTCHA_MAX_NUMBER: '1000' } });
  await createAccount(app.services, { ...STAFF, staff: true });
  staff = panelClient(app.url);
  owner = panelClient(app.url);
});
afterAll(() => app.close());

const site = () => createVisitor({ url: app.url, websiteId: siteId, origin: ORIGIN });

const submissionOf = async (id: string): Promise<PanelData> => {
  const { submission } = await owner.ask(
    `query ($id: ID!) { submission(id: $id) {
       locale state captchaKey captchaGround needsReview undeclared emails tokenId
       fields { name label text } attribution { referrer utmSource }
       notification { state sentAt attempts { number outcome recipients } }
       notes { text authorName } stateHistory { from to changedByName } } }`,
    { id },
  );
  return submission;
};

/** The ids of what the inbox has with a text. */
const found = async (text: string): Promise<string[]> => {
  const { submissions } = await owner.ask(
    'query ($text: String!) { submissions(filter: { text: $text }) { edges { node { id } } } }',
    { text },
  );
  return submissions.edges.map(({ node }: PanelData) => node.id);
};

describe('a day in the panel', () => {
  test('staff create a team and invite its owner', async () => {
    await staff.ask(LOGIN, STAFF);
    const { createPlan } = await staff.ask(
      `mutation { createPlan(input: { code: "small", name: "Small", notificationsPerMonth: 10,
                                      submissionsPerMinute: 50, submissionsPerHour: 50 }) { id } }`,
    );
    const { createTeam } = await staff.ask(
      'mutation ($planId: ID!) { createTeam(input: { slug: "acme", name: "Acme", planId: $planId }) { id } }',
      { planId: createPlan.id },
    );
    teamId = createTeam.id;
    const { inviteMember } = await staff.ask(
      `mutation ($teamId: ID!, $email: String!) {
         inviteMember(teamId: $teamId, input: { email: $email, name: "Olive", role: owner }) {
           role account { canLogIn } } }`,
      { teamId, email: OWNER.email },
    );
    expect(inviteMember).toEqual({ role: 'owner', account: { canLogIn: false } });
  });

  test('the owner follows the one-time link, sets a password and logs in', async () => {
    const { mail } = await app.sink.waitFor(({ recipients }) => recipients.includes(OWNER.email));
    invitation = /http:\/\/formgate\.test\/panel\/invitation#(\S+)/.exec(mail.text!)![1]!;
    const newcomer = panelClient(app.url);
    await newcomer.ask(
      'mutation ($token: String!, $password: String!) { acceptInvitation(token: $token, password: $password) }',
      { token: invitation, password: OWNER.password },
    );
    await newcomer.ask('mutation { logout }');
    expect((await newcomer.ask('{ me { email } }')).me).toBeNull();
    await owner.ask(LOGIN, OWNER);
    expect((await owner.ask('{ me { email staff teams { role team { id slug } } } }')).me).toEqual({
      email: OWNER.email,
      staff: false,
      teams: [{ role: 'owner', team: { id: teamId, slug: 'acme' } }],
    });
  });

  test('the owner creates a website, a form with a condition, its translation, a placement and a captcha chain', async () => {
    const { createWebsite } = await owner.ask(
      'mutation ($teamId: ID!, $input: NewWebsiteInput!) { createWebsite(teamId: $teamId, input: $input) { id } }',
      {
        teamId,
        input: { name: 'Acme', host: HOST, url: ORIGIN, locale: 'fr', email: 'paris@acme.test' },
      },
    );
    siteId = createWebsite.id;
    const { createForm } = await owner.ask(
      `mutation ($teamId: ID!, $input: FormInput!) {
         createForm(teamId: $teamId, slug: "contact", input: $input) {
           id version missingTranslations(against: PLATFORM) { locale } } }`,
      { teamId, input: FORM },
    );
    formId = createForm.id;
    expect(createForm.missingTranslations).toContainEqual({ locale: 'en' });
    const save = `mutation ($id: ID!, $version: Int!, $input: FormInput!) {
      saveForm(id: $id, version: $version, input: $input) { locales version } }`;
    const { version } = createForm;
    const { saveForm } = await owner.ask(save, { id: formId, version, input: TRANSLATED });
    expect(saveForm.locales).toEqual(['fr', 'en']);
    expect(await owner.refused(save, { id: formId, version, input: FORM })).toBe('CONFLICT');
    await owner.ask(
      `mutation ($site: ID!, $form: ID!, $secret: String, $apiKey: String) {
         saveFormLink(websiteId: $site, formId: $form, input: { cssSelector: "#contact" }) { enabled }
         saveCaptchaChain(websiteId: $site, links: [
           { key: "altcha:own" }
           { key: "turnstile:main", siteKey: "1x00", secret: $secret }
           { key: "recaptcha_enterprise:eu", siteKey: "6L00", projectId: "acme", apiKey: $apiKey }
         ]) { key hasSecret } }`,
      { site: siteId, form: formId, ...CAPTCHA_SECRETS },
    );
    const config = await site().call('GET', 'forms/config?f=contact~en');
    expect(config.status).toBe(200);
    expect(JSON.stringify(config.body)).toContain('"Address"');
  });

  test('the owner creates a token, and an integrator submits with it', async () => {
    const { createToken } = await owner.ask(
      `mutation ($teamId: ID!) {
         createToken(teamId: $teamId, input: { name: "CRM", abilities: [team_read, team_submit] }) { value } }`,
      { teamId },
    );
    token = createToken.value;
    const draw = await site().call('GET', 'captcha/altcha/challenge');
    const answer = await site().submit({
      body: { email: 'crm@acme.test', message: 'From the telephone', page_locale: 'fr' },
      headers: {
        authorization: `Bearer ${token}`,
        'x-captcha-provider': 'altcha:own',
        'x-captcha-token': solve(draw.body as unknown as Challenge),
      },
    });
    expect(answer).toMatchObject({ status: 200, body: { message: 'Merci.' } });
    byToken = String(answer.body.lead_id);
  });

  test('a visitor from a campaign submits the form', async () => {
    const visit = await site().call('POST', 'visits', {
      body: { page_url: `${ORIGIN}/?utm_source=newsletter`, referrer: 'https://search.test/?q=acme' },
    });
    const draw = await site().call('GET', 'captcha/altcha/challenge');
    const answer = await site().submit({
      body: {
        email: LEAD,
        message: 'A difference engine, please',
        topic: 'quote',
        budget: 1200,
        shoe: '38',
        form_locale: 'en',
        page_url: `${ORIGIN}/contact`,
        visitor_hash: visit.body.visitor_hash,
      },
      headers: {
        ...(await site().sign()),
        'x-captcha-provider': 'altcha:own',
        'x-captcha-token': solve(draw.body as unknown as Challenge),
      },
    });
    expect(answer).toMatchObject({ status: 200, body: { message: 'Thank you.' } });
    byVisitor = String(answer.body.lead_id);
  });

  test('the owner finds both in the inbox, and sees the e-mails sent', async () => {
    expect(await found('DIFFERENCE eng')).toEqual([byVisitor]);
    const sent = await eventually(async () => {
      const [visitor, integrator] = await Promise.all([submissionOf(byVisitor), submissionOf(byToken)]);
      const states = [visitor, integrator].map(({ notification }) => notification.state);
      return states.every((state) => state === 'sent') && visitor;
    });
    expect(sent).toMatchObject({
      locale: 'en',
      state: 'new',
      captchaKey: 'altcha:own',
      needsReview: false,
      tokenId: null,
      undeclared: { shoe: '38' },
      emails: [LEAD],
      fields: [
        { name: 'email', label: 'Address', text: LEAD },
        { name: 'message', label: 'Message', text: 'A difference engine, please' },
        { name: 'topic', label: 'Sujet', text: 'Quote' },
        { name: 'budget', label: 'Budget', text: '1200' },
      ],
      attribution: { utmSource: 'newsletter' },
      notification: { attempts: [{ number: 1, outcome: 'sent', recipients: ['desk@acme.test'] }] },
    });
    expect((await submissionOf(byToken)).tokenId).not.toBeNull();
    const { mail } = await app.sink.waitFor(({ raw }) => raw.includes(byVisitor));
    expect(mail.replyTo).toEqual([expect.objectContaining({ address: LEAD })]);
  });

  test('the owner sets a state, writes a note, exports, and reads statistics', async () => {
    await owner.ask(
      `mutation ($id: ID!) { setSubmissionState(ids: [$id], state: in_progress)
                             addSubmissionNote(submissionId: $id, text: "Called back") { id } }`,
      { id: byVisitor },
    );
    expect(await submissionOf(byVisitor)).toMatchObject({
      state: 'in_progress',
      notes: [{ text: 'Called back', authorName: 'Olive' }],
      stateHistory: [{ from: 'new', to: 'in_progress', changedByName: 'Olive' }],
    });
    const csv = await owner.fetch(`${LINES}?states=in_progress`);
    const lines = (await csv.text()).trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(`${byVisitor},`);
    expect(lines[1]).toContain(`,${LEAD},`);
    const day = new Date().toISOString().slice(0, 10);
    const figures = await owner.ask(
      `query ($teamId: ID!, $site: ID!, $day: String!) {
         submissionsPerForm(filter: { teamId: $teamId }) { websiteId formId count }
         notificationOutcomes(filter: { websiteIds: [$site] }) { state count }
         submissionCounts(filter: { teamId: $teamId }) { total isExact }
         visitStatistics(from: $day, to: $day, websiteId: $site) {
           attribution(by: UTM_SOURCE) { value visits submissions } } }`,
      { teamId, site: siteId, day },
    );
    expect(figures).toMatchObject({
      submissionsPerForm: [{ websiteId: siteId, formId, count: 2 }],
      notificationOutcomes: [{ state: 'sent', count: 2 }],
      submissionCounts: { total: 2, isExact: true },
    });
    expect(figures.visitStatistics.attribution).toContainEqual({
      value: 'newsletter',
      visits: 1,
      submissions: 1,
    });
  });

  test('an e-mail that was sent is not sent again', async () => {
    const { sendAgain } = await owner.ask('mutation ($id: ID!) { sendAgain(ids: [$id]) { outcome } }', {
      id: byVisitor,
    });
    expect(sendAgain).toEqual([{ outcome: 'nothing_to_send' }]);
  });

  test('the owner erases the data of the visitor', async () => {
    const address = `/panel/exports/address.ndjson?${new URLSearchParams({ teamId, email: LEAD })}`;
    expect(await (await owner.fetch(address)).text()).toContain(byVisitor);
    const { eraseEmailAddress } = await owner.ask(
      'mutation ($teamId: ID!, $email: String!) { eraseEmailAddress(teamId: $teamId, email: $email) }',
      { teamId, email: LEAD.toUpperCase() },
    );
    expect(eraseEmailAddress).toBe(1);
    expect(await found('difference')).toEqual([]);
    expect(await owner.refused('query ($id: ID!) { submission(id: $id) { id } }', { id: byVisitor })).toBe(
      'NOT_FOUND',
    );
    expect(await (await owner.fetch(address)).text()).toBe('');
    const csv = await (await owner.fetch(LINES)).text();
    expect(csv).toContain(byToken);
    expect(csv).not.toContain('lovelace');
    const dump = JSON.stringify(await dumpTables(app.database.url)).toLowerCase();
    expect(dump).toContain(byToken);
    expect(dump).not.toContain('lovelace');
    expect(dump).not.toContain('difference engine');
  });

  test('no secret is in the log or in the database', async () => {
    const nobody = panelClient(app.url);
    // Attempts that fail are logged as well, and what does not fit its type before anything looks at it.
    const wrong = { email: OWNER.email, password: 'a wrong password' };
    await nobody.refused(LOGIN, wrong);
    await nobody.refused(LOGIN, { ...wrong, password: { inside: wrong.password } });
    await nobody.refused(
      'mutation ($token: String!) { resetPassword(token: $token, password: "too short") }',
      {
        token: invitation,
      },
    );
    const { createUser } = await staff.ask(
      'mutation { createUser(input: { email: "new@agency.test", name: "New" }) { password } }',
    );
    const secrets = [
      ...[STAFF.password, OWNER.password, wrong.password, createUser.password],
      ...[staff, owner].map((client) => client.cookie().split('=')[1]!),
      ...[token.split('|')[1]!, invitation.split('.')[1]!],
      ...Object.values(CAPTCHA_SECRETS),
    ];
    const dump = JSON.stringify(await dumpTables(app.database.url));
    const log = logged.join('');
    expect(logged.length).toBeGreaterThan(30);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(12);
      for (const written of [dump, log]) {
        expect(written).not.toContain(secret);
        expect(written).not.toContain(Buffer.from(secret).toString('hex'));
        expect(written).not.toContain(Buffer.from(secret).toString('base64'));
      }
    }
    expect(log).not.toContain(LEAD);
  });
});
