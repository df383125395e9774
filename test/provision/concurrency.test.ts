import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Transaction } from '../../src/db/client.js';
import { createCipher } from '../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../src/lib/crypto/keyring.js';
import { applyDocument } from '../../src/provision/apply.js';
import { readDocument } from '../../src/provision/document.js';
import { createTeams, type Teams } from '../../src/teams/teams.service.js';
import { revokeAll } from '../../src/tokens/tokens.service.js';
import { lockWebsite } from '../../src/websites/editing/save-website.js';
import { endDirectory } from '../../src/websites/websites.queries.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { isWaitingForLock } from '../support/locks.js';
import { eventually } from '../support/wait.js';

/* A provision beside a change of the panel that has been made and is not committed. */

const ACTOR = { userId: null, channel: 'provision' } as const;

const cipher = createCipher(createKeyring(randomBytes(32)));
let database: TestDatabase;
let teams: Teams;

beforeAll(async () => {
  database = await createTestDatabase();
  teams = createTeams({
    db: database.db,
    revokeTokens: (tx, bearer, actor) => revokeAll(tx, bearer, actor, new Date()),
  });
});
afterAll(() => database.drop());

const users = [
  { email: 'ada@acme.test', name: 'Ada' },
  { email: 'ben@acme.test', name: 'Ben' },
];
const both = [
  { email: 'ada@acme.test', role: 'owner' },
  { email: 'ben@acme.test', role: 'admin' },
];
const acme = (more: object = {}) => ({ slug: 'acme', name: 'Acme', ...more });

const apply = (document: object) =>
  applyDocument(
    { db: database.db, cipher, teams },
    readDocument(JSON.stringify(document), ['fr', 'en']),
    ACTOR,
  );

beforeEach(() =>
  apply({ plans: [{ code: 'default', name: 'Default' }], users, teams: [acme({ members: both })] }),
);

const account = (email: string) => database.db.orm.user.findUniqueOrThrow({ where: { email } });

/**
 * Applies a document while a change waits to be committed, and then commits it.
 *
 * @param change returns, if it has more to do once the document waits, the rest of it
 */
async function applyBeside(document: object, change: (tx: Transaction) => Promise<unknown>) {
  let applied: Promise<unknown> | undefined;
  await database.db.orm.$transaction(
    async (tx) => {
      const rest = await change(tx);
      applied = apply(document);
      applied.catch(() => undefined);
      await eventually(() => isWaitingForLock(database));
      if (typeof rest === 'function') await rest();
    },
    { timeout: 60_000 },
  );
  return applied;
}

const membersOf = async (slug: string) => {
  const rows = await database.db.orm.membership.findMany({
    where: { team: { slug } },
    include: { user: true },
    orderBy: { user: { email: 'asc' } },
  });
  return rows.map(({ role, user }) => ({ email: user.email, role }));
};

test('an account that the panel creates meanwhile is taken as it is', async () => {
  const carl = { email: 'carl@acme.test', name: 'Carl' };
  await applyBeside(
    { users: [carl], teams: [acme({ members: [...both, { email: carl.email, role: 'member' }] })] },
    (tx) => tx.user.create({ data: { ...carl, staff: false } }),
  );
  expect(await membersOf('acme')).toContainEqual({ email: carl.email, role: 'member' });
});

test('a website that the panel creates meanwhile gets what the document says', async () => {
  const site = {
    host: 'www.acme.test',
    name: 'Acme',
    url: 'https://www.acme.test',
    locale: 'fr',
    email: 'desk@acme.test',
  };
  const { id: teamId } = await database.db.orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  await applyBeside({ teams: [acme({ websites: [site] })] }, (tx) =>
    tx.website.create({
      data: { ...site, name: 'By hand', teamId, signatureKeyCipher: Buffer.from('x') },
    }),
  );
  const { name } = await database.db.orm.website.findFirstOrThrow({ where: { host: site.host } });
  expect(name).toBe('Acme');
});

test('a plan that the panel deletes meanwhile is made anew', async () => {
  const plan = { code: 'large', name: 'Large' };
  await apply({ plans: [plan] });
  await applyBeside({ plans: [{ ...plan, name: 'Larger' }] }, (tx) =>
    tx.plan.delete({ where: { code: plan.code } }),
  );
  expect(await database.db.orm.plan.findUnique({ where: { code: plan.code } })).toMatchObject({
    name: 'Larger',
  });
});

test('a plan that the panel deletes meanwhile is a fault of the team that is to have it', async () => {
  await apply({ plans: [{ code: 'small', name: 'Small' }] });
  const applied = applyBeside({ teams: [acme({ plan: 'small' })] }, (tx) =>
    tx.plan.delete({ where: { code: 'small' } }),
  );
  await expect(applied).rejects.toThrow('teams[0].plan: there is no plan small');
});

