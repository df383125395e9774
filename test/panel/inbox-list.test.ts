import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let owner: PanelClient;
let admin: PanelClient;
let member: PanelClient;
let staff: PanelClient;
let site: string;
let shop: string;
let teamId: number;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [
    team('acme', {
      forms: [contactForm()],
      websites: [website('www.acme.test', { name: 'Acme Paris' }), website('shop.acme.test')],
    }),
    team('globex'),
  ]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  const enter = (email: string) => loggedIn(app.url, app.services, email);
  [owner, admin, member, staff] = await Promise.all([
    enter('owner@acme.test'),
    enter('admin@acme.test'),
    enter('member@acme.test'),
    enter('staff@agency.test'),
  ]);
  site = await websiteId(app.services, 'www.acme.test');
  shop = await websiteId(app.services, 'shop.acme.test');
  teamId = (await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
});

afterAll(() => app?.close());

beforeEach(() => app.services.db.orm.submission.deleteMany());

const leads = (websiteOf: string, count: number, at?: Date) =>
  recordedLeads(app.services, websiteOf, count, at);

test('an entry of the list names website, form, sender, topic and who gave it its state', async () => {
  const [id] = await leads(site, 1);
  const values = { name: 'Zoé Martin', email: 'zoe@x.test', topic: 'quote', budget: 12 };
  await app.services.db.orm.submission.update({ where: { id }, data: { values } });
  const list = `{ submissions { edges { node {
    summary { title excerpt } website { name timeZone } form { name slug } stateChangedByName
  } } } }`;
  const entry = async () => (await member.ask(list)).submissions.edges[0].node;
  const shown = {
    summary: { title: 'Zoé Martin', excerpt: 'Devis' },
    website: { name: 'Acme Paris', timeZone: 'Europe/Paris' },
    form: { name: 'Contact', slug: 'contact' },
    stateChangedByName: null,
  };
  expect(await entry()).toEqual(shown);
  await owner.ask('mutation ($id: ID!) { setSubmissionState(ids: [$id], state: done) }', { id });
  expect(await entry()).toEqual({ ...shown, stateChangedByName: 'owner@acme.test' });
});

describe('the counts of e-mails that were not sent', () => {
  const COUNTS = `query ($filter: SubmissionFilter) {
    submissionCounts(filter: $filter) { total unsent { state count isExact } }
  }`;
  const counted = async (client: PanelClient, filter: object = {}) => {
    const { submissionCounts } = await client.ask(COUNTS, { filter });
    return submissionCounts.unsent.map(({ state, count, isExact }: Record<string, unknown>) => {
      expect(isExact).toBe(true);
      return [state, count];
    });
  };

  test('are those of the filter and of the teams in view', async () => {
    const { db } = app.services;
    const mine = await leads(site, 3);
    const [inShop] = await leads(shop, 1);
    const [foreign] = await leads(await websiteId(app.services, 'www.globex.test'), 1);
    const end = (ids: (string | undefined)[], state: 'failed' | 'skipped_quota' | 'no_recipient') =>
      db.orm.notification.updateMany({ where: { submissionId: { in: ids as string[] } }, data: { state } });
    await end([mine[0], mine[1], inShop, foreign], 'failed');
    await end([mine[2]], 'skipped_quota');
    await db.orm.submission.update({ where: { id: mine[0] }, data: { state: 'done' } });
    const unsent = (failed: number, skipped: number) => [
      ['failed', failed],
      ['skipped_quota', skipped],
      ['no_recipient', 0],
      ['bounced', 0],
    ];
    expect(await counted(member)).toEqual(unsent(3, 1));
    expect(await counted(staff)).toEqual(unsent(4, 1));
    expect(await counted(owner, { websiteIds: [site] })).toEqual(unsent(2, 1));
    expect(await counted(owner, { states: ['new', 'in_progress'] })).toEqual(unsent(2, 1));
    expect(await counted(owner, { text: 'x.test', websiteIds: [shop] })).toEqual(unsent(1, 0));
    expect(await counted(owner, { notificationStates: ['failed'] })).toEqual([['failed', 3]]);
    expect(await counted(owner, { notificationStates: ['sent'] })).toEqual([]);
    expect(await counted(owner, { websiteIds: [] })).toEqual(unsent(0, 0));
  });
});

