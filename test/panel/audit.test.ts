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
      teamId: String(teamId),
      action: 'test.counted',
      channel: 'panel',
      ip: '192.0.2.7',
      subjectType: 'thing',
      subjectId: '5',
      detail: { n: 5 },
      actor: { email: 'owner@acme.test' },
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

  test('name what they are about as it is called now, and nothing that has been deleted', async () => {
    const { orm } = app.services.db;
    const { id: websiteId, host } = await orm.website.findFirstOrThrow({ where: { teamId } });
    const form = await orm.form.findFirstOrThrow({ where: { teamId } });
    const plan = await orm.plan.findFirstOrThrow();
    const actor = { userId: ownerId, channel: 'panel', ip: null } as const;
    const told: (readonly [string, string | number, string | null])[] = [
      ['website', websiteId, host],
      ['form', form.id, form.name],
      ['team', teamId, 'acme'],
      ['plan', plan.id, plan.name],
      ['user', ownerId, 'owner@acme.test'],
      ['website', '01939a60-5c00-7a10-8b20-6c1f3a5e0001', null],
      ['website', 'no UUID', null],
      ['form', 2_147_483_647, null],
      ['plan', '99999999999999999999', null],
      ['submission', '01939a60-5c00-7a10-8b20-6c1f3a5e0001', null],
      ['constructor', 1, null],
    ];
    for (const [type, id] of told)
      await recordAudit(orm, actor, { teamId, action: 'test.named', subject: [type, id] });
    const { auditEvents } = await owner.ask(
      `query ($teamId: ID!) { auditEvents(teamId: $teamId, action: "test.named") {
        edges { node { subjectType subjectId subjectName } } } }`,
      { teamId },
    );
    const shown = auditEvents.edges.map(({ node }: { node: Record<string, string | null> }) => [
      node.subjectType,
      node.subjectId,
      node.subjectName,
    ]);
    const expected = told.map(([type, id, name]) => [type, String(id), name]);
    expect(shown).toHaveLength(told.length);
    expect(shown).toEqual(expect.arrayContaining(expected));
  });

  test('of plans have their values, before and after', async () => {
    const values = {
      name: 'Told',
      notificationsPerMonth: 100,
      submissionsPerMinute: 5,
      submissionsPerHour: 50,
    };
    const { createPlan } = await staff.ask(
      'mutation ($input: CreatePlanInput!) { createPlan(input: $input) { id } }',
      { input: { code: 'told', ...values } },
    );
    await staff.ask(
      'mutation ($id: ID!, $input: UpdatePlanInput!) { updatePlan(id: $id, input: $input) { id } }',
      {
        id: createPlan.id,
        input: { notificationsPerMonth: null, submissionsPerHour: 50 },
      },
    );
    const { auditEvents } = await staff.ask(
      '{ auditEvents(action: "plan.", first: 2) { edges { node { action detail subjectName } } } }',
    );
    expect(auditEvents.edges.map(({ node }: { node: object }) => node)).toEqual([
      {
        action: 'plan.updated',
        subjectName: 'Told',
        detail: {
          code: 'told',
          before: { notificationsPerMonth: 100 },
          changed: { notificationsPerMonth: null },
        },
      },
      { action: 'plan.created', subjectName: 'Told', detail: { code: 'told', ...values } },
    ]);
  });

  test('of websites and webhooks have their values, before and after, without what may be a secret', async () => {
    const { orm } = app.services.db;
    const { id, name } = await orm.website.findFirstOrThrow({ where: { teamId } });
    await owner.ask(
      'mutation ($id: ID!, $input: WebsiteChangesInput!) { updateWebsite(id: $id, input: $input) { id } }',
      {
        id,
        input: { company: `Acme ${'x'.repeat(200)}`, logo: 'https://cdn.acme.test/logo.png?token=s3cret' },
      },
    );
    const hook = (path: string) => ({
      url: `https://hooks.example.com/${path}`,
      events: ['submission_created'],
      description: 'CRM',
    });
    const { createWebhook } = await owner.ask(
      'mutation ($id: ID!, $input: WebhookInput!) { createWebhook(teamId: $id, input: $input) { secret webhook { id } } }',
      { id: teamId, input: hook('s3cret') },
    );
    const update = (input: object) =>
      owner.ask(
        'mutation ($id: ID!, $input: WebhookInput!) { updateWebhook(id: $id, input: $input) { id } }',
        {
          id: createWebhook.webhook.id,
          input,
        },
      );
    await update(hook('s3cret-too'));
    await update({ ...hook('s3cret-too'), description: '', events: ['form_changed'], websiteIds: [id] });
    await update({ ...hook('s3cret-too'), description: '', events: ['form_changed'], enabled: false });

    const events = await orm.auditEvent.findMany({
      where: { teamId, action: { in: ['website.updated', 'webhook.updated'] } },
      orderBy: { createdAt: 'asc' },
    });
    const told = { host: 'hooks.example.com', events: ['form.changed'] };
    expect(events.map(({ detail }) => detail)).toEqual([
      {
        before: { company: '', logo: '' },
        changed: { company: `Acme ${'x'.repeat(195)}…`, logo: 'https://cdn.acme.test/logo.png' },
      },
      {
        host: 'hooks.example.com',
        events: ['submission.created'],
        before: { url: 'hooks.example.com' },
        changed: { url: 'hooks.example.com' },
      },
      {
        ...told,
        before: { description: 'CRM', events: ['submission.created'], websiteIds: [] },
        changed: { description: '', events: ['form.changed'], websiteIds: [name] },
      },
      {
        ...told,
        before: { state: 'active', websiteIds: [name] },
        changed: { state: 'paused', websiteIds: [] },
      },
    ]);
    const csv = await (
      await owner.fetch(`/panel/exports/audit.csv?teamId=${teamId}&action=webhook.updated`)
    ).text();
    expect(csv).toContain(`description: CRM → none`);
    expect(csv).toContain('url: changed');
    expect(csv).toContain('state: active → paused');
    const all = JSON.stringify(await orm.auditEvent.findMany({ where: { teamId } }));
    expect(all).not.toContain('s3cret');
    expect(all).not.toContain(createWebhook.secret);
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

  test('name everybody who occurs in those of a team, members or not', async () => {
    const { orm } = app.services.db;
    const former = await createAccount(app.services, { email: 'former@acme.test' });
    const stranger = await createAccount(app.services, { email: 'elsewhere@acme.test' });
    const { id: other } = await orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    for (const [userId, id] of [
      [former, teamId],
      [stranger, other],
    ] as const) {
      const event = { teamId: id, action: 'test.acted', subject: ['thing', 1] } as const;
      await recordAudit(orm, { userId, channel: 'panel', ip: null }, event);
    }
    const ACTORS = 'query ($teamId: ID!) { auditActors(teamId: $teamId) { email } }';
    const { auditActors } = await owner.ask(ACTORS, { teamId });
    const emails = auditActors.map(({ email }: { email: string }) => email);
    expect(emails).toEqual(expect.arrayContaining(['owner@acme.test', 'former@acme.test']));
    expect(emails).not.toContain('elsewhere@acme.test');
    expect(await owner.refused(ACTORS, { teamId: other })).toBe('NOT_FOUND');
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
        teamId,
        channel: 'system' as const,
        action: 'form.saved',
        subjectType: 'form',
        subjectId: `=${index}`,
        createdAt: new Date(1_700_000_000_000 + index * 1_000),
      })),
    });
    const client = staff;
    const response = await client.fetch(`${CSV}?teamId=${teamId}&action=form.`);
    expect(response.headers.get('content-disposition')).toMatch(/filename="audit-\d{4}-\d\d-\d\d\.csv"/);
    const rows = rowsOf(await response.text());
    expect(rows).toHaveLength(2_500);
    const subjects = rows.map((row) => row.split(',')[10]);
    expect([subjects[0], subjects[2_499]]).toEqual(["'=2499", "'=0"]);
    const events = await db.orm.auditEvent.findMany({ where: { teamId, action: 'export.downloaded' } });
    expect(events.map(({ subjectId }) => subjectId)).toEqual(['audit.csv']);
    const from = new Date(1_700_000_000_000 + 2_000_000).toISOString();
    const later = await client.fetch(`${CSV}?teamId=${teamId}&action=form.saved&from=${from}`);
    expect(rowsOf(await later.text())).toHaveLength(500);
  });

  test('has the names of teams, accounts and subjects beside their ids, and none that is a formula', async () => {
    const { orm } = app.services.db;
    const { id: planId } = await orm.plan.findFirstOrThrow();
    const { id: teamId } = await orm.team.create({ data: { slug: 'named', name: '=1+1', planId } });
    const site = await orm.website.create({
      data: {
        teamId,
        name: 'Named',
        host: 'www.named.test',
        url: 'https://www.named.test',
        locale: 'fr',
        email: 'contact@named.test',
        signatureKeyCipher: Buffer.alloc(0),
      },
    });
    const { id: actorId } = await orm.user.findUniqueOrThrow({ where: { email: 'staff@agency.test' } });
    const about = { teamId, channel: 'panel' as const, action: 'named.done' };
    await orm.auditEvent.createMany({
      data: [
        { ...about, actorId, subjectType: 'website', subjectId: site.id, createdAt: new Date(3_000) },
        { ...about, subjectType: 'team', subjectId: String(teamId), createdAt: new Date(2_000) },
        // Of a form that was deleted nothing but its id is left.
        { ...about, subjectType: 'form', subjectId: '987654', createdAt: new Date(1_000) },
      ],
    });
    const text = await (await staff.fetch(`${CSV}?teamId=${teamId}&action=named.done`)).text();
    const [heading = '', ...rows] = text.trimEnd().split('\r\n');
    const columns = ['Team', 'Team name', 'Actor', 'Actor address', 'Subject', 'Subject name'];
    const positions = columns.map((column) => heading.split(',').indexOf(column));
    expect(rows.map((row) => positions.map((position) => row.split(',')[position]))).toEqual([
      [String(teamId), "'=1+1", String(actorId), 'staff@agency.test', site.id, 'www.named.test'],
      [String(teamId), "'=1+1", '', '', String(teamId), "'=1+1"],
      [String(teamId), "'=1+1", '', '', '987654', ''],
    ]);
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
    expect(await status('staff@agency.test', '?from=0000-01-01T00:00:00Z')).toBe(422);
    expect(await status('staff@agency.test', '?from=2026-01-02T00:00:00%2B02:00')).toBe(200);
  });
});
