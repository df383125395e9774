import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Prisma } from '../../src/generated/prisma/client.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, team, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { createAccount, loggedIn, type PanelClient, panelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const PASSWORD = 'correct horse battery';
const LOGIN = 'mutation ($email: String!) { login(email: $email, password: "correct horse battery") }';
const DISABLE = `mutation ($id: ID!, $disabled: Boolean!) {
  setUserDisabled(id: $id, disabled: $disabled) { canLogIn access { disabledAt } } }`;
const DELETE = 'mutation ($id: ID!) { deleteUser(id: $id) }';

let app: TestApp;
let staff: PanelClient;
let staffId: number;

beforeAll(async () => {
  app = await startTestApp();
  const members = [
    { email: 'first@acme.test', role: 'owner' },
    { email: 'second@acme.test', role: 'owner' },
    { email: 'off@acme.test', role: 'admin' },
    { email: 'gone@acme.test', role: 'admin' },
  ];
  await provision(app.services, [team('acme', { members }), team('globex')]);
  staffId = await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  staff = await loggedIn(app.url, app.services, 'staff@agency.test');
});
afterAll(() => app.close());

const idOf = async (email: string) =>
  (await app.services.db.orm.user.findUniqueOrThrow({ where: { email } })).id;

const directory = (token: string) =>
  fetch(`${app.url}/api/websites`, { headers: { authorization: `Bearer ${token}` } });

describe('the list of accounts', () => {
  const USERS = `query ($search: String! = "", $staff: Boolean, $disabled: Boolean, $secondFactor: Boolean, $teamId: ID) {
    users(search: $search, staff: $staff, disabled: $disabled, secondFactor: $secondFactor, teamId: $teamId) {
      edges { node { email access { lastLoginAt disabledAt secondFactorAt } memberships { role team { slug } } } } } }`;
  const emails = async (variables: object) =>
    (await staff.ask(USERS, variables)).users.edges.map(
      ({ node }: { node: { email: string } }) => node.email,
    );

  test('has teams, last login and second factor of each', async () => {
    const email = 'listed@acme.test';
    await createAccount(app.services, { email, password: PASSWORD });
    const { users: before } = await staff.ask(USERS, { search: email });
    expect(before.edges[0].node).toEqual({
      email,
      memberships: [],
      access: { lastLoginAt: null, disabledAt: null, secondFactorAt: null },
    });
    await panelClient(app.url).ask(LOGIN, { email });
    const { users } = await staff.ask(USERS, { search: email });
    expect(Date.now() - Date.parse(users.edges[0].node.access.lastLoginAt)).toBeLessThan(60_000);
    const { users: owners } = await staff.ask(USERS, { search: 'first@' });
    expect(owners.edges[0].node.memberships).toEqual([{ role: 'owner', team: { slug: 'acme' } }]);
  });

  test('is narrowed by staff, team, state and second factor', async () => {
    expect(await emails({ staff: true })).toEqual(['staff@agency.test']);
    const { id: teamId } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'globex' } });
    expect(await emails({ teamId })).toEqual([
      'admin@globex.test',
      'member@globex.test',
      'owner@globex.test',
    ]);
    const userId = await createAccount(app.services, { email: 'safe@acme.test' });
    await app.services.db.orm.secondFactor.create({
      data: { userId, secretCipher: new Uint8Array([0]), confirmedAt: new Date() },
    });
    expect(await emails({ secondFactor: true })).toEqual(['safe@acme.test']);
    expect(await emails({ secondFactor: false, search: 'safe@' })).toEqual([]);
    await staff.ask(DISABLE, { id: userId, disabled: true });
    expect(await emails({ disabled: true, search: 'safe@' })).toEqual(['safe@acme.test']);
    expect(await emails({ disabled: false, search: 'safe@' })).toEqual([]);
  });

  test('shows how an account is let in to staff alone', async () => {
    const { id } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const owner = await loggedIn(app.url, app.services, 'first@acme.test');
    for (const field of ['access { lastLoginAt }', 'memberships { role }']) {
      const query = `query ($id: ID!) { team(id: $id) { members { account { ${field} } } } }`;
      expect(await owner.refused(query, { id })).toBe('FORBIDDEN');
    }
  });
});