test('a renamed department and a website that the panel saves meanwhile do not wait for each other', async () => {
  const site = {
    host: 'dept.acme.test',
    name: 'Acme',
    url: 'https://dept.acme.test',
    locale: 'fr',
    email: 'desk@acme.test',
    departments: ['ZZ'],
  };
  await apply({ departments: [{ code: 'ZZ', name: 'Before' }], teams: [acme({ websites: [site] })] });
  const { id, teamId } = await database.db.orm.website.findFirstOrThrow({ where: { host: site.host } });
  const document = {
    departments: [{ code: 'ZZ', name: 'After' }],
    teams: [acme({ websites: [{ ...site, name: 'Provisioned' }] })],
  };
  let applied: Promise<unknown> | undefined;
  await database.db.orm.$transaction(
    async (tx) => {
      await lockWebsite(tx, id);
      applied = apply(document);
      applied.catch(() => undefined);
      await eventually(() => isWaitingForLock(database));
      // PostgreSQL ends the one of two that has waited for a second, or the other one after that.
      await setTimeout(1_500);
      await endDirectory(tx, teamId);
    },
    { timeout: 60_000 },
  );
  await applied;
  expect(await database.db.orm.website.findUniqueOrThrow({ where: { id } })).toMatchObject({
    name: 'Provisioned',
  });
});

const gone = (id: number) => ({
  where: { id },
  data: { email: `deleted-${id}@account.invalid`, name: '', staff: false, deletedAt: new Date() },
});

test('an account that is deleted meanwhile becomes no member', async () => {
  const dora = { email: 'dora@acme.test', name: 'Dora' };
  await apply({ users: [dora] });
  const { id } = await account(dora.email);
  const applied = applyBeside(
    { teams: [acme({ members: [...both, { email: dora.email, role: 'admin' }] })] },
    async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`;
      await tx.user.update(gone(id));
    },
  );
  await expect(applied).rejects.toThrow('there is no user dora@acme.test');
  expect(await database.db.orm.membership.count({ where: { userId: id } })).toBe(0);
});

test('a deletion is not ended by a document that changes roles of the account in two teams', async () => {
  const { id } = await account('ben@acme.test');
  const [ada, ben] = both;
  const globex = { slug: 'globex', name: 'Globex', members: [ben] };
  const members = [ada, { ...ben, role: 'member' }];
  const applied = applyBeside({ teams: [acme({ members }), globex] }, async (tx) => {
    // Of two that wait for each other, the deletion would be ended.
    await tx.$executeRaw`SET LOCAL deadlock_timeout = '10ms'`;
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`;
    return async () => {
      await tx.membership.deleteMany({ where: { userId: id } });
      await tx.user.update(gone(id));
    };
  });
  await expect(applied).rejects.toThrow('there is no user ben@acme.test');
  expect(await membersOf('acme')).toEqual([ada]);
});

test('an account that is deleted meanwhile gets no name and no right', async () => {
  const edda = { email: 'edda@acme.test', name: 'Edda' };
  await apply({ users: [edda] });
  const { id } = await account(edda.email);
  await applyBeside({ users: [{ ...edda, name: 'Edda E.', staff: true }] }, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`;
    await tx.user.update(gone(id));
  });
  const deleted = await database.db.orm.user.findUniqueOrThrow({ where: { id } });
  expect(deleted).toMatchObject({ name: '', staff: false });
});

test('an address that its account has left is a fault, so that no second account of a person takes its place', async () => {
  const { id } = await account('ben@acme.test');
  const former = 'ben@acme.test';
  await database.db.orm.user.update({ where: { id }, data: { email: 'benedict@acme.test' } });
  await database.db.orm.auditEvent.create({
    data: {
      channel: 'panel',
      action: 'user.email_changed',
      subjectType: 'user',
      subjectId: String(id),
      detail: { email: 'benedict@acme.test', former },
    },
  });
  await expect(apply({ users, teams: [acme({ members: both })] })).rejects.toThrow(
    'users[1].email: was left by the account benedict@acme.test: name that, or create another one in the panel first',
  );
  expect(await membersOf('acme')).toEqual([both[0], { email: 'benedict@acme.test', role: 'admin' }]);
  const renamed = both.map((one) => (one.email === former ? { ...one, email: 'benedict@acme.test' } : one));
  await apply({ users: [{ email: 'benedict@acme.test', name: 'Ben' }], teams: [acme({ members: renamed })] });
  await database.db.orm.user.create({ data: { email: former, name: 'Another Ben', staff: false } });
  await apply({ users: [{ email: former, name: 'Another B.' }] });
  await database.db.orm.user.delete({ where: { email: former } });
  await database.db.orm.user.update(gone(id));
  await apply({ users });
});

test('a team keeps an owner when the panel demotes the one whom a document leaves', async () => {
  const owners = both.map(({ email }) => ({ email, role: 'owner' }));
  await apply({ teams: [acme({ members: owners })] });
  const { id: userId } = await account('ada@acme.test');
  await applyBeside({ teams: [acme({ members: [owners[0]] })] }, (tx) =>
    tx.membership.updateMany({ where: { userId }, data: { role: 'admin' } }),
  );
  expect(await membersOf('acme')).toEqual([owners[0]]);
});
