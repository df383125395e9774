import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/app.js';
import { createToken, provision, TEST_ACTOR, team } from '../support/factories.js';
import { call } from '../support/integrator.js';
import { isWaitingForLock } from '../support/locks.js';
import { createAccount, loggedIn, type PanelClient } from '../support/panel.js';
import { eventually } from '../support/wait.js';

const HAND_OVER = `mutation ($teamId: ID!, $userId: ID!) {
  transferOwnership(teamId: $teamId, userId: $userId) { role }
}`;
const REMOVE = 'mutation ($teamId: ID!, $userId: ID!) { removeMember(teamId: $teamId, userId: $userId) }';
const REVOKE_ALL = 'mutation ($teamId: ID!) { revokeTokens(teamId: $teamId) }';
const CREATE = `mutation ($teamId: ID!) {
  createToken(teamId: $teamId, input: { name: "CRM", abilities: [team_read] }) { value }
}`;
const RENAME = 'mutation ($id: ID!) { updateWebsite(id: $id, input: { name: "Changed" }) { id } }';

let app: TestApp;
let teamId: number;
let websiteId: string;
let owner: PanelClient;

beforeAll(async () => {
  app = await startTestApp();
  await provision(app.services, [team('acme')]);
  const found = await orm().team.findUniqueOrThrow({ where: { slug: 'acme' }, include: { websites: true } });
  teamId = found.id;
  websiteId = found.websites[0]!.id;
  owner = await as('owner@acme.test');
});
afterAll(() => app.close());

const orm = () => app.services.db.orm;
const as = (email: string) => loggedIn(app.url, app.services, email);
const userId = async (email: string) => (await orm().user.findUniqueOrThrow({ where: { email } })).id;
const reads = async (token: string) => (await call(app.url, 'GET', '/websites', { token })).status;

/** Sends operations at once. @returns the code that each is refused with, and null for an answer. */
const atOnce = async (...operations: readonly (readonly [PanelClient, string, object])[]) =>
  Promise.all(
    operations.map(async ([client, query, variables]) => {
      const { errors } = await client.send(query, variables);
      return errors?.[0]?.extensions.code ?? null;
    }),
  );

/** A new admin of the team, logged in. */
async function newAdmin(email: string) {
  const id = await createAccount(app.services, { email });
  await orm().$transaction((tx) =>
    app.services.teams.setRole(tx, { teamId, userId: id }, 'admin', TEST_ACTOR),
  );
  return { id, client: await as(email) };
}

test('a team that is handed over to two members at once has one owner, and the other is told', async () => {
  const rivals = await Promise.all(['admin@acme.test', 'member@acme.test'].map(userId));
  const elsewhere = await as('owner@acme.test');
  const codes = await atOnce(
    [owner, HAND_OVER, { teamId, userId: rivals[0] }],
    [elsewhere, HAND_OVER, { teamId, userId: rivals[1] }],
  );
  // The second one was refused by the role as it is, or by that under the lock.
  expect(codes.filter((code) => code === null)).toHaveLength(1);
  expect(['CONFLICT', 'FORBIDDEN']).toContain(codes.find((code) => code !== null));
  const owners = await orm().membership.findMany({ where: { teamId, role: 'owner' } });
  expect(owners.map((one) => one.userId)).toEqual([rivals[codes.indexOf(null)]]);
  await orm().membership.updateMany({ where: { teamId, role: 'owner' }, data: { role: 'admin' } });
  await orm().membership.update({
    where: { teamId_userId: { teamId, userId: await userId('owner@acme.test') } },
    data: { role: 'owner' },
  });
});

test('tokens that are all revoked while they are used are refused from the answer on', async () => {
  const admin = await newAdmin('busy@acme.test');
  const bearers = ['owner@acme.test', 'busy@acme.test', 'owner@acme.test'];
  const tokens = await Promise.all(bearers.map((email) => createToken(app.services, 'acme', email)));
  const late: Promise<number>[] = [];
  const revoked = owner.ask(REVOKE_ALL, { teamId }).then((answer) => {
    late.push(...tokens.map(reads));
    return answer;
  });
  const early = await Promise.all([...tokens, ...tokens, ...tokens, ...tokens].map(reads));
  expect(early.filter((status) => status !== 200 && status !== 401)).toEqual([]);
  expect(await revoked).toEqual({ revokeTokens: tokens.length });
  expect(await Promise.all(late)).toEqual(tokens.map(() => 401));
  await owner.ask(REMOVE, { teamId, userId: admin.id });
});

