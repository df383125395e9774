import { randomBytes, randomInt } from 'node:crypto';
import { SYSTEM_ACTOR } from '../../src/audit/audit.js';
import type { Db } from '../../src/db/client.js';
import type { Role } from '../../src/generated/prisma/client.js';
import type { Services } from '../../src/services.js';
import { ABILITIES } from '../../src/tokens/access.js';
import { createWebsite, type WebsiteSettings } from '../../src/websites/editing/save-website.js';
import { startTestApp } from './app.js';

/** An application behind a proxy, so that each call can come from an address of its own. */
export const startApiApp = (options: Parameters<typeof startTestApp>[0] = {}) =>
  startTestApp({ ...options, env: { TRUST_PROXY: 'loopback', ...options.env } });

const unique = () => randomBytes(6).toString('hex');

/** An address that no other call has. */
export const freshIp = () => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;

export type Call = Readonly<{
  token?: string;
  /** Sent as JSON, or as it is when it is a string. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The client's address, as the proxy tells it. */
  ip?: string;
}>;

export type Answer = Readonly<{ status: number; body: unknown; headers: Headers; text: string }>;

/** Calls the API over HTTP. */
export async function call(url: string, method: string, path: string, options: Call = {}): Promise<Answer> {
  const { token, body, headers, ip = freshIp() } = options;
  const response = await fetch(`${url}/api${path}`, {
    method,
    headers: {
      Accept: 'application/json',
      'X-Forwarded-For': ip,
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: parse(text), headers: response.headers, text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A team without members. */
export async function createTeam(db: Db, name = 'Team'): Promise<{ id: number; slug: string }> {
  const plan = await db.orm.plan.upsert({
    where: { code: 'default' },
    create: { code: 'default', name: 'Default' },
    update: {},
  });
  return db.orm.team.create({ data: { slug: `team-${unique()}`, name, planId: plan.id } });
}

/** An account, with a role in each of the teams given. */
export async function createMember(db: Db, roles: readonly [teamId: number, role: Role][]): Promise<number> {
  const user = await db.orm.user.create({
    data: {
      email: `${unique()}@example.test`,
      name: 'Someone',
      memberships: { create: roles.map(([teamId, role]) => ({ teamId, role })) },
    },
  });
  return user.id;
}

type TokenOptions = { name?: string; abilities?: readonly string[]; expiresAt?: Date | null };

/** A token of an owner or admin, as the command line creates it. */
export async function createTokenOf(
  services: Services,
  holder: { teamId: number; userId: number },
  { name = 'A token', abilities = ABILITIES, expiresAt = null }: TokenOptions = {},
): Promise<{ id: number; value: string }> {
  const { token, value } = await services.tokens.create(
    { ...holder, name, abilities, expiresAt },
    SYSTEM_ACTOR,
  );
  return { id: token.id, value };
}

/** A team with an owner who has a token. */
export async function createIntegrator(services: Services, options: TokenOptions = {}) {
  const team = await createTeam(services.db);
  const userId = await createMember(services.db, [[team.id, 'owner']]);
  const token = await createTokenOf(services, { teamId: team.id, userId }, options);
  return { team, teamId: team.id, userId, token: token.value, tokenId: token.id };
}

/** A website as the panel or a provision document creates it. */
export function addWebsite(
  { db, cipher }: Services,
  teamId: number,
  settings: WebsiteSettings & { id?: string } = {},
) {
  const host = `${unique()}.example.test`;
  const { id, ...rest } = settings;
  const required = { name: 'A website', host, url: `https://${host}`, locale: 'fr', email: `desk@${host}` };
  return db.orm.$transaction((tx) =>
    createWebsite({ tx, cipher }, { id, teamId }, { ...required, ...rest }, SYSTEM_ACTOR),
  );
}