describe('a disabled account', () => {
  test('is logged out, cannot log in, and its tokens answer as those of a bearer without a role', async () => {
    const email = 'off@acme.test';
    const id = await idOf(email);
    await app.services.accounts.resetPassword(id, { userId: null, channel: 'system' });
    const { passwordHash } = await app.services.db.orm.user.findUniqueOrThrow({
      where: { id: await createAccount(app.services, { email: 'hash@acme.test', password: PASSWORD }) },
    });
    await app.services.db.orm.user.update({ where: { id }, data: { passwordHash } });
    const client = await loggedIn(app.url, app.services, email);
    const token = await createToken(app.services, 'acme', email);
    expect((await directory(token)).status).toBe(200);

    const { setUserDisabled } = await staff.ask(DISABLE, { id, disabled: true });
    expect(setUserDisabled.canLogIn).toBe(false);
    expect(await client.ask('{ me { email } }')).toEqual({ me: null });
    expect(await panelClient(app.url).refused(LOGIN, { email })).toBe('UNAUTHENTICATED');
    const refused = await directory(token);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { message: 'The holder of this token no longer has access to this organization.' },
    ]);

    await staff.ask(DISABLE, { id, disabled: false });
    expect((await directory(token)).status).toBe(200);
    expect((await panelClient(app.url).ask(LOGIN, { email })).login).toBe(true);
    const events = await app.services.db.orm.auditEvent.findMany({
      where: {
        subjectType: 'user',
        subjectId: String(id),
        action: { in: ['user.disabled', 'user.enabled'] },
      },
      orderBy: { createdAt: 'asc' },
    });
    expect(events.map(({ action, actorId }) => [action, actorId])).toEqual([
      ['user.disabled', staffId],
      ['user.enabled', staffId],
    ]);
  });

  test('is not sent a reset link', async () => {
    const email = 'asleep@acme.test';
    const userId = await createAccount(app.services, { email, password: PASSWORD });
    await staff.ask(DISABLE, { id: userId, disabled: true });
    await panelClient(app.url).ask('mutation ($email: String!) { requestPasswordReset(email: $email) }', {
      email,
    });
    await app.services.credentials.settled();
    expect(await app.services.db.orm.oneTimeLink.count({ where: { userId } })).toBe(0);
  });

  test('cannot be the own one', async () => {
    expect(await staff.refused(DISABLE, { id: staffId, disabled: true })).toBe('CONFLICT');
  });
});

