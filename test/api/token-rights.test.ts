import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { generateSecret } from '../../src/tokens/token-secret.js';
import type { TestApp } from '../support/app.js';
import {
  type Answer,
  addWebsite,
  call,
  createIntegrator,
  createTokenOf,
  startApiApp,
} from '../support/integrator.js';

const UNAUTHENTICATED = [401, 'Unauthenticated.'];
const RESERVED = [403, 'Tokens are reserved to owners and administrators of an active organization.'];
const GONE = [403, 'The holder of this token no longer has access to this organization.'];
const NO_ORGANIZATION = [403, 'This token does not grant access to any organization.'];
const LACKING = [403, 'This token lacks the ability team:read.'];

const ROLES = ['owner', 'admin', 'member', 'removed'] as const;
const TEAMS = ['active', 'suspended'] as const;
const TOKENS = ['live', 'expired', 'revoked', 'unknown', 'malformed', 'lacking', 'foreign'] as const;

type Case = Readonly<{
  role: (typeof ROLES)[number];
  team: (typeof TEAMS)[number];
  token: (typeof TOKENS)[number];
}>;

/** What a token of another team that its bearer also belongs to finds: nothing of the first team. */
type Endpoint = Readonly<{
  name: string;
  /** `own` is what the case is about: its team, a token of its bearer there, a department it serves. */
  call: (url: string, token: string, own: { teamId: number; spareId: number }) => Promise<Answer>;
  /** For the rightful: status and, where there is one, the message. */
  granted: readonly unknown[];
  /** For a token of another organization. */
  foreign: readonly unknown[];
  /** For a bearer without the role. */
  refused: (role: Case['role']) => readonly unknown[];
  needsAbility: boolean;
}>;

const ENDPOINTS: readonly Endpoint[] = [
  {
    name: 'GET /tokens',
    call: (url, token) => call(url, 'GET', '/tokens', { token }),
    granted: [200, undefined],
    foreign: [200, undefined],
    refused: () => RESERVED,
    needsAbility: false,
  },
  {
    name: 'POST /tokens',
    call: (url, token, { teamId }) =>
      call(url, 'POST', '/tokens', { token, body: { name: 'New', team_id: teamId } }),
    granted: [201, undefined],
    foreign: [403, 'A token can only create tokens for its own organization.'],
    refused: () => RESERVED,
    needsAbility: false,
  },
  {
    name: 'DELETE /tokens/{id}',
    call: (url, token, { spareId }) => call(url, 'DELETE', `/tokens/${spareId}`, { token }),
    granted: [200, 'Token revoked.'],
    foreign: [404, 'Token not found.'],
    refused: () => RESERVED,
    needsAbility: false,
  },
  {
    name: 'DELETE /tokens',
    call: (url, token) => call(url, 'DELETE', '/tokens', { token }),
    granted: [200, 'All tokens of this organization have been revoked.'],
    foreign: [200, 'All tokens of this organization have been revoked.'],
    refused: () => RESERVED,
    needsAbility: false,
  },
  {
    name: 'GET /websites',
    call: (url, token) => call(url, 'GET', '/websites', { token }),
    granted: [200, undefined],
    foreign: [200, undefined],
    refused: (role) => (role === 'removed' ? NO_ORGANIZATION : GONE),
    needsAbility: true,
  },
  {
    name: 'GET /websites/by-department/{code}',
    call: (url, token) => call(url, 'GET', '/websites/by-department/2A', { token }),
    granted: [200, undefined],
    foreign: [404, 'Department not found.'],
    refused: () => GONE,
    needsAbility: true,
  },
];

const CASES: Case[] = ROLES.flatMap((role) =>
  TEAMS.flatMap((team) => TOKENS.map((token) => ({ role, team, token }))),
);

function expectedOf(endpoint: Endpoint, { role, team, token }: Case): readonly unknown[] {
  if (['expired', 'revoked', 'unknown', 'malformed'].includes(token)) return UNAUTHENTICATED;
  // The foreign token’s own team is active, and its bearer the owner there, whatever holds in this one.
  if (token === 'foreign') return endpoint.foreign;
  if (team === 'suspended' || role === 'member' || role === 'removed') return endpoint.refused(role);
  return token === 'lacking' && endpoint.needsAbility ? LACKING : endpoint.granted;
}

let app: TestApp;

beforeAll(async () => {
  app = await startApiApp();
});

afterAll(() => app.close());

