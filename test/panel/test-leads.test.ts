import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { createKeyring } from '../../src/lib/crypto/keyring.js';
import { listNotifications } from '../../src/notifications/notification-list.queries.js';
import { createProbeTokens } from '../../src/submissions/submit/probe-token.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team, website, websiteId } from '../support/factories.js';
import { countAllDays } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';
import { type Answer, createVisitor, type Visitor } from '../support/visitor.js';

const HOST = 'www.acme.test';
const PROBE_ID = '018f2b5e-7c1a-7000-8000-0000000000aa';
const BODY = { name: 'Zoé Martin', email: 'zoe@visitor.test', topic: 'other', extra: 'undeclared' };

let app: TestApp;
let owner: PanelClient;
let id: string;
let visitor: Visitor;
let testLead: string;
let lead: string;

const submit = async (headers: Record<string, string> = {}): Promise<Answer> =>
  visitor.submit({ headers: { ...(await visitor.sign()), ...headers }, body: BODY });

const submitAsProbe = (websiteOf = id) =>
  submit({ authorization: app.services.probeTokens.issue(websiteOf, PROBE_ID) });

const visitorOf = (websiteOf: string, host = HOST) =>
  createVisitor({ url: app.url, websiteId: websiteOf, origin: `https://${host}` });

beforeAll(async () => {
  app = await startTestApp({ env: { CAPTCHA_DEFAULT: 'off', PROBE_MAILBOX: 'probes@agency.test' } });
  const websites = [website(HOST), website('quiet.acme.test'), website('bare.acme.test')];
  await provision(app.services, [team('acme', { websites })], { submissions_per_hour: 2 });
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  id = await websiteId(app.services, HOST);
  visitor = visitorOf(id);
  testLead = String((await submitAsProbe()).body.lead_id);
  lead = String((await submit()).body.lead_id);
});
afterAll(() => app.close());

/** The one lead that a list may have, and not the test lead beside it. */
const onlyLead = () => [lead];

