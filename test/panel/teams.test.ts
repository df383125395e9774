import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { call } from '../support/integrator.js';
import { countAllDays, recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';

const ROLE = `mutation ($teamId: ID!, $userId: ID!, $role: Role!) {
  changeRole(teamId: $teamId, userId: $userId, role: $role) { role }
}`;
const REMOVE = 'mutation ($teamId: ID!, $userId: ID!) { removeMember(teamId: $teamId, userId: $userId) }';
const INVITE = `mutation ($teamId: ID!, $input: InviteMemberInput!) {
  inviteMember(teamId: $teamId, input: $input) { role }
}`;

let app: TestApp;
let staff: PanelClient;
beforeAll(async () => {
  app = await startTestApp();
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await as('staff@agency.test');
});
afterAll(() => app.close());

const as = (email: string) => loggedIn(app.url, app.services, email);

const userId = async (email: string) =>
  (await app.services.db.orm.user.findUniqueOrThrow({ where: { email } })).id;

/** A team of its own for a test, with its usual members. */
async function aTeam(slug: string, plan: Record<string, unknown> = {}) {
  await provision(app.services, [team(slug, { plan: plan.code ?? 'default' })], plan);
  const { id } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug } });
  const [owner, admin, member] = await Promise.all(
    ['owner', 'admin', 'member'].map((role) => userId(`${role}@${slug}.test`)),
  );
  return { teamId: id, owner: owner!, admin: admin!, member: member! };
}

const reads = async (token: string) => (await call(app.url, 'GET', '/websites', { token })).status;

describe('teams', () => {
  test('are created, found by name, changed and suspended by staff', async () => {
    const plan = await app.services.db.orm.plan.create({ data: { code: 'gold', name: 'Gold' } });
    const CREATE =
      'mutation ($input: CreateTeamInput!) { createTeam(input: $input) { id slug active plan { code } } }';
    const input = { slug: 'made', name: 'Zürich Made', planId: plan.id };
    const { createTeam } = await staff.ask(CREATE, { input });
    expect(createTeam).toMatchObject({ slug: 'made', active: true, plan: { code: 'gold' } });
    expect(await staff.refused(CREATE, { input })).toBe('CONFLICT');
    expect(await staff.refused(CREATE, { input: { ...input, slug: 'x', planId: '999' } })).toBe('NOT_FOUND');
    const faulty = await staff.send(CREATE, { input: { ...input, slug: 'not a slug', name: '' } });
    expect(Object.keys(faulty.errors?.[0]?.extensions.errors ?? {})).toEqual(['input.slug', 'input.name']);

    const FIND = 'query ($search: String!) { teams(search: $search) { edges { node { slug } } } }';
    const { teams } = await staff.ask(FIND, { search: 'ZÜRICH' });
    expect(teams.edges).toEqual([{ node: { slug: 'made' } }]);
    expect((await staff.ask(FIND, { search: '%' })).teams.edges).toEqual([]);

    const UPDATE =
      'mutation ($id: ID!, $input: UpdateTeamInput!) { updateTeam(id: $id, input: $input) { name active } }';
    const variables = { id: createTeam.id, input: { active: false } };
    expect(await staff.ask(UPDATE, variables)).toEqual({
      updateTeam: { name: 'Zürich Made', active: false },
    });
    expect(await staff.ask('{ team(slug: "made") { active } }')).toEqual({ team: { active: false } });
    expect(await staff.refused('{ team { active } }')).toBe('BAD_USER_INPUT');
  });

  test('are listed by name page by page, to members their own only', async () => {
    await aTeam('alpha');
    await aTeam('beta');
    const PAGE = `query ($first: Int, $after: String, $last: Int) {
      teams(first: $first, after: $after, last: $last) { edges { node { slug } } pageInfo { endCursor hasNextPage } }
    }`;
    const slugs = ({ teams }: { teams: { edges: { node: { slug: string } }[] } }) =>
      teams.edges.map(({ node }) => node.slug);
    const first = await staff.ask(PAGE, { first: 1 });
    expect(slugs(first)).toEqual(['alpha']);
    expect(slugs(await staff.ask(PAGE, { first: 1, after: first.teams.pageInfo.endCursor }))).toEqual([
      'beta',
    ]);
    expect(slugs(await staff.ask(PAGE, { last: 1 })).length).toBe(1);
    expect(slugs(await (await as('member@beta.test')).ask(PAGE, {}))).toEqual(['beta']);
    const forged = Buffer.from(JSON.stringify(['a\0', 1])).toString('base64url');
    expect(await staff.refused(PAGE, { first: 1, after: forged })).toBe('BAD_USER_INPUT');
    const tooBig = Buffer.from(JSON.stringify(['a', 2 ** 40])).toString('base64url');
    expect(await staff.refused(PAGE, { first: 1, after: tooBig })).toBe('BAD_USER_INPUT');
  });

  test('show their plan, its usage, and their members', async () => {
    const { teamId } = await aTeam('used', { code: 'small', name: 'Small', notifications_per_month: 9 });
    const { db } = app.services;
    const site = await websiteId(app.services, 'www.used.test');
    const now = new Date();
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const middle = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 15));
    await recordedLeads(app.services, site, 2);
    const [skipped] = await recordedLeads(app.services, site, 1, middle);
    const [deleted] = await recordedLeads(app.services, site, 1, middle);
    await db.orm.notification.update({ where: { submissionId: skipped! }, data: { state: 'skipped_quota' } });
    await countAllDays(app.services);
    // As retention does.
    await db.orm.submission.delete({ where: { id: deleted! } });
    await app.services.dailyCounts.run();
    await db.orm.quotaUsage.create({ data: { teamId, month, used: 2 } });
    const { team: shown } = await (await as('member@used.test')).ask(`query { team(id: ${teamId}) {
      plan { code notificationsPerMonth } members { role account { email } }
      usage { month submissions notificationsUsed held limit }
    } }`);
    expect(shown.plan).toEqual({ code: 'small', notificationsPerMonth: 9 });
    expect(shown.members).toEqual(
      ['admin', 'member', 'owner'].map((role) => ({ role, account: { email: `${role}@used.test` } })),
    );
    expect(shown.usage).toHaveLength(12);
    const told = (at: Date) => at.toISOString().slice(0, 7);
    expect(shown.usage.slice(0, 2)).toEqual([
      { month: told(month), submissions: 2, notificationsUsed: 2, held: 0, limit: 9 },
      { month: told(middle), submissions: 2, notificationsUsed: 0, held: 1, limit: 9 },
    ]);
    expect(shown.usage[11].submissions).toBe(0);
  });
});

