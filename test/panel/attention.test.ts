import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { readPace } from '../../src/attention/silence/silence.queries.js';
import { reopenNotifications } from '../../src/notifications/submission-email/reopening.queries.js';
import { recordVerdicts } from '../../src/spam/judging.queries.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, TEST_ACTOR, team, website, websiteId } from '../support/factories.js';
import { addSubmissions, countAllDays, recordedLeads } from '../support/leads.js';
import { isWaitingForLock } from '../support/locks.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const HOUR_MS = 3_600_000;
const NOW = new Date('2026-06-15T12:00:00.000Z');

let app: TestApp;
let now: Date;
let staff: PanelClient;
let owner: PanelClient;
let member: PanelClient;
let stranger: PanelClient;
let site: string;
let other: string;
let teamId: number;
let formId: number;

beforeAll(async () => {
  now = NOW;
  app = await startTestApp({ clock: () => now });
  await provision(app.services, [
    team('acme', { websites: [website('www.acme.test'), website('off.acme.test', { disabled: true })] }),
    team('globex'),
  ]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  await app.services.db.orm.session.deleteMany();
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  member = await loggedIn(app.url, app.services, 'member@acme.test');
  stranger = await loggedIn(app.url, app.services, 'owner@globex.test');
  site = await websiteId(app.services, 'www.acme.test');
  other = await websiteId(app.services, 'www.globex.test');
  ({ teamId, formId } = await app.services.db.orm.placement.findFirstOrThrow({ where: { websiteId: site } }));
});
afterAll(() => app.close());

beforeEach(async () => {
  const { orm } = app.services.db;
  now = NOW;
  await orm.submission.deleteMany();
  await orm.dailyCount.deleteMany();
  await orm.leadHabit.deleteMany();
  await orm.leadHour.deleteMany();
  await orm.incident.deleteMany();
  await orm.setAside.deleteMany();
  await orm.quotaUsage.deleteMany();
  await orm.formFindings.deleteMany();
  await orm.auditEvent.deleteMany();
});

const ago = (hours: number) => new Date(now.getTime() - hours * HOUR_MS);

type Item = Readonly<{
  kind: string;
  severity: string;
  since: string;
  summary: string;
  action: string;
  website: { name: string } | null;
  team: { name: string } | null;
  form: { name: string } | null;
}>;

const ASK = `query ($teamId: ID, $kinds: [AttentionKind!], $first: Int, $after: String, $language: PanelLanguage) {
  attention(teamId: $teamId, kinds: $kinds, first: $first, after: $after) {
    edges { node { id kind severity since summary(language: $language) action website { name } form { name } team { name } } }
    pageInfo { endCursor hasNextPage }
  }
}`;

async function itemsFor(client: PanelClient, variables: object = {}): Promise<Item[]> {
  const { attention } = await client.ask(ASK, variables);
  return attention.edges.map(({ node }: { node: Item }) => node);
}

const kindsFor = async (client: PanelClient) => (await itemsFor(client)).map(({ kind }) => kind);

/** Leads every twelve hours until some hours ago, counted. */
async function leadsUntil(hoursAgo: number, id = site): Promise<string[]> {
  const leads: string[] = [];
  for (let n = 0; n < 20; n++)
    leads.push(...(await recordedLeads(app.services, id, 1, ago(hoursAgo + n * 12))));
  await app.services.db.orm.notification.updateMany({
    where: { submissionId: { in: leads } },
    data: { state: 'sent', sentAt: now },
  });
  await countAllDays(app.services);
  return leads;
}

const addIncidents = (reason: string, count: number, hoursAgo = 0.2, id = site) =>
  app.services.db.orm.incident.create({
    data: {
      websiteId: id,
      stepKey: 'turnstile:main',
      reason,
      count,
      requestId: 'r',
      minute: ago(hoursAgo),
      firstSeenAt: ago(hoursAgo),
      lastSeenAt: ago(hoursAgo),
    },
  });

describe('attention', () => {
  test('has nothing to say where all is well', async () => {
    await leadsUntil(2);
    expect(await itemsFor(staff)).toEqual([]);
    expect(await itemsFor(owner)).toEqual([]);
  });

  test('lists a silent website in the words of a language, until its next lead', async () => {
    await leadsUntil(9 * 24);
    expect(await itemsFor(owner)).toEqual([
      expect.objectContaining({
        kind: 'SILENT_WEBSITE',
        severity: 'WARNING',
        action: 'RUN_PROBE',
        since: ago(9 * 24).toISOString(),
        website: { name: 'www.acme.test' },
        form: null,
        summary: 'No lead for 9 days; usually there is one every 12 hours',
      }),
    ]);
    const [item] = await itemsFor(owner, { language: 'fr' });
    expect(item?.summary).toMatch(
      /^Aucune demande depuis 9\sjours\s; d’habitude, il en arrive une en 12\sheures$/,
    );
    await recordedLeads(app.services, site, 1, ago(0.01));
    await app.services.dailyCounts.run();
    expect(await itemsFor(owner, { kinds: ['SILENT_WEBSITE'] })).toEqual([]);
  });

  test('lists a silent website again when what came last turns out to be spam', async () => {
    const { dailyCounts, silence, handling, db } = app.services;
    const look = async () => {
      await dailyCounts.run();
      await silence.run();
      return (await itemsFor(owner, { kinds: ['SILENT_WEBSITE'] })).map(({ since }) => since);
    };
    await leadsUntil(9 * 24);
    const [judged, marked] = [
      ...(await recordedLeads(app.services, site, 1, ago(0.02))),
      ...(await recordedLeads(app.services, site, 1, ago(0.01))),
    ];
    await db.orm.notification.update({ where: { submissionId: marked! }, data: { state: 'sent' } });
    expect(await look()).toEqual([]);
    const verdict = {
      id: judged!,
      eventId: uuid(),
      score: 150,
      threshold: 100,
      filter: 'quarantine',
    } as const;
    expect(await recordVerdicts(db, [{ ...verdict, isWithheld: true, reasons: [] }])).toEqual([judged]);
    now = new Date(NOW.getTime() + 10 * 60_000);
    expect(await look()).toEqual([]);
    await handling.setState([marked!], 'spam', TEST_ACTOR);
    const since = [new Date(NOW.getTime() - 9 * 24 * HOUR_MS).toISOString()];
    expect(await look()).toEqual(since);
    await db.orm.submission.delete({ where: { id: judged! } });
    expect(await look()).toEqual(since);
    await handling.setState([marked!], 'new', TEST_ACTOR);
    expect(await look()).toEqual([]);
  });

  test('does not take a website for silent to which only spam came', async () => {
    const leads = await leadsUntil(9 * 24);
    expect(await kindsFor(owner)).toEqual(['SILENT_WEBSITE']);
    await app.services.handling.setState(leads, 'spam', TEST_ACTOR);
    await app.services.dailyCounts.run();
    await app.services.silence.run();
    expect(await kindsFor(owner)).toEqual([]);
  });

  test.each([
    ['takes no website for silent in its night, when leads come to all others', 7, []],
    ['takes a website for silent in its day, when it is night for all others', -3, ['SILENT_WEBSITE']],
  ])('%s', async (_, last, kinds) => {
    // It is noon in UTC on a Monday, and late in the evening in Nouméa, where leads come from 21 to 7 h UTC.
    const midnight = new Date(now.toISOString().slice(0, 10)).getTime();
    for (let day = -28; day <= 0; day += 1) {
      const isWorkday = new Date(midnight + day * 24 * HOUR_MS).getUTCDay() % 6 > 0;
      for (let hour = -3; isWorkday && hour < 24; hour += 1) {
        const at = new Date(midnight + (day * 24 + hour + 0.5) * HOUR_MS);
        if (hour < 7 && (day < 0 || hour < last)) await addSubmissions(app.services, site, 2, at);
        if (hour >= 8 && hour < 18 && at < now) await addSubmissions(app.services, other, 5, at);
      }
    }
    await app.services.db.orm.rollupMark.deleteMany();
    await countAllDays(app.services);
    expect(await kindsFor(staff)).toEqual(kinds);
  });

  test('measures a silence by leads alone, however much spam comes, and whether it is deleted', async () => {
    const { db, dailyCounts, handling, silence } = app.services;
    await leadsUntil(2);
    const known = async () => {
      await db.orm.rollupMark.deleteMany();
      await countAllDays(app.services);
      const habits = await db.orm.leadHabit.findMany();
      const hours = await db.orm.leadHour.findMany({ orderBy: { hour: 'asc' } });
      return { habits, hours, pace: await readPace(db, now) };
    };
    const before = await known();
    expect(before.habits).toMatchObject([{ leads: 20 }]);
    const spam: string[] = [];
    for (let day = 0; day < 9; day++)
      spam.push(...(await recordedLeads(app.services, site, 5, ago(day * 24 + 1))));
    await dailyCounts.run();
    await handling.setState(spam, 'spam', TEST_ACTOR);
    expect(await known()).toEqual(before);
    await db.orm.submission.deleteMany({ where: { id: { in: spam } } });
    expect(await known()).toEqual(before);
    await silence.run();
    expect(await kindsFor(owner)).toEqual([]);
  });

  test.each([
    [
      'is enabled again',
      'updateWebsite',
      'WebsiteChangesInput',
      () => site,
      { disabled: true },
      { disabled: false },
    ],
    [
      'has its team resumed',
      'updateTeam',
      'UpdateTeamInput',
      () => teamId,
      { active: false },
      { active: true },
    ],
  ])('measures the silence of a website that %s since then', async (_, name, input, id, off, on) => {
    const { db, silence } = app.services;
    const set = (values: object) =>
      staff.ask(`mutation ($id: ID!, $input: ${input}!) { ${name}(id: $id, input: $input) { id } }`, {
        id: String(id()),
        input: values,
      });
    await set(off);
    await leadsUntil(120 * 24);
    await set(on);
    await db.orm.auditEvent.updateMany({ data: { createdAt: ago(2) } });
    await silence.run();
    expect(await kindsFor(owner)).toEqual([]);
    await db.orm.auditEvent.updateMany({ data: { createdAt: ago(9 * 24) } });
    await silence.run();
    expect(await kindsFor(owner)).toEqual(['SILENT_WEBSITE']);
    // Also when it had been silent before.
    await set(off);
    await silence.run();
    await set(on);
    expect(await kindsFor(owner)).toEqual([]);
    await silence.run();
    expect(await kindsFor(owner)).toEqual([]);
  });

  test('takes no website for silent while the past is still being counted', async () => {
    const { db, dailyCounts, silence } = app.services;
    await leadsUntil(9 * 24);
    await db.orm.leadHabit.updateMany({ data: { silentAt: null } });
    await db.orm.backfill.create({ data: { name: 'daily_counts' } });
    await silence.run();
    expect(await itemsFor(staff)).toEqual([]);
    await db.orm.backfill.update({ where: { name: 'daily_counts' }, data: { passes: 1 } });
    await db.orm.dailyCount.create({ data: { websiteId: other, formId, day: ago(48) } });
    await silence.run();
    expect(await itemsFor(staff)).toEqual([]);
    await dailyCounts.run();
    await silence.run();
    expect(await kindsFor(staff)).toEqual(['SILENT_WEBSITE']);
    await db.orm.backfill.deleteMany();
  });

  test('is about no disabled website and no suspended team', async () => {
    await leadsUntil(9 * 24, await websiteId(app.services, 'off.acme.test'));
    expect(await itemsFor(staff)).toEqual([]);
    await leadsUntil(9 * 24);
    expect(await kindsFor(staff)).toEqual(['SILENT_WEBSITE']);
    const { orm } = app.services.db;
    await orm.team.update({ where: { id: teamId }, data: { active: false } });
    expect(await itemsFor(staff)).toEqual([]);
    await orm.team.update({ where: { id: teamId }, data: { active: true } });
  });

  test('lists leads whose e-mail failed or had no recipient, without spam, until it was sent', async () => {
    const leads = await leadsUntil(2);
    const { orm } = app.services.db;
    const set = (n: number, state: 'failed' | 'no_recipient' | 'sent') =>
      orm.notification.update({ where: { submissionId: leads[n]! }, data: { state } });
    await set(0, 'failed');
    await set(1, 'failed');
    await set(2, 'no_recipient');
    await orm.submission.update({ where: { id: leads[1]! }, data: { state: 'spam' } });
    const [item] = await itemsFor(member);
    expect(item).toMatchObject({
      kind: 'MAIL_FAILING',
      severity: 'WARNING',
      action: 'OPEN_UNSENT',
      since: ago(26).toISOString(),
      summary: '1 e-mail has failed; 1 lead has no recipient',
    });
    await set(0, 'sent');
    expect(await itemsFor(member)).toMatchObject([{ action: 'OPEN_RECIPIENTS' }]);
    await set(2, 'sent');
    expect(await itemsFor(member)).toEqual([]);
  });

  test('lists e-mails that failed for weeks, until a later one has arrived where they did not', async () => {
    const { orm } = app.services.db;
    const leadAt = async (hoursAgo: number, data: object) => {
      const [id = ''] = await recordedLeads(app.services, site, 1, ago(hoursAgo));
      await orm.notification.update({ where: { submissionId: id }, data });
      return id;
    };
    const rule = [
      { scope: 'form', index: 0, when: { match: 'all', rules: [] }, recipients: ['desk@acme.test'] },
    ];
    await leadAt(20 * 24, { state: 'failed', refused: ['desk@acme.test'], matchedRules: rule });
    await leadAt(12 * 24, { state: 'failed', refused: ['desk@acme.test'], matchedRules: rule });
    const listed = {
      kind: 'MAIL_FAILING',
      since: ago(20 * 24).toISOString(),
      summary: '2 e-mails have failed',
    };
    expect(await itemsFor(member)).toMatchObject([listed]);
    // By no rule, to the others.
    await leadAt(48, { state: 'sent', sentAt: ago(48), deliveredTo: ['info@acme.test'] });
    expect(await itemsFor(member)).toMatchObject([listed]);
    const arrived = { state: 'sent', sentAt: ago(15 * 24), deliveredTo: ['desk@acme.test'] };
    await leadAt(15 * 24, arrived);
    expect(await itemsFor(member)).toMatchObject([
      { since: ago(12 * 24).toISOString(), summary: '1 e-mail has failed' },
    ]);
    await leadAt(24, { ...arrived, sentAt: ago(24) });
    expect(await itemsFor(member)).toEqual([]);
    // What failed within a week reached nobody, whatever came after it.
    await leadAt(3 * 24, { state: 'failed', refused: ['desk@acme.test'] });
    expect(await itemsFor(member)).toMatchObject([{ summary: '1 e-mail has failed' }]);
  });

  test('lists leads without a recipient for weeks, until a later one about the form was sent', async () => {
    const { orm } = app.services.db;
    await recordedLeads(app.services, site, 1, ago(20 * 24));
    await orm.notification.updateMany({ data: { state: 'no_recipient' } });
    expect(await itemsFor(member)).toMatchObject([{ kind: 'MAIL_FAILING', action: 'OPEN_RECIPIENTS' }]);
    const [later] = await recordedLeads(app.services, site, 1, ago(24));
    await orm.notification.update({
      where: { submissionId: later! },
      data: { state: 'sent', sentAt: ago(24), deliveredTo: ['desk@acme.test'] },
    });
    expect(await itemsFor(member)).toEqual([]);
  });

  test('looks for a later e-mail that ends failed ones in the latest 2,000 submissions of the website', async () => {
    const { orm } = app.services.db;
    const [failed, arrived] = [
      await recordedLeads(app.services, site, 1, ago(20 * 24)),
      await recordedLeads(app.services, site, 1, ago(48)),
    ].flat();
    await orm.notification.update({ where: { submissionId: failed! }, data: { state: 'failed' } });
    await orm.notification.update({
      where: { submissionId: arrived! },
      data: { state: 'sent', sentAt: ago(48) },
    });
    await addSubmissions(app.services, site, 1_999, ago(24));
    expect(await itemsFor(member)).toEqual([]);
    await addSubmissions(app.services, site, 1, ago(24));
    expect(await itemsFor(member)).toMatchObject([{ kind: 'MAIL_FAILING' }]);
  });

  test('tells staff and the teams concerned that no worker gets e-mails to the mail server, after ten minutes', async () => {
    await recordedLeads(app.services, site, 2, ago(0.1));
    const { orm } = app.services.db;
    await orm.notification.updateMany({ data: { createdAt: ago(0.1), retryingSince: ago(0.1) } });
    expect(await itemsFor(staff)).toEqual([]);
    await orm.notification.updateMany({ data: { createdAt: ago(0.5), retryingSince: ago(0.5) } });
    const held = {
      kind: 'MAIL_HELD',
      severity: 'URGENT',
      website: null,
      summary: '2 e-mails wait for the mail server, the oldest for 30 minutes',
    };
    expect(await itemsFor(staff)).toMatchObject([{ ...held, action: 'OPEN_GUIDE', team: null }]);
    for (const [client, variables] of [
      [owner, {}],
      [staff, { teamId: String(teamId) }],
    ] as const) {
      const item = { ...held, action: 'OPEN_WAITING', team: { name: 'acme' } };
      expect(await itemsFor(client, variables)).toMatchObject([item]);
    }
    expect(await itemsFor(stranger)).toEqual([]);
  });

  test('takes no e-mail of an old lead for held that is sent again, nor for put off for hours', async () => {
    const [lead, deferred] = await recordedLeads(app.services, site, 2, ago(72));
    const { orm } = app.services.db;
    await orm.notification.updateMany({
      data: { createdAt: ago(72), retryingSince: ago(72), state: 'failed', attempts: 1 },
    });
    await orm.$transaction((tx) => reopenNotifications(tx, [lead!, deferred!]));
    await orm.notification.updateMany({ data: { retryingSince: ago(0.1) } });
    await orm.notification.update({ where: { submissionId: deferred! }, data: { retries: 1 } });
    expect(await itemsFor(staff)).toEqual([]);
    await orm.notification.updateMany({ data: { retryingSince: ago(2.5) } });
    expect(await itemsFor(staff)).toMatchObject([
      { kind: 'MAIL_HELD', severity: 'URGENT', since: ago(2.5).toISOString() },
      { kind: 'MAIL_HELD', severity: 'WARNING', since: ago(2.5).toISOString() },
    ]);
  });

  test('lists e-mails that a recipient’s server puts off for hours', async () => {
    await recordedLeads(app.services, site, 1, ago(3));
    const { orm } = app.services.db;
    await orm.notification.updateMany({ data: { createdAt: ago(3), retryingSince: ago(3), retries: 4 } });
    expect(await itemsFor(owner)).toMatchObject([
      { kind: 'MAIL_HELD', severity: 'WARNING', action: 'OPEN_WAITING', website: { name: 'www.acme.test' } },
    ]);
  });

  test('lists a captcha provider that fails again and again, not one that fails once', async () => {
    await addIncidents('timeout', 4);
    // Of the same submissions, when the step is the last one.
    await addIncidents('pass_through', 4);
    expect(await itemsFor(owner)).toEqual([]);
    await addIncidents('server_error', 1);
    expect(await itemsFor(owner)).toMatchObject([
      {
        kind: 'CAPTCHA_FAILING',
        action: 'OPEN_CAPTCHA',
        summary: 'The captcha turnstile:main failed 5 times within the last hour',
      },
    ]);
    now = new Date(NOW.getTime() + 2 * HOUR_MS);
    expect(await itemsFor(owner)).toEqual([]);
  });

  test('lists refused credentials of a captcha until the chain is saved', async () => {
    await addIncidents('secret_refused', 1, 5);
    expect(await itemsFor(owner)).toMatchObject([{ kind: 'CAPTCHA_MISCONFIGURED', severity: 'URGENT' }]);
    await app.services.db.orm.auditEvent.create({
      data: {
        teamId,
        channel: 'panel',
        action: 'captcha_chain.updated',
        subjectType: 'website',
        subjectId: site,
        createdAt: ago(1),
      },
    });
    expect(await itemsFor(owner)).toEqual([]);
    await addIncidents('secret_refused', 1, 0.5);
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_MISCONFIGURED']);
  });

  test('lists refused credentials for weeks, until a visitor has passed that step', async () => {
    await addIncidents('secret_refused', 1, 20 * 24);
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_MISCONFIGURED']);
    const leads = await recordedLeads(app.services, site, 3, ago(1));
    const { orm } = app.services.db;
    await orm.notification.updateMany({ data: { state: 'sent', sentAt: ago(1) } });
    const pass = (n: number, captchaKey: string, captchaGround: 'first' | 'pass_through') =>
      orm.submission.update({ where: { id: leads[n]! }, data: { captchaKey, captchaGround } });
    await pass(0, 'turnstile:other', 'first');
    await pass(1, 'turnstile:main', 'pass_through');
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_MISCONFIGURED']);
    await pass(2, 'turnstile:main', 'first');
    expect(await itemsFor(owner)).toEqual([]);
    await addIncidents('secret_refused', 1, 0.5);
    expect(await itemsFor(owner)).toMatchObject([
      { kind: 'CAPTCHA_MISCONFIGURED', since: ago(0.5).toISOString() },
    ]);
  });

  test('takes a visitor who has passed before the latest 2,000 submissions from the counts of the day', async () => {
    await addIncidents('secret_refused', 1, 20 * 24);
    const { orm } = app.services.db;
    const [passed] = await recordedLeads(app.services, site, 1, ago(48));
    await orm.notification.updateMany({ data: { state: 'sent', sentAt: ago(48) } });
    const step = { captchaKey: 'turnstile:main', captchaGround: 'first' } as const;
    await orm.submission.update({ where: { id: passed! }, data: step });
    await addSubmissions(app.services, site, 1_999, ago(24));
    expect(await itemsFor(owner)).toEqual([]);
    await addSubmissions(app.services, site, 1, ago(24));
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_MISCONFIGURED']);
    const count = { websiteId: site, stepKey: 'turnstile:main', day: ago(48), verdict: 'accepted' } as const;
    await orm.captchaCount.create({ data: count });
    expect(await itemsFor(owner)).toEqual([]);
    await orm.captchaCount.deleteMany();
  });

  test('knows of a visitor who has passed a captcha also when the submission is deleted', async () => {
    await addIncidents('secret_refused', 1, 2 * 24);
    const { captchaCount } = app.services.db.orm;
    const count = { websiteId: site, stepKey: 'turnstile:main', day: new Date('2026-06-14') };
    await captchaCount.create({ data: { ...count, verdict: 'refused' } });
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_MISCONFIGURED']);
    await captchaCount.create({ data: { ...count, verdict: 'accepted' } });
    expect(await itemsFor(owner)).toEqual([]);
    await addIncidents('secret_refused', 1, 0.5);
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_MISCONFIGURED']);
    await captchaCount.deleteMany();
  });

  test('lists a captcha provider that fails again and again also while some visitors pass', async () => {
    await addIncidents('timeout', 5);
    const [lead] = await recordedLeads(app.services, site, 1, ago(0.1));
    const { orm } = app.services.db;
    await orm.notification.updateMany({ data: { state: 'sent', sentAt: ago(0.1) } });
    await orm.submission.update({
      where: { id: lead! },
      data: { captchaKey: 'turnstile:main', captchaGround: 'first' },
    });
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_FAILING']);
  });

  test('forecasts the day on which a quota is reached, and says when it is', async () => {
    const { orm } = app.services.db;
    const { id: planId } = await orm.plan.create({
      data: { code: `small-${Date.now()}`, name: 'Small', notificationsPerMonth: 100 },
    });
    const { planId: former } = await orm.team.findUniqueOrThrow({ where: { id: teamId } });
    await orm.team.update({ where: { id: teamId }, data: { planId } });
    const month = new Date('2026-06-01T00:00:00Z');
    const use = (used: number) =>
      orm.quotaUsage.upsert({
        where: { teamId_month: { teamId, month } },
        create: { teamId, month, used },
        update: { used },
      });
    await use(79);
    expect(await itemsFor(owner)).toEqual([]);
    await use(80);
    expect(await itemsFor(owner)).toMatchObject([
      {
        kind: 'QUOTA_NEAR',
        severity: 'NOTICE',
        action: 'OPEN_PLAN',
        summary: '80 of 100 e-mails are used; at this rate the quota is reached on 19 June',
      },
    ]);
    await use(95);
    expect(await itemsFor(owner)).toMatchObject([{ kind: 'QUOTA_NEAR', severity: 'WARNING' }]);
    await use(100);
    expect(await itemsFor(owner)).toMatchObject([{ kind: 'QUOTA_REACHED', severity: 'WARNING' }]);
    const [lead] = await recordedLeads(app.services, site, 1, ago(1));
    await orm.notification.update({ where: { submissionId: lead! }, data: { state: 'skipped_quota' } });
    expect(await itemsFor(owner)).toMatchObject([
      { severity: 'URGENT', summary: 'All 100 e-mails of the month are used; 1 is held back' },
    ]);
    await orm.team.update({ where: { id: teamId }, data: { planId: former } });
  });

  test('lists what a quota holds back also months later and in a larger plan, until nothing is held', async () => {
    const { orm } = app.services.db;
    const { id: planId } = await orm.plan.create({
      data: { code: `held-${Date.now()}`, name: 'Small', notificationsPerMonth: 100 },
    });
    const { planId: former } = await orm.team.findUniqueOrThrow({ where: { id: teamId } });
    await orm.team.update({ where: { id: teamId }, data: { planId } });
    const leads = await recordedLeads(app.services, site, 3, ago(100 * 24));
    await orm.notification.updateMany({ data: { state: 'skipped_quota' } });
    // Its e-mail is held and sent like the others, whatever the panel says of the lead.
    await orm.submission.update({ where: { id: leads[2]! }, data: { state: 'done' } });
    const { held: heldCount } = await app.services.heldEmails.readHeld(teamId);
    expect(heldCount).toBe(3);
    const held = { kind: 'QUOTA_REACHED', severity: 'URGENT', action: 'OPEN_HELD' };
    const summary = '3 e-mails are held back by a quota that was used up';
    expect(await itemsFor(owner)).toMatchObject([
      { ...held, summary, since: ago(100 * 24).toISOString(), team: { name: 'acme' } },
    ]);
    await orm.quotaUsage.create({ data: { teamId, month: new Date('2026-06-01'), used: 90 } });
    expect(await kindsFor(owner)).toEqual(['QUOTA_REACHED', 'QUOTA_NEAR']);
    await orm.team.update({ where: { id: teamId }, data: { planId: former } });
    expect(await itemsFor(owner)).toMatchObject([{ ...held, summary }]);
    await orm.submission.update({ where: { id: leads[0]! }, data: { state: 'archived' } });
    await orm.notification.updateMany({
      where: { submissionId: { in: leads.slice(1) } },
      data: { state: 'sent' },
    });
    expect(await itemsFor(owner)).toEqual([]);
  });

  test('lists a webhook that has failed for an hour or is disabled for it, until it is delivered to again', async () => {
    const { webhook } = app.services.db.orm;
    const { id } = await webhook.create({
      data: {
        id: uuid(),
        teamId,
        url: 'https://hooks.acme.test/in',
        events: ['submission.created'],
        secretCipher: Buffer.from('x'),
        failingSince: ago(59 / 60),
      },
    });
    expect(await itemsFor(owner)).toEqual([]);
    await webhook.update({ where: { id }, data: { failingSince: ago(61 / 60) } });
    const failing = { kind: 'WEBHOOK_FAILING', severity: 'WARNING', action: 'OPEN_WEBHOOKS' };
    expect(await itemsFor(owner)).toMatchObject([
      { ...failing, summary: 'Deliveries to the webhook at hooks.acme.test fail' },
    ]);
    await webhook.update({ where: { id }, data: { state: 'failing' } });
    expect(await itemsFor(owner)).toMatchObject([failing]);
    await webhook.update({ where: { id }, data: { state: 'active', failingSince: null } });
    expect(await itemsFor(owner)).toEqual([]);
    await webhook.delete({ where: { id } });
  });

  test('lists missing translations and patterns that are not enforced, of each new version of a form', async () => {
    const { orm } = app.services.db;
    const field = await orm.formField.findFirstOrThrow({ where: { formId } });
    await orm.formTranslation.create({ data: { formId, locale: 'de' } });
    await orm.formField.update({ where: { id: field.id }, data: { attributes: { pattern: '(?=a)b' } } });
    await orm.form.update({ where: { id: formId }, data: { version: { increment: 1 } } });
    await app.services.formFindings.run();
    const items = await itemsFor(owner);
    expect(items.map(({ kind, action, form }) => [kind, action, form?.name])).toEqual(
      expect.arrayContaining([
        ['TRANSLATIONS_MISSING', 'OPEN_TRANSLATIONS', 'Contact'],
        ['PATTERN_NOT_ENFORCED', 'OPEN_FIELDS', 'Contact'],
      ]),
    );
    expect(items.find(({ kind }) => kind === 'TRANSLATIONS_MISSING')?.summary).toMatch(
      /^\d+ texts are not translated \(German, English\)$/,
    );
    await orm.formTranslation.deleteMany({ where: { formId } });
    await orm.formField.update({ where: { id: field.id }, data: { attributes: {} } });
    await orm.form.update({ where: { id: formId }, data: { version: { increment: 1 } } });
    await app.services.formFindings.run();
    expect(await itemsFor(owner)).toEqual([]);
  });

  test('says so where a check fails, which hides none of the others, and is an error when all fail', async () => {
    const { orm } = app.services.db;
    await addIncidents('timeout', 6);
    await orm.$executeRaw`ALTER TABLE webhooks RENAME failing_since TO lost`;
    try {
      for (const client of [staff, owner]) {
        expect((await kindsFor(client)).sort()).toEqual(['CAPTCHA_FAILING', 'UNCHECKED']);
      }
      const unchecked = (await itemsFor(owner)).find(({ kind }) => kind === 'UNCHECKED');
      expect(unchecked).toMatchObject({ severity: 'WARNING', action: 'OPEN_GUIDE', team: null });
      expect(await itemsFor(owner, { kinds: ['CAPTCHA_FAILING'] })).toHaveLength(1);
      expect(await itemsFor(owner, { kinds: ['UNCHECKED'] })).toHaveLength(1);
      const NARROWED = '{ websites(needsAttention: true) { edges { node { id } } } }';
      expect(await staff.refused(NARROWED)).toBe('INTERNAL_SERVER_ERROR');
      expect(await staff.refused(ASK, { kinds: ['WEBHOOK_FAILING'] })).toBe('INTERNAL_SERVER_ERROR');
      const HEALTH = 'query ($id: ID!) { website(id: $id) { health { kind } } }';
      const { health } = (await owner.ask(HEALTH, { id: site })).website;
      expect(health.map(({ kind }: Item) => kind).sort()).toEqual(['CAPTCHA_FAILING', 'UNCHECKED']);
    } finally {
      await orm.$executeRaw`ALTER TABLE webhooks RENAME lost TO failing_since`;
    }
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_FAILING']);
  });

  test('shows each viewer their own teams, the most urgent items first, page by page', async () => {
    await leadsUntil(9 * 24);
    await leadsUntil(8 * 24, other);
    await addIncidents('secret_refused', 1);
    const all = ['CAPTCHA_MISCONFIGURED', 'SILENT_WEBSITE', 'SILENT_WEBSITE'];
    expect(await kindsFor(staff)).toEqual(all);
    expect(await kindsFor(owner)).toEqual(all.slice(0, 2));
    expect(await itemsFor(stranger)).toMatchObject([{ website: { name: 'www.globex.test' } }]);
    expect((await itemsFor(staff)).map(({ website: of }) => of?.name)).toEqual([
      'www.acme.test',
      'www.globex.test',
      'www.acme.test',
    ]);
    expect(await itemsFor(staff, { kinds: ['CAPTCHA_MISCONFIGURED'] })).toHaveLength(1);
    expect(await itemsFor(staff, { teamId })).toHaveLength(2);
    expect(await stranger.refused(ASK, { teamId })).toBe('NOT_FOUND');
    const seen: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { attention } = await staff.ask(ASK, { first: 1, after });
      seen.push(...attention.edges.map(({ node }: { node: Item }) => node.kind));
      ({ endCursor: after, hasNextPage: more } = attention.pageInfo);
    }
    expect(seen).toEqual(all);
  });
});

