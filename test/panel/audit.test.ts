import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { recordAudit } from '../../src/audit/audit.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { provision, team } from '../support/factories.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

const EVENTS = `query (
  $teamId: ID, $actorId: ID, $action: String, $from: DateTimeISO, $until: DateTimeISO,
  $first: Int, $after: String, $last: Int, $before: String
) {
  auditEvents(
    teamId: $teamId, actorId: $actorId, action: $action, from: $from, until: $until,
    first: $first, after: $after, last: $last, before: $before
  ) {
    edges { node { id teamId action channel ip subjectType subjectId detail createdAt actor { email } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

type Shown = {
  edges: { node: { id: string; action: string; subjectId: string; teamId: string } }[];
  pageInfo: object;
};

let app: TestApp;
let staff: PanelClient;
let owner: PanelClient;
let teamId: number;
let ownerId: number;
beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme'), team('globex')]);
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  const { db } = app.services;
  teamId = (await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } })).id;
  ownerId = (await db.orm.user.findUniqueOrThrow({ where: { email: 'owner@acme.test' } })).id;
  // In one transaction, so that all but the last have one and the same instant in the database.
  await db.orm.$transaction(async (tx) => {
    for (let n = 1; n <= 5; n += 1) {
      await recordAudit(
        tx,
        { userId: ownerId, channel: 'panel', ip: '192.0.2.7' },
        { teamId, action: 'test.counted', subject: ['thing', n], detail: { n } },
      );
    }
  });
  await db.orm.auditEvent.updateMany({
    where: { action: 'test.counted', subjectId: { not: '5' } },
    data: { createdAt: new Date('2026-01-02T03:04:05.006Z') },
  });
});
afterAll(() => app.close());

const found = async (client: PanelClient, variables: object): Promise<Shown> =>
  (await client.ask(EVENTS, variables)).auditEvents;

const subjects = ({ edges }: Shown) => edges.map(({ node }) => Number(node.subjectId));

describe('audit events', () => {
  test('name actor, action, subject, time and address', async () => {
    const { edges } = await found(owner, { teamId, action: 'test.counted', first: 1 });
    expect(edges[0]!.node).toMatchObject({
      ...{ teamId: String(teamId), action: 'test.counted', channel: 'panel', ip: '192.0.2.7' },
      ...{ subjectType: 'thing', subjectId: '5', detail: { n: 5 }, actor: { email: 'owner@acme.test' } },
    });
  });

  test('are listed page by page, newest first, also with equal times', async () => {
    const filter = { teamId, action: 'test.' };
    const all = await found(owner, filter);
    expect(all.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
    const order = subjects(all);
    expect([...order].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(order[0]).toBe(5);
    const first = await found(owner, { ...filter, first: 2 });
    const { endCursor } = first.pageInfo as { endCursor: string };
    const second = await found(owner, { ...filter, first: 2, after: endCursor });
    expect([...subjects(first), ...subjects(second)]).toEqual(order.slice(0, 4));
    const { startCursor } = second.pageInfo as { startCursor: string };
    expect(subjects(await found(owner, { ...filter, last: 1, before: startCursor }))).toEqual([order[1]]);
  });

  test('are filtered by action, actor and period', async () => {
    const period = { from: '2026-01-02T00:00:00Z', until: '2026-01-03T00:00:00Z' };
    expect(subjects(await found(owner, { teamId, ...period }))).toHaveLength(4);
    expect(subjects(await found(owner, { teamId, action: 'test.count' }))).toEqual([]);
    expect(subjects(await found(owner, { teamId, action: 'test.', actorId: ownerId }))).toHaveLength(5);
    expect(subjects(await found(owner, { teamId, actorId: 999_999 }))).toEqual([]);
  });

  test('show the address of staff to staff only', async () => {
    const { id: userId } = await app.services.db.orm.user.findUniqueOrThrow({
      where: { email: 'staff@agency.test' },
    });
    const event = { teamId, action: 'test.by_staff', subject: ['thing', 1] } as const;
    await recordAudit(app.services.db.orm, { userId, channel: 'panel', ip: '203.0.113.9' }, event);
    const query = `query ($teamId: ID!) { auditEvents(teamId: $teamId, action: "test.by_staff") {
      edges { node { ip actorId } } } }`;
    const shown = async (client: PanelClient) =>
      (await client.ask(query, { teamId })).auditEvents.edges.map(({ node }: { node: object }) => node);
    expect(await shown(owner)).toEqual([{ ip: null, actorId: String(userId) }]);
    expect(await shown(staff)).toEqual([{ ip: '203.0.113.9', actorId: String(userId) }]);
  });

  test('of the whole installation are visible to staff only', async () => {
    const { edges } = await found(staff, { first: 100 });
    expect(new Set(edges.map(({ node }) => node.teamId)).size).toBeGreaterThan(2);
    expect(await owner.refused(EVENTS, {})).toBe('FORBIDDEN');
  });

  test.each([
    [
      'an instant that no calendar has',
      ['2026-02-30T00:00:00.000000Z', '01939a60-5c00-7a10-8b20-6c1f3a5e0001'],
    ],
    ['no UUID', ['2026-02-03T00:00:00.000000Z', 'x']],
    ['too few parts', ['2026-02-03T00:00:00.000000Z']],
  ])('are refused after a cursor with %s', async (_name, key) => {
    const after = Buffer.from(JSON.stringify(key)).toString('base64url');
    expect(await owner.refused(EVENTS, { teamId, after })).toBe('BAD_USER_INPUT');
  });
});

describe('the download', () => {
  const CSV = '/panel/exports/audit.csv';
  const rowsOf = (text: string) => text.trimEnd().split('\r\n').slice(1);

  test('has every event of the filter, over more than one batch, the latest first, and is recorded', async () => {
    const { db } = app.services;
    const plan = await db.orm.plan.findFirstOrThrow();
    const { id: teamId } = await db.orm.team.create({
      data: { slug: 'long', name: 'Long', planId: plan.id },
    });
    await db.orm.auditEvent.createMany({
      data: Array.from({ length: 2_500 }, (_, index) => ({
        ...{ teamId, channel: 'system' as const, action: 'form.saved', subjectType: 'form' },
        ...{ subjectId: `=${index}`, createdAt: new Date(1_700_000_000_000 + index * 1_000) },
      })),
    });
    const client = staff;
    const response = await client.fetch(`${CSV}?teamId=${teamId}&action=form.`);
    expect(response.headers.get('content-disposition')).toMatch(/filename="audit-\d{4}-\d\d-\d\d\.csv"/);
    const rows = rowsOf(await response.text());
    expect(rows).toHaveLength(2_500);
    const subjects = rows.map((row) => row.split(',')[8]);
    expect([subjects[0], subjects[2_499]]).toEqual(["'=2499", "'=0"]);
    const events = await db.orm.auditEvent.findMany({ where: { teamId, action: 'export.downloaded' } });
    expect(events.map(({ subjectId }) => subjectId)).toEqual(['audit.csv']);
    const from = new Date(1_700_000_000_000 + 2_000_000).toISOString();
    const later = await client.fetch(`${CSV}?teamId=${teamId}&action=form.saved&from=${from}`);
    expect(rowsOf(await later.text())).toHaveLength(500);
  });

  test('is refused as the list is, and to faulty filters', async () => {
    const teams = await app.services.db.orm.team.findMany({ where: { slug: { in: ['acme', 'globex'] } } });
    const idOf = (slug: string) => teams.find((one) => one.slug === slug)?.id;
    const status = async (email: string, query: string) =>
      (await (await loggedIn(app.url, app.services, email)).fetch(`${CSV}${query}`)).status;
    expect((await fetch(`${app.url}${CSV}`)).status).toBe(401);
    expect(await status('owner@acme.test', '')).toBe(403);
    expect(await status('member@acme.test', `?teamId=${idOf('acme')}`)).toBe(403);
    expect(await status('owner@acme.test', `?teamId=${idOf('globex')}`)).toBe(404);
    expect(await status('owner@acme.test', `?teamId=${idOf('acme')}`)).toBe(200);
    expect(await status('staff@agency.test', '?from=yesterday')).toBe(422);
  });
});