describe('a deleted account', () => {
  test('leaves no name, membership, token or session, and stays the actor of what it did', async () => {
    const email = 'gone@acme.test';
    const id = await idOf(email);
    const { db } = app.services;
    await db.orm.user.update({ where: { id }, data: { name: 'Gaston Gone' } });
    const client = await loggedIn(app.url, app.services, email);
    const token = await createToken(app.services, 'acme', email);
    const [leadId] = await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 1);
    await client.ask(
      'mutation ($id: ID!) { addSubmissionNote(submissionId: $id, text: "Called back.") { id } }',
      { id: leadId },
    );
    await client.ask('mutation { updateViewer(input: { theme: dark }) { name } }');

    expect((await staff.ask(DELETE, { id })).deleteUser).toBe(true);
    expect(await client.ask('{ me { email } }')).toEqual({ me: null });
    expect((await directory(token)).status).toBe(401);
    expect(await db.orm.membership.count({ where: { userId: id } })).toBe(0);
    const stored = await db.orm.user.findUniqueOrThrow({ where: { id } });
    expect(JSON.stringify(stored)).not.toMatch(/gone@acme|Gaston/);
    const { submission } = await staff.ask(
      'query ($id: ID!) { submission(id: $id) { notes { text authorName } } }',
      { id: leadId },
    );
    expect(submission.notes).toEqual([{ text: 'Called back.', authorName: null }]);
    const { auditEvents } = await staff.ask(
      'query ($id: ID!) { auditEvents(actorId: $id) { edges { node { action actor { id name deleted } } } } }',
      { id },
    );
    expect(auditEvents.edges).toContainEqual({
      node: { action: 'user.updated', actor: { id: String(id), name: '', deleted: true } },
    });
    const { users } = await staff.ask('{ users(search: "deleted") { edges { node { id } } } }');
    expect(users.edges).toEqual([]);
    expect(await staff.refused(DELETE, { id })).toBe('NOT_FOUND');
  });

  test('leaves none of its addresses in the audit trail, not those of invitations either', async () => {
    const { db } = app.services;
    const { id: teamId } = await db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    const owner = await loggedIn(app.url, app.services, 'first@acme.test');
    const input = { email: 'Invited@acme.test', name: 'Ingrid', role: 'member' };
    await owner.ask(
      'mutation ($teamId: ID!, $input: InviteMemberInput!) { inviteMember(teamId: $teamId, input: $input) { role } }',
      { teamId, input },
    );
    await owner.ask(
      'mutation ($teamId: ID!, $input: InviteMemberInput!) { inviteMember(teamId: $teamId, input: $input) { role } }',
      { teamId, input: { ...input, email: 'other@acme.test' } },
    );
    const id = await createAccount(app.services, { email: 'invited@acme.test', password: PASSWORD });
    const change = 'mutation ($id: ID!, $email: String!) { requestUserEmailChange(id: $id, email: $email) }';
    await staff.ask(change, { id, email: 'other@acme.test' });
    await staff.ask(change, { id, email: 'latter@acme.test' });
    const link = await db.orm.oneTimeLink.findFirstOrThrow({ where: { email: 'latter@acme.test' } });
    const token = app.services.oneTimeLinks.addressOf(link).split('#')[1];
    await panelClient(app.url).ask('mutation ($token: String!) { confirmEmailChange(token: $token) }', {
      token,
    });
    const withAddress = (email: string) => ({
      detail: { path: ['email'], string_contains: email, mode: 'insensitive' as const },
    });
    expect(await db.orm.auditEvent.count({ where: withAddress('invited@acme.test') })).toBeGreaterThan(0);
    await staff.ask(DELETE, { id });
    expect(await db.orm.auditEvent.count({ where: withAddress('invited@acme.test') })).toBe(0);
    expect(await db.orm.auditEvent.count({ where: withAddress('latter@acme.test') })).toBe(0);
    const former = { detail: { path: ['former'], not: Prisma.AnyNull } };
    expect(await db.orm.auditEvent.count({ where: { ...former, subjectId: String(id) } })).toBe(0);
    // Requested and not confirmed, it is the other's.
    expect(
      await db.orm.auditEvent.findMany({ where: withAddress('other@acme.test'), select: { action: true } }),
    ).toEqual([{ action: 'member.invited' }]);
  });

  test('frees its address for another', async () => {
    const email = 'again@acme.test';
    const id = await createAccount(app.services, { email });
    await staff.ask(DELETE, { id });
    expect(await createAccount(app.services, { email })).not.toBe(id);
  });

  test('cannot be the own one, nor the only owner of a team', async () => {
    expect(await staff.refused(DELETE, { id: staffId })).toBe('CONFLICT');
    const { errors } = await staff.send(DELETE, { id: await idOf('owner@globex.test') });
    expect(errors?.[0]?.message).toBe('This account is the only owner of: globex. Appoint another first.');
    expect(
      await app.services.db.orm.membership.count({ where: { user: { email: 'owner@globex.test' } } }),
    ).toBe(1);
  });

  test('leaves one owner when two are deleted at once', async () => {
    const ids = await Promise.all(['first@acme.test', 'second@acme.test'].map(idOf));
    const answers = await Promise.all(ids.map((id) => staff.send(DELETE, { id })));
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'deleted').sort()).toEqual([
      'CONFLICT',
      'deleted',
    ]);
    const { id: teamId } = await app.services.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
    expect(await app.services.db.orm.membership.count({ where: { teamId, role: 'owner' } })).toBe(1);
  });
});