describe('an expected silence', () => {
  const SET = `mutation ($id: ID!, $until: DateTimeISO!, $reason: String) {
    setAside(kind: SILENT_WEBSITE, websiteId: $id, until: $until, reason: $reason) { until reason setByName }
  }`;
  const END = 'mutation ($id: ID!) { endSetAside(kind: SILENT_WEBSITE, websiteId: $id) }';
  const until = new Date(NOW.getTime() + 7 * 24 * HOUR_MS).toISOString();

  test('is left out of the list until its day, for everybody, and is in the audit trail', async () => {
    await leadsUntil(9 * 24);
    const { setAside } = await owner.ask(SET, { id: site, until, reason: 'Summer holidays' });
    expect(setAside).toEqual({ until, reason: 'Summer holidays', setByName: 'owner@acme.test' });
    expect(await itemsFor(staff)).toEqual([]);
    const list = 'query ($id: ID!) { setAsides(websiteId: $id) { kind reason } }';
    expect((await member.ask(list, { id: site })).setAsides).toEqual([
      { kind: 'SILENT_WEBSITE', reason: 'Summer holidays' },
    ]);
    now = new Date(NOW.getTime() + 8 * 24 * HOUR_MS);
    expect(await kindsFor(staff)).toEqual(['SILENT_WEBSITE']);
    const [event] = await app.services.db.orm.auditEvent.findMany({
      where: { action: 'attention.set_aside' },
    });
    expect(event).toMatchObject({ teamId, subjectId: site, detail: { kind: 'SILENT_WEBSITE', until } });
  });

  test('is listed again when it is taken back, which is audited too', async () => {
    await leadsUntil(9 * 24);
    await owner.ask(SET, { id: site, until });
    expect((await owner.ask(END, { id: site })).endSetAside).toBe(true);
    expect((await owner.ask(END, { id: site })).endSetAside).toBe(false);
    expect(await kindsFor(owner)).toEqual(['SILENT_WEBSITE']);
    const { orm } = app.services.db;
    expect(await orm.auditEvent.count({ where: { action: 'attention.listed_again' } })).toBe(1);
  });

  test('is left out of a list that was asked for after it, also while one of before is read, and so when it ends', async () => {
    await leadsUntil(9 * 24);
    /** Lists the kinds that need attention after a change during which the checks of an earlier list have begun. */
    const listedAfter = async (change: () => Promise<unknown>): Promise<string[]> => {
      const lists: Promise<string[]>[] = [];
      await app.services.db.orm.$transaction(async (tx) => {
        await tx.$executeRaw`LOCK TABLE form_findings IN ACCESS EXCLUSIVE MODE`;
        lists.push(kindsFor(owner));
        await eventually(() => isWaitingForLock(app.services));
        await change();
        lists.push(kindsFor(owner));
        await pause(200);
      });
      await lists[0];
      return lists[1]!;
    };
    expect(await listedAfter(() => owner.ask(SET, { id: site, until }))).toEqual([]);
    expect(await listedAfter(() => owner.ask(END, { id: site }))).toEqual(['SILENT_WEBSITE']);
  });

  test('does not hide what else is wrong with the website', async () => {
    await leadsUntil(9 * 24);
    await addIncidents('secret_refused', 1);
    await owner.ask(SET, { id: site, until });
    expect(await kindsFor(owner)).toEqual(['CAPTCHA_MISCONFIGURED']);
  });

  test.each([
    ['the past', new Date(NOW.getTime() - HOUR_MS).toISOString()],
    ['more than a year from now', new Date(NOW.getTime() + 367 * 24 * HOUR_MS).toISOString()],
  ])('is refused until %s', async (_, wrong) => {
    expect(await owner.refused(SET, { id: site, until: wrong })).toBe('BAD_USER_INPUT');
  });
});