describe('plans', () => {
  test('are created with default limits, changed, and listed', async () => {
    const CREATE = `mutation ($input: CreatePlanInput!) {
      createPlan(input: $input) { id notificationsPerMonth submissionsPerMinute submissionsPerHour }
    }`;
    const { createPlan } = await staff.ask(CREATE, { input: { code: 'basic', name: 'Basic' } });
    expect(createPlan).toMatchObject({
      notificationsPerMonth: null,
      submissionsPerMinute: 5,
      submissionsPerHour: 1000,
    });
    expect(await staff.refused(CREATE, { input: { code: 'basic', name: 'Basic' } })).toBe('CONFLICT');
    const UPDATE = `mutation ($id: ID!, $input: UpdatePlanInput!) {
      updatePlan(id: $id, input: $input) { name notificationsPerMonth }
    }`;
    const { id } = createPlan;
    expect(await staff.ask(UPDATE, { id, input: { notificationsPerMonth: 500 } })).toEqual({
      updatePlan: { name: 'Basic', notificationsPerMonth: 500 },
    });
    expect(await staff.ask(UPDATE, { id, input: { notificationsPerMonth: null } })).toEqual({
      updatePlan: { name: 'Basic', notificationsPerMonth: null },
    });
    for (const input of [
      { submissionsPerMinute: 0 },
      { submissionsPerHour: null },
      { notificationsPerMonth: -1 },
    ]) {
      expect(await staff.refused(UPDATE, { id, input })).toBe('BAD_USER_INPUT');
    }
    const { plans } = await staff.ask('{ plans { code } }');
    expect(plans).toContainEqual({ code: 'basic' });
  });
});