test('a member who is removed in the midst of creating tokens keeps none that works', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { id, client } = await newAdmin(`maker${round}@acme.test`);
    const create = [client, CREATE, { teamId }] as const;
    const remove = [owner, REMOVE, { teamId, userId: id }] as const;
    const codes = await atOnce(create, create, remove, create);
    expect(codes[2]).toBeNull();
    expect(codes.filter((code) => ![null, 'FORBIDDEN', 'NOT_FOUND'].includes(code))).toEqual([]);
    expect(await orm().token.count({ where: { userId: id, revokedAt: null } })).toBe(0);
  }
});

test('a change of a member who is removed meanwhile is made as a whole or not at all, and none after', async () => {
  const WEBSITE = { action: 'website.updated', subjectId: websiteId };
  for (let round = 0; round < 5; round += 1) {
    const { id, client } = await newAdmin(`changer${round}@acme.test`);
    await orm().website.update({ where: { id: websiteId }, data: { name: 'Before' } });
    const [change, removal] = await atOnce(
      [client, RENAME, { id: websiteId }],
      [owner, REMOVE, { teamId, userId: id }],
    );
    expect(removal).toBeNull();
    const { name } = await orm().website.findUniqueOrThrow({ where: { id: websiteId } });
    const recorded = await orm().auditEvent.count({ where: { ...WEBSITE, actorId: id } });
    expect([change, name, recorded]).toEqual(
      change === null ? [null, 'Changed', 1] : ['NOT_FOUND', 'Before', 0],
    );
    expect(await client.refused(RENAME, { id: websiteId })).toBe('NOT_FOUND');
  }
});

/** Runs a change that writes to a table, and once it has come so far, another one; then both may end. */
async function atOnceBefore<First, Second>(
  table: 'tokens' | 'audit_events',
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  let began: Promise<[First, Second]> | undefined;
  await orm().$transaction(
    async (tx) => {
      await tx.$executeRawUnsafe(`LOCK TABLE ${table} IN SHARE MODE`);
      const one = first();
      await eventually(() => isWaitingForLock(app.services));
      const other = second();
      began = Promise.all([one, other]);
      began.catch(() => undefined);
      await eventually(() => isWaitingForLock(app.services, '%', 2));
    },
    { timeout: 30_000 },
  );
  return began!;
}

const DELETE_ACCOUNT = 'mutation ($id: ID!) { deleteUser(id: $id) }';

test('an account that is deleted while it creates a token over the API leaves none that works', async () => {
  await createAccount(app.services, { email: 'staff@agency.test', staff: true });
  const staff = await as('staff@agency.test');
  const { id } = await newAdmin('leaver@acme.test');
  const token = await createToken(app.services, 'acme', 'leaver@acme.test');
  const [created, deleted] = await atOnceBefore(
    'tokens',
    () => call(app.url, 'POST', '/tokens', { token, body: { name: 'CRM' } }),
    () => staff.send(DELETE_ACCOUNT, { id }),
  );
  expect([created.status, deleted.errors]).toEqual([201, undefined]);
  expect(await orm().token.count({ where: { userId: id, revokedAt: null } })).toBe(0);
});

test.each<[string, 'tokens' | 'audit_events', string]>([
  [
    'changes a role',
    'audit_events',
    'mutation ($teamId: ID!, $userId: ID!) { changeRole(teamId: $teamId, userId: $userId, role: owner) { role } }',
  ],
  ['revokes all tokens', 'tokens', REVOKE_ALL],
])('an owner whose account is deleted while it %s has done so', async (_what, table, operation) => {
  const staff = await as('staff@agency.test');
  const { id, client } = await newAdmin(`manager${Math.random()}@acme.test`);
  await createToken(app.services, 'acme', 'owner@acme.test');
  await orm().membership.update({
    where: { teamId_userId: { teamId, userId: id } },
    data: { role: 'owner' },
  });
  const variables = { teamId, userId: await userId('member@acme.test') };
  const [changed, deleted] = await atOnceBefore(
    table,
    () => client.send(operation, variables),
    () => staff.send(DELETE_ACCOUNT, { id }),
  );
  expect([changed.errors, deleted.errors]).toEqual([undefined, undefined]);
});