describe('new submissions', () => {
  const NEW = `query ($filter: SubmissionFilter, $since: String) {
    newSubmissions(filter: $filter, since: $since) { count isExact }
  }`;
  const come = async (client: PanelClient, since: string | null, filter: object = {}) =>
    (await client.ask(NEW, { since, filter })).newSubmissions;
  const startCursor = async (client: PanelClient, filter: object = {}) => {
    const list =
      'query ($filter: SubmissionFilter) { submissions(filter: $filter, first: 1) { pageInfo { startCursor } } }';
    return (await client.ask(list, { filter })).submissions.pageInfo.startCursor;
  };

  test('are counted since the first page was read, with its filter', async () => {
    expect(await come(member, await startCursor(member))).toEqual({ count: 0, isExact: true });
    await leads(site, 2);
    expect(await come(member, null)).toEqual({ count: 2, isExact: true });
    const since = await startCursor(member);
    expect(await come(member, since)).toEqual({ count: 0, isExact: true });
    await leads(site, 1);
    await leads(shop, 2);
    await leads(await websiteId(app.services, 'www.globex.test'), 1);
    expect(await come(member, since)).toEqual({ count: 3, isExact: true });
    expect(await come(staff, since)).toEqual({ count: 4, isExact: true });
    expect(await come(member, since, { websiteIds: [shop] })).toEqual({ count: 2, isExact: true });
    expect(await come(member, since, { text: 'x.test', states: ['new'] })).toEqual({
      count: 3,
      isExact: true,
    });
    expect(await come(member, since, { notificationStates: ['sent'] })).toEqual({ count: 0, isExact: true });
  });

  test('beyond a hundred are a lower bound', async () => {
    await leads(site, 1, new Date(Date.now() - 60_000));
    const since = await startCursor(member);
    await leads(site, 101);
    expect(await come(member, since)).toEqual({ count: 100, isExact: false });
  });

  test('since what is no cursor, or of another team, are refused', async () => {
    const { errors } = await member.send(NEW, { since: 'x' });
    expect(errors?.[0]?.extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: { since: [expect.any(String)] },
    });
    const { id } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    expect(await member.refused(NEW, { filter: { teamId: id } })).toBe('NOT_FOUND');
  });
});

describe('the preview of an erasure', () => {
  const PREVIEW = `query ($teamId: ID!, $email: String!) { erasurePreview(teamId: $teamId, email: $email) {
    submissions isExact websites { submissions website { host } }
  } }`;

  test('tells for each website what the erasure then deletes, and nothing of other teams', async () => {
    await leads(site, 2);
    await leads(shop, 3);
    await leads(await websiteId(app.services, 'www.globex.test'), 1);
    const { erasurePreview } = await admin.ask(PREVIEW, { teamId, email: ' V@x.test ' });
    expect(erasurePreview).toEqual({
      submissions: 5,
      isExact: true,
      websites: [
        { submissions: 3, website: { host: 'shop.acme.test' } },
        { submissions: 2, website: { host: 'www.acme.test' } },
      ],
    });
    const erase = 'mutation ($teamId: ID!) { eraseEmailAddress(teamId: $teamId, email: "v@x.test") }';
    expect(await admin.ask(erase, { teamId })).toEqual({ eraseEmailAddress: 5 });
    const after = await admin.ask(PREVIEW, { teamId, email: 'v@x.test' });
    expect(after.erasurePreview).toEqual({ submissions: 0, isExact: true, websites: [] });
  });

  test('refuses what is no address', async () => {
    expect(await owner.refused(PREVIEW, { teamId, email: 'v@' })).toBe('BAD_USER_INPUT');
  });
});