test('the day is told with what is usual by this hour of this weekday', async () => {
  for (let week = 1; week <= 4; week++) {
    // Half of a Monday's leads come before noon.
    await recordedLeads(app.services, site, 4, new Date(NOW.getTime() - (week * 168 + 3) * HOUR_MS));
    await recordedLeads(app.services, site, 4, new Date(NOW.getTime() - (week * 168 - 3) * HOUR_MS));
  }
  // The fifth week before has none on its Monday.
  await recordedLeads(app.services, site, 1, new Date(NOW.getTime() - 36 * 24 * HOUR_MS));
  await recordedLeads(app.services, site, 3, ago(2));
  await app.services.db.orm.rollupMark.deleteMany();
  await countAllDays(app.services);
  const { today } = await owner.ask(
    '{ today { leads usualLeads leadsPerDay attentionCount checkedAt areCountsLate emails { sent pending unsent } } }',
  );
  expect(today).toEqual({
    leads: 3,
    usualLeads: 3,
    attentionCount: 0,
    checkedAt: NOW.toISOString(),
    areCountsLate: false,
    leadsPerDay: [0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 3],
    emails: { sent: 0, pending: 3, unsent: 0 },
  });
});

test('the day says that its counts are late once no worker has counted for five minutes', async () => {
  const { orm } = app.services.db;
  const late = async () => (await owner.ask('{ today { areCountsLate } }')).today.areCountsLate;
  for (const [minutes, isLate] of [
    [5, false],
    [6, true],
  ] as const) {
    await orm.rollupMark.updateMany({ data: { countedUntil: new Date(NOW.getTime() - minutes * 60_000) } });
    expect(await late()).toBe(isLate);
  }
  await orm.rollupMark.deleteMany();
  expect(await late()).toBe(true);
});

test('no website is taken for silent by counts from before a pause of all workers', async () => {
  const { orm } = app.services.db;
  const { services } = app;
  await orm.submission.deleteMany();
  await orm.dailyCount.deleteMany();
  await orm.leadHabit.deleteMany();
  for (let n = 0; n < 40; n++) await recordedLeads(services, site, 1, ago(96 + n * 12));
  await countAllDays(services);
  await orm.leadHabit.updateMany({ data: { silentAt: null } });
  await orm.rollupMark.updateMany({ data: { countedUntil: ago(72) } });
  await recordedLeads(services, site, 1, ago(1));
  await services.silence.run();
  expect((await orm.leadHabit.findFirstOrThrow()).silentAt).toBeNull();
  await services.dailyCounts.run();
  await services.silence.run();
  expect((await orm.leadHabit.findFirstOrThrow()).silentAt).toBeNull();
});