describe('a test lead', () => {
  test('is recorded with the recipient of its e-mail, and without what a search or an erasure finds it by', async () => {
    const row = await app.services.db.orm.submission.findUniqueOrThrow({ where: { id: testLead } });
    expect(row).toMatchObject({ testRecipient: 'probes@agency.test', emails: [], websiteId: id });
    expect(row.values).toMatchObject({ email: BODY.email });
    const found = await app.services.db.orm.notification.findUniqueOrThrow({
      where: { submissionId: testLead },
    });
    expect(found.quotaClaimedAt).not.toBeNull();
  });

  test.each([
    ['the inbox', undefined],
    ['a website', { websiteIds: [] as string[] }],
    ['the state new', { states: ['new'] }],
    ['the e-mails that wait', { notificationStates: ['pending'] }],
    ['a search for words that both have', { text: 'martin' }],
    ['what needs no review', { needsReview: false }],
  ])('is not in the list of %s', async (_title, filter) => {
    const narrowed = filter && 'websiteIds' in filter ? { websiteIds: [id] } : filter;
    const query = `query ($filter: SubmissionFilter) {
      submissions(filter: $filter) { edges { node { id } } }
      submissionCounts(filter: $filter) { total }
      newSubmissions(filter: $filter) { count }
    }`;
    const asked = await owner.ask(query, { filter: narrowed });
    expect(asked.submissions.edges.map(({ node }: { node: { id: string } }) => node.id)).toEqual(onlyLead());
    expect(asked.submissionCounts.total).toBe(1);
    expect(asked.newSubmissions.count).toBe(1);
  });

  test('is not counted among e-mails that failed', async () => {
    const { orm } = app.services.db;
    const both = { submissionId: { in: [lead, testLead] } };
    await orm.notification.updateMany({ where: both, data: { state: 'failed' } });
    const { submissionCounts } = await owner.ask('{ submissionCounts { unsent { state count } } }');
    expect(submissionCounts.unsent).toContainEqual({ state: 'failed', count: 1 });
    const filter = { states: ['failed'] as const, teamId: null, websiteIds: null, since: null };
    expect((await listNotifications(app.services.db, filter, 10)).map(({ leadId }) => leadId)).toEqual(
      onlyLead(),
    );
    await orm.notification.updateMany({ where: both, data: { state: 'pending' } });
  });

  test('is not there by its id, neither to be read nor to be changed', async () => {
    expect(await owner.refused('query ($id: ID!) { submission(id: $id) { id } }', { id: testLead })).toBe(
      'NOT_FOUND',
    );
    const change =
      'mutation ($ids: [ID!]!) { setStateOfSelected(selection: { ids: $ids }, state: done) { matched } }';
    expect((await owner.ask(change, { ids: [testLead] })).setStateOfSelected.matched).toBe(0);
  });

  test('is not changed with all that match', async () => {
    const change =
      'mutation { setStateOfSelected(selection: { filter: {} }, state: new) { matched previous { ids } } }';
    expect((await owner.ask(change)).setStateOfSelected.matched).toBe(1);
  });

  test.each(['submissions.csv', 'submissions.ndjson', 'submissions.csv?text=martin'])(
    'is not in the download %s',
    async (name) => {
      const text = await (await owner.fetch(`/panel/exports/${name}`)).text();
      expect(text).toContain(lead);
      expect(text).not.toContain(testLead);
    },
  );

  test('is not part of a person’s data', async () => {
    const { id: teamId } = await app.services.db.orm.team.findFirstOrThrow({ where: { slug: 'acme' } });
    const query =
      'query ($teamId: ID!, $email: String!) { erasurePreview(teamId: $teamId, email: $email) { submissions } }';
    const asked = await owner.ask(query, { teamId, email: BODY.email });
    expect(asked.erasurePreview.submissions).toBe(1);
    const download = `/panel/exports/address.ndjson?teamId=${teamId}&email=${BODY.email}`;
    expect(await (await owner.fetch(download)).text()).not.toContain(testLead);
  });

  test('is in no statistic, and not in the usage of the plan', async () => {
    const { team: found, ...statistics } = await owner.ask(`{
      submissionsPerDay { count } submissionsPerForm { count } notificationOutcomes { count }
      captchaVerdicts { count } team(slug: "acme") { usage { submissions notificationsUsed } }
    }`);
    const counts = Object.values(statistics).flat() as { count: number }[];
    expect(counts).toEqual([{ count: 1 }, { count: 1 }, { count: 1 }]);
    expect(found.usage[0]).toEqual({ submissions: 1, notificationsUsed: 0 });
    const day = new Date().toISOString().slice(0, 10);
    const { visitStatistics } = await owner.ask(
      `query ($id: ID, $from: String!, $to: String!) {
        visitStatistics(websiteId: $id, from: $from, to: $to) { attribution(by: REFERRER_HOST) { submissions } }
      }`,
      { id, from: day, to: day },
    );
    expect(visitStatistics.attribution).toEqual([{ submissions: 1 }]);
  });

  test('is not in the health and the curve of its website', async () => {
    const both = { submissionId: { in: [lead, testLead] } };
    const { notification } = app.services.db.orm;
    await notification.updateMany({ where: both, data: { state: 'failed' } });
    const { website: found } = await owner.ask(
      'query ($id: ID!) { website(id: $id) { health { kind summary } leadsPerDay } }',
      { id },
    );
    expect(found.health).toEqual([{ kind: 'MAIL_FAILING', summary: '1 e-mail has failed' }]);
    expect(found.leadsPerDay.at(-1)).toBe(1);
    await notification.updateMany({ where: both, data: { state: 'pending' } });
  });

  test('breaks no silence', async () => {
    const quiet = await websiteId(app.services, 'quiet.acme.test');
    const { db, clock } = app.services;
    const { formId, teamId } = await db.orm.placement.findFirstOrThrow({ where: { websiteId: quiet } });
    const DAY_MS = 86_400_000;
    const rowOf = (daysAgo: number, testRecipient: string | null) => ({
      id: uuid(),
      websiteId: quiet,
      teamId,
      formId,
      formVersion: 1,
      locale: 'fr',
      values: {},
      testRecipient,
      createdAt: new Date(clock().getTime() - daysAgo * DAY_MS),
    });
    const leads = [24, 23, 22, 21, 20, 19, 18, 17, 16, 15].map((days) => rowOf(days, null));
    await db.orm.submission.createMany({ data: [...leads, rowOf(0, 'probes@agency.test')] });
    await countAllDays(app.services);
    const { silentWebsites } = await owner.ask('{ silentWebsites { websiteId } }');
    expect(silentWebsites).toEqual([{ websiteId: quiet }]);
    await db.orm.submission.deleteMany({ where: { websiteId: quiet } });
  });

  test('does not keep its website from being deleted', async () => {
    const bare = await websiteId(app.services, 'bare.acme.test');
    const authorization = app.services.probeTokens.issue(bare, PROBE_ID);
    const page = visitorOf(bare, 'bare.acme.test');
    const { status } = await page.submit({ headers: { ...(await page.sign()), authorization }, body: BODY });
    expect(status).toBe(200);
    expect(
      (await owner.ask('mutation ($id: ID!) { deleteWebsite(id: $id) }', { id: bare })).deleteWebsite,
    ).toBe(true);
  });

  test('uses nothing of the hourly budget of visitors, and has a budget of its own', async () => {
    expect((await submitAsProbe()).status).toBe(200);
    expect((await submitAsProbe()).status).toBe(429);
    // The second of the two that the plan allows visitors.
    expect((await submit()).status).toBe(200);
    expect((await submit()).status).toBe(429);
    await app.services.db.orm.submission.deleteMany({
      where: { websiteId: id, id: { notIn: [lead, testLead] } },
    });
  });
});