/** Two of the staff: their ids, and each logged in. */
async function twoOfStaff(prefix: string) {
  const emails = ['one', 'other'].map((name) => `${prefix}-${name}@agency.test`);
  const ids = [];
  for (const email of emails) ids.push(await createAccount(app.services, { email, staff: true }));
  const clients = await Promise.all(emails.map((email) => loggedIn(app.url, app.services, email)));
  return { ids, clients };
}

describe('two of the staff who shut each other out at once', () => {
  test.each([
    ['disable', DISABLE, { disabled: true }],
    ['delete', 'mutation ($id: ID!) { deleteUser(id: $id) }', {}],
    [
      'take the standing from',
      'mutation ($id: ID!) { updateUser(id: $id, input: { staff: false }) { id } }',
      {},
    ],
  ])('one remains of those who %s each other', async (verb, query, variables) => {
    for (let round = 0; round < 5; round += 1) {
      const { ids, clients } = await twoOfStaff(`${verb.replaceAll(' ', '-')}-${round}`);
      const answers = await Promise.all(
        clients.map((client, index) => client.send(query, { id: ids[1 - index], ...variables })),
      );
      const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'done');
      expect(codes.filter((code) => code === 'done')).toHaveLength(1);
      expect(['FORBIDDEN', 'UNAUTHENTICATED']).toContain(codes.find((code) => code !== 'done'));
    }
  });
});

test('an account that was just shut out creates no other', async () => {
  const {
    ids: [one = 0],
    clients: [client],
  } = await twoOfStaff('creating');
  const create =
    'mutation { createUser(input: { email: "late@agency.test", name: "Late", staff: true }) { password } }';
  const { db, changeFeed } = app.services;
  const answer = await db.orm.$transaction(async (tx) => {
    await tx.user.update({ where: { id: one }, data: { staff: false } });
    const waiting = client!.send(create);
    await eventually(async () => {
      const [row] = await db.orm.$queryRaw<[{ count: number }]>`
        SELECT count(*)::int AS count FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return row.count > 0;
    });
    return { waiting };
  });
  changeFeed.expire();
  expect((await answer.waiting).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  expect(await db.orm.user.count({ where: { email: 'late@agency.test' } })).toBe(0);
});

test.each<[string, string, object, object]>([
  ['reset the password of', 'mutation ($id: ID!) { resetUserPassword(id: $id) { password } }', {}, {}],
  [
    'reset the second factor of',
    'mutation ($id: ID!) { resetUserSecondFactor(id: $id) }',
    {},
    { secondFactor: { create: { secretCipher: Buffer.alloc(1), confirmedAt: new Date() } } },
  ],
  [
    'request another address for',
    'mutation ($id: ID!, $email: String!) { requestUserEmailChange(id: $id, email: $email) }',
    { email: 'another@agency.test' },
    {},
  ],
  ['rename', 'mutation ($id: ID!) { updateUser(id: $id, input: { name: "Renamed" }) { id } }', {}, {}],
])('two of the staff who %s each other at once do not deadlock', async (verb, query, variables, data) => {
  for (let round = 0; round < 5; round += 1) {
    const { ids, clients } = await twoOfStaff(`${verb.replaceAll(' ', '-')}-${round}`);
    for (const id of ids) await app.services.db.orm.user.update({ where: { id }, data });
    const answers = await Promise.all(
      clients.map((client, index) => client.send(query, { id: ids[1 - index], ...variables })),
    );
    const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code ?? 'done');
    expect(codes).toContain('done');
    // The session of the later one may have ended with the change of the earlier one.
    expect(codes.filter((code) => code !== 'done' && code !== 'UNAUTHENTICATED')).toEqual([]);
  }
});