/** Builds a case behind the services’ backs, since through them a demotion would revoke the tokens. */
async function build({ role, team, token }: Case) {
  const { services } = app;
  const own = await createIntegrator(services);
  const { teamId, userId } = own;
  await addWebsite(services, teamId, { departments: ['2A'] });
  const spare = await createTokenOf(services, { teamId, userId }, { name: 'Spare' });
  const value = await drawValue(token, own);
  const { db } = app.database;
  if (role === 'removed') await db.orm.membership.deleteMany({ where: { teamId, userId } });
  else await db.orm.membership.updateMany({ where: { teamId, userId }, data: { role } });
  if (team === 'suspended') await db.orm.team.update({ where: { id: teamId }, data: { active: false } });
  return { teamId, spareId: spare.id, value };
}

async function drawValue(
  kind: Case['token'],
  { teamId, userId, token, tokenId }: { teamId: number; userId: number; token: string; tokenId: number },
): Promise<string> {
  const { db } = app.database;
  switch (kind) {
    case 'live':
      return token;
    case 'expired':
      await db.orm.token.update({ where: { id: tokenId }, data: { expiresAt: new Date(Date.now() - 1) } });
      return token;
    case 'revoked':
      await db.orm.token.update({ where: { id: tokenId }, data: { revokedAt: new Date() } });
      return token;
    case 'unknown':
      return `${tokenId}|${generateSecret()}`;
    case 'malformed':
      return token.slice(0, -1);
    case 'lacking':
      return (await createTokenOf(app.services, { teamId, userId }, { abilities: ['team:submit'] })).value;
    case 'foreign': {
      const other = await createIntegrator(app.services);
      await db.orm.membership.create({ data: { teamId: other.teamId, userId, role: 'owner' } });
      return (await createTokenOf(app.services, { teamId: other.teamId, userId })).value;
    }
  }
}

/** Cases that are only read from, by row. */
const unchanged = new Map<Case, ReturnType<typeof build>>();

/** A case for an endpoint. Those that only read share one, as it takes longer to build than to ask. */
function caseFor({ name }: Endpoint, row: Case): ReturnType<typeof build> {
  if (!name.startsWith('GET ')) return build(row);
  const built = unchanged.get(row) ?? build(row);
  unchanged.set(row, built);
  return built;
}

describe.each(ENDPOINTS)('$name', (endpoint) => {
  test.each(CASES)('answers as documented: $role, $team organization, $token token', async (row) => {
    const { value, ...own } = await caseFor(endpoint, row);
    const { db } = app.database;
    const liveBefore = await db.orm.token.count({ where: { teamId: own.teamId, revokedAt: null } });
    const answer = await endpoint.call(app.url, value, own);
    const expected = expectedOf(endpoint, row);
    expect([answer.status, (answer.body as { message?: string }).message]).toEqual(expected);
    expect(answer.headers.get('www-authenticate')).toBe(expected[0] === 401 ? 'Bearer' : null);
    if (expected !== endpoint.granted || row.token === 'foreign') {
      expect(await db.orm.token.count({ where: { teamId: own.teamId, revokedAt: null } })).toBe(liveBefore);
      expect(answer.text).not.toContain('Spare');
    }
  });
});

describe('a bearer in two organizations', () => {
  test('has tokens that neither list, create nor revoke tokens of the other', async () => {
    const { services } = app;
    const [one, two] = [await createIntegrator(services), await createIntegrator(services)];
    await app.database.db.orm.membership.create({
      data: { teamId: two.teamId, userId: one.userId, role: 'owner' },
    });
    const holder = { teamId: two.teamId, userId: one.userId };
    const elsewhere = await createTokenOf(services, holder, { name: 'Elsewhere' });
    await addWebsite(services, one.teamId, { name: 'Of one' });
    await addWebsite(services, two.teamId, { name: 'Of two' });
    const seen = async (token: string) => {
      const answers = [
        await call(app.url, 'GET', '/tokens', { token }),
        await call(app.url, 'GET', '/websites', { token }),
      ];
      return answers.map(({ text }) => text).join();
    };

    expect(await seen(one.token)).not.toMatch(/Elsewhere|Of two/);
    expect(await seen(elsewhere.value)).not.toContain('Of one');
    const create = { token: one.token, body: { name: 'Sneaky', team_id: two.teamId } };
    expect((await call(app.url, 'POST', '/tokens', create)).status).toBe(403);
    expect((await call(app.url, 'DELETE', `/tokens/${elsewhere.id}`, { token: one.token })).status).toBe(404);
    expect((await call(app.url, 'DELETE', '/tokens', { token: one.token })).status).toBe(200);
    expect((await call(app.url, 'GET', '/tokens', { token: elsewhere.value })).status).toBe(200);
    expect((await call(app.url, 'GET', '/tokens', { token: two.token })).status).toBe(200);
  });
});