describe('a stranger’s submission is refused, and not recorded as a test lead, with', () => {
  const issue = () => app.services.probeTokens.issue(id, PROBE_ID);

  test.each<[string, () => string]>([
    ['no token', () => 'Probe'],
    ['a token of another website', () => app.services.probeTokens.issue(PROBE_ID, PROBE_ID)],
    ['another probe in it', () => issue().replace(PROBE_ID, `${PROBE_ID.slice(0, -1)}b`)],
    ['a later expiry', () => issue().replace(/\.(\d{13})\./, (_, at) => `.${Number(at) + 1}.`)],
    ['another scheme', () => issue().replace('Probe', 'Bearer')],
    ['a signature of another key', () => `${issue().slice(0, -43)}${'A'.repeat(43)}`],
    ['a longer signature', () => `${issue()}A`],
    ['white space', () => `${issue()} `.replace('Probe ', 'Probe  ')],
    [
      'an expired token',
      () =>
        createProbeTokens({
          keyring: createKeyring(app.services.config.appKey),
          clock: () => new Date(Date.now() - 120_001),
        }).issue(id, PROBE_ID),
    ],
  ])('%s', async (_title, authorization) => {
    const before = await app.services.db.orm.submission.count();
    expect((await submit({ authorization: authorization() })).status).toBe(401);
    expect(await app.services.db.orm.submission.count()).toBe(before);
  });

  test('every single bit of a signature changed', () => {
    const token = issue();
    const signature = Buffer.from(token.slice(-43), 'base64url');
    const valid = new Set<string>();
    for (let bit = 0; bit < signature.length * 8; bit++) {
      const bytes = Buffer.from(signature);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      const forged = token.slice(0, -43) + bytes.toString('base64url');
      if (app.services.probeTokens.isValid(forged, id)) valid.add(forged);
    }
    expect([...valid]).toEqual([]);
    expect(app.services.probeTokens.isValid(token, id)).toBe(true);
  });
});