describe('members', () => {
  test.each([
    ['demoted', ROLE, { role: 'member' }],
    ['removed', REMOVE, {}],
  ])('who are %s lose their tokens at once', async (word, query, extra) => {
    const slug = `rest-${word}`;
    const { teamId, admin } = await aTeam(slug);
    const token = await createToken(app.services, slug, `admin@${slug}.test`);
    const ownersToken = await createToken(app.services, slug, `owner@${slug}.test`);
    expect(await reads(token)).toBe(200);
    await (await as(`owner@${slug}.test`)).ask(query, { teamId, userId: admin, ...extra });
    expect(await reads(token)).toBe(401);
    expect(await reads(ownersToken)).toBe(200);
  });

  test('cannot remove or demote the last owner', async () => {
    const { teamId, owner, admin } = await aTeam('last');
    const client = await as('owner@last.test');
    for (const role of ['admin', 'member']) {
      expect(await client.refused(ROLE, { teamId, userId: owner, role })).toBe('CONFLICT');
    }
    expect(await client.refused(REMOVE, { teamId, userId: owner })).toBe('CONFLICT');
    expect(await staff.refused(REMOVE, { teamId, userId: owner })).toBe('CONFLICT');
    await client.ask(ROLE, { teamId, userId: admin, role: 'owner' });
    await client.ask(REMOVE, { teamId, userId: owner });
    expect(await client.refused('query ($id: ID!) { team(id: $id) { slug } }', { id: teamId })).toBe(
      'NOT_FOUND',
    );
  });

  test('keep an owner when two remove each other concurrently', async () => {
    const { teamId, owner, admin } = await aTeam('duel');
    await staff.ask(ROLE, { teamId, userId: admin, role: 'owner' });
    const [one, two] = await Promise.all([as('owner@duel.test'), as('admin@duel.test')]);
    const answers = await Promise.all([
      one.send(REMOVE, { teamId, userId: admin }),
      two.send(REMOVE, { teamId, userId: owner }),
      staff.send(ROLE, { teamId, userId: owner, role: 'member' }),
      staff.send(ROLE, { teamId, userId: admin, role: 'member' }),
    ]);
    for (const { errors } of answers) {
      expect([undefined, 'CONFLICT', 'NOT_FOUND']).toContain(errors?.[0]?.extensions.code);
    }
    expect(await app.services.db.orm.membership.count({ where: { teamId, role: 'owner' } })).toBe(1);
  });

  test('can leave a team, and cannot remove others', async () => {
    const { teamId, member, admin } = await aTeam('leaving');
    const client = await as('member@leaving.test');
    expect(await client.refused(REMOVE, { teamId, userId: admin })).toBe('FORBIDDEN');
    await client.ask(REMOVE, { teamId, userId: member });
    expect(await app.services.db.orm.membership.count({ where: { teamId, userId: member } })).toBe(0);
  });

  test('who are admins cannot change owners or become one', async () => {
    const { teamId, owner, admin, member } = await aTeam('ranks');
    const client = await as('admin@ranks.test');
    expect(await client.refused(ROLE, { teamId, userId: admin, role: 'owner' })).toBe('FORBIDDEN');
    expect(await client.refused(ROLE, { teamId, userId: member, role: 'owner' })).toBe('FORBIDDEN');
    expect(await client.refused(ROLE, { teamId, userId: owner, role: 'member' })).toBe('FORBIDDEN');
    expect(await client.refused(REMOVE, { teamId, userId: owner })).toBe('FORBIDDEN');
    const input = { email: 'puppet@ranks.test', name: 'P', role: 'owner' };
    expect(await client.refused(INVITE, { teamId, input })).toBe('FORBIDDEN');
    expect(await app.services.db.orm.user.count({ where: { email: 'puppet@ranks.test' } })).toBe(0);
    expect(await client.ask(ROLE, { teamId, userId: member, role: 'admin' })).toEqual({
      changeRole: { role: 'admin' },
    });
  });

  test('of another team, or of none, are a NOT_FOUND', async () => {
    const { teamId } = await aTeam('here');
    const elsewhere = await aTeam('elsewhere');
    const client = await as('owner@here.test');
    for (const id of [elsewhere.member, 999_999, 'x', '0']) {
      expect(await client.refused(ROLE, { teamId, userId: id, role: 'admin' })).toBe('NOT_FOUND');
      expect(await client.refused(REMOVE, { teamId, userId: id })).toBe('NOT_FOUND');
    }
  });
});
