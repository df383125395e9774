import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEMO_TEAMS } from '../../src/embedded/demo/agency.js';
import { loadDemo } from '../../src/embedded/demo/demo.js';
import { FORM_INCLUDE, formContent } from '../../src/forms/definition/form.mapper.js';
import { readPatternsNow } from '../../src/forms/definition/patterns.js';
import { readValues } from '../../src/forms/validation/field-values.js';
import { finish } from '../../src/lib/steps.js';
import { quotaMonth } from '../../src/plans/quota.queries.js';
import { purgeSpam } from '../../src/spam/purge.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { dumpTables } from '../support/database.js';
import { provision, team } from '../support/factories.js';
import { freshDataDir } from '../support/formgate.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

const DAY_MS = 86_400_000;

let app: TestApp;
let staff: PanelClient;

const startDemo = async (clock?: () => Date) => {
  const started = await startTestApp({ clock, env: { DATA_DIR: await freshDataDir() } });
  await loadDemo(started.services);
  return started;
};

beforeAll(async () => {
  app = await startDemo();
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});

afterAll(() => app?.close());

const leads = () =>
  app.services.db.orm.submission.findMany({
    include: { notification: { include: { attemptLog: true } }, requestedEmails: true, notes: true },
  });

describe('the demo', () => {
  test('says that it is one', async () => {
    expect(await staff.ask('{ installation { demo } }')).toEqual({ installation: { demo: true } });
  });

  test('has leads of ninety days for three clients on a dozen websites, the last of them minutes ago', async () => {
    const { db } = app.services;
    expect(await db.orm.website.count({ where: { team: { slug: { in: [...DEMO_TEAMS] } } } })).toBe(12);
    const rows = await leads();
    expect(rows.length).toBeGreaterThan(300);
    expect(rows.length).toBeLessThan(900);
    const ages = rows.map(({ createdAt }) => Date.now() - createdAt.getTime());
    expect(Math.min(...ages)).toBeGreaterThan(0);
    expect(Math.min(...ages)).toBeLessThan(30 * 60_000);
    expect(Math.max(...ages)).toBeLessThan(91 * DAY_MS);
    expect(new Set(rows.map(({ teamId }) => teamId)).size).toBe(3);
    expect(new Set(rows.map(({ formId }) => formId)).size).toBe(6);
    expect([...new Set(rows.map(({ locale }) => locale))].sort()).toEqual(['en', 'fr']);
    expect([...new Set(rows.map(({ state }) => state))].sort()).toEqual([
      'archived',
      'done',
      'in_progress',
      'new',
      'spam',
    ]);
    expect(rows.some(({ notes }) => notes.length > 0)).toBe(true);
    expect(rows.filter(({ attribution }) => attribution !== null).length).toBeGreaterThan(rows.length / 2);
    expect(await db.orm.visit.count()).toBeGreaterThan(rows.length);
  });

  test('has no spam that would be deleted at once', async () => {
    const { db } = app.services;
    expect(await db.orm.submission.count({ where: { state: 'spam' } })).toBeGreaterThan(3);
    expect(await purgeSpam(db)).toBe(0);
  });

  test('has values that its forms accept, with the consents as they were shown', async () => {
    const forms = await app.services.db.orm.form.findMany({ include: FORM_INCLUDE });
    const definitions = new Map(forms.map((form) => [form.id, formContent(form)]));
    for (const row of await leads()) {
      const form = definitions.get(row.formId)!;
      const body = row.values as Record<string, unknown>;
      const read = finish(readValues(form, readPatternsNow(form.fields), body, row.locale));
      expect(read).toMatchObject({ ok: true, values: body, undeclared: {}, consents: row.consents });
    }
  });

  test('is shown in the inbox with sender and topic, and found by a word', async () => {
    const { submissions } = await staff.ask(
      '{ submissions(first: 100) { edges { node { summary { title excerpt } } } } }',
    );
    for (const { node } of submissions.edges) {
      expect(node.summary.title).toMatch(/\S/);
      expect(node.summary.excerpt).toMatch(/\S/);
    }
    const { submissionCounts } = await staff.ask(
      '{ submissionCounts(filter: { text: "jardin" }) { total unsent { state count } } }',
    );
    expect(submissionCounts.total).toBeGreaterThan(5);
  });

  test('has e-mails that were sent, failed, are deferred and were held, with what the server said', async () => {
    const rows = await leads();
    const states = new Set(rows.map(({ notification }) => notification?.state));
    expect([...states].sort()).toEqual(expect.arrayContaining(['failed', 'pending', 'sent']));
    const attempts = rows.flatMap(({ notification }) => notification?.attemptLog ?? []);
    expect([...new Set(attempts.map(({ outcome }) => outcome))].sort()).toEqual([
      'deferred',
      'failed',
      'sent',
      'unknown',
    ]);
    expect(attempts.every(({ detail }) => /^\d of \d|^[245]\d\d |never confirmed/.test(detail ?? ''))).toBe(
      true,
    );
    expect(rows.some(({ requestedEmails }) => requestedEmails.some(({ kind }) => kind === 'forwarded'))).toBe(
      true,
    );
    const [pending] = rows.filter(({ notification }) => notification?.state === 'pending');
    const { submission } = await staff.ask(
      `query ($id: ID!) { submission(id: $id) { notification {
         recipients { state lastAnswer nextAttemptAt } } } }`,
      { id: pending!.id },
    );
    expect(submission.notification.recipients).toEqual([
      { state: 'accepted', lastAnswer: expect.stringMatching(/^250/), nextAttemptAt: null },
      { state: 'waiting', lastAnswer: expect.stringMatching(/^451/), nextAttemptAt: expect.any(String) },
    ]);
  });

  test('has a trail and a quota that agree with the leads', async () => {
    const { db } = app.services;
    const events = await db.orm.auditEvent.findMany({
      where: { action: 'submission.state_changed' },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    const last = new Map(events.map(({ subjectId, detail }) => [subjectId, (detail as { to: string }).to]));
    const rows = await leads();
    for (const { id, state } of rows) expect(last.get(id) ?? 'new').toBe(state);
    const claimed = new Map<string, number>();
    const count = (teamId: number, at: Date | null | undefined) => {
      if (!at) return;
      const key = `${teamId} ${quotaMonth(at).toISOString()}`;
      claimed.set(key, (claimed.get(key) ?? 0) + 1);
    };
    for (const { teamId, notification, requestedEmails, createdAt } of rows) {
      if (notification?.quotaClaimedAt) count(teamId, createdAt);
      for (const { quotaClaimedAt } of requestedEmails) count(teamId, quotaClaimedAt);
    }
    const usages = await db.orm.quotaUsage.findMany({ include: { team: { include: { plan: true } } } });
    for (const { teamId, month, used, team: of } of usages) {
      const units = claimed.get(`${teamId} ${month.toISOString()}`) ?? 0;
      expect(used).toBeGreaterThanOrEqual(units);
      if (of.slug !== 'garages-morel') expect(used).toBe(units);
      expect(used).toBeLessThanOrEqual(of.plan.notificationsPerMonth!);
    }
    const { id } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'garages-morel' } });
    const { quotaHeld } = await staff.ask(
      'query ($id: ID!) { quotaHeld(teamId: $id) { held sendable used limit } }',
      { id },
    );
    expect(quotaHeld).toMatchObject({ used: 94, limit: 100 });
    // Of this month there may be fewer in its first days; those of the month before find no unit.
    const isOpen = (state: string) => !['spam', 'archived'].includes(state);
    const isHeld = rows.filter(
      ({ notification, state }) => notification?.state === 'skipped_quota' && isOpen(state),
    );
    const ofNow = isHeld.filter(({ createdAt }) => createdAt >= quotaMonth(new Date())).length;
    expect(quotaHeld).toMatchObject({ held: isHeld.length, sendable: ofNow });
  });

  test('names only domains that nobody can own', async () => {
    const tables = await dumpTables(app.database.url);
    const text = Object.entries(tables)
      .filter(([name]) => !/migrations|departments|captcha_links|field|form_snapshots/.test(name))
      .flatMap(([, rows]) => rows)
      .join('\n');
    const hosts = [...text.matchAll(/(?:@|https?:\/\/)([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi)].map(
      ([, host]) => host!,
    );
    expect(hosts.length).toBeGreaterThan(500);
    expect([...new Set(hosts)].filter((host) => !/\.(example|test)$/.test(host))).toEqual([]);
  });

  test('is loaded once: neither a later start nor a deletion brings it back', async () => {
    const { db } = app.services;
    // The demo's token is looked up, which is noted with it, and each start has a link of its own that logs in.
    const dump = async () => ({ ...(await dumpTables(app.database.url)), tokens: [], account_links: [] });
    const before: Record<string, string[]> = await dump();
    await loadDemo(app.services);
    expect(await dump()).toEqual(before);
    const { count } = await db.orm.submission.deleteMany({ where: { state: 'spam' } });
    await loadDemo(app.services);
    expect(await db.orm.submission.count()).toBe(before.submissions!.length - count);
  });
});

test('the demo is the same on the same day, with e-mails that the quota held back this month too', async () => {
  const now = new Date('2026-11-23T15:00:00Z');
  const dumps = [];
  for (const _ of [1, 2]) {
    const other = await startDemo(() => now);
    dumps.push(
      await other.services.db.orm.submission.findMany({
        select: {
          id: true,
          values: true,
          state: true,
          createdAt: true,
          notification: { select: { state: true } },
        },
      }),
    );
    await other.close();
  }
  expect(dumps[0]!.length).toBeGreaterThan(300);
  expect(dumps[1]).toEqual(dumps[0]);
  const held = dumps[0]!.filter(({ notification }) => notification?.state === 'skipped_quota');
  expect(held.filter(({ createdAt }) => createdAt >= quotaMonth(now)).length).toBe(3);
});

test('a database with teams of its own stays as it is, and is no demo', async () => {
  const other = await startTestApp({ env: { DATA_DIR: await freshDataDir() } });
  await provision(other.services, [team('acme')]);
  const before = await dumpTables(other.database.url);
  expect(await loadDemo(other.services)).toBeNull();
  expect(await dumpTables(other.database.url)).toEqual(before);
  const owner = await loggedIn(other.url, other.services, 'owner@acme.test');
  expect(await owner.ask('{ installation { demo } }')).toEqual({ installation: { demo: false } });
  await other.close();
});
