import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import { tokenNotFound, unauthenticated } from '../errors.js';
import { Prisma, type Token } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { type Bearer, requireManager } from './access.js';
import { generateSecret, hashSecret, matchesHash, parseToken } from './token-secret.js';
import { createTokenReader, createTouch } from './tokens.queries.js';

/** A user's tokens for a team. */
type Holder = Readonly<{ teamId: number; userId: number }>;

/** A holder who acts through the API, with one of these tokens. */
type Caller = Holder & Readonly<{ tokenId: number }>;

export type NewToken = Holder &
  Readonly<{ name: string; abilities: readonly string[]; expiresAt: Date | null }>;

/** A token as its bearer may see it: everything but the secret. */
export type ListedToken = Pick<
  Token,
  'id' | 'name' | 'teamId' | 'abilities' | 'createdAt' | 'lastUsedAt' | 'expiresAt'
>;

/** A token as those who manage its team see it: everything but the secret. */
export type TeamToken = ListedToken & Pick<Token, 'userId'>;

const LISTED = {
  ...{ id: true, name: true, teamId: true, abilities: true },
  ...{ createdAt: true, lastUsedAt: true, expiresAt: true },
} as const;

/** A revocation waits for the creations under way, and a crowd of either for connections. */
const TAKING_TURNS = { maxWait: 10_000, timeout: 10_000 };

/** Creations go side by side; what revokes waits for them, and they wait for what revokes. */
const TURN = { creating: Prisma.sql`FOR SHARE OF m`, revoking: Prisma.sql`FOR UPDATE OF m` };

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const read = createTokenReader(db);
  const touch = createTouch({ db, clock, log });

  async function revokeOne(
    tx: Transaction,
    { id, teamId, userId }: Holder & Readonly<{ id: number }>,
    callingTokenId: number | null,
    actor: Actor,
  ): Promise<void> {
    const { count } = await tx.token.updateMany({
      where: { id, teamId, userId, revokedAt: null },
      data: { revokedAt: clock(), revokedById: actor.userId },
    });
    if (count === 0) throw tokenNotFound();
    await recordAudit(tx, actor, {
      teamId,
      action: 'token.revoked',
      subject: ['token', id],
      detail: { bearerId: userId, callingTokenId },
    });
  }

  return {
    /**
     * A token's bearer, as everything stands at this moment (`createTokenReader`). Null when it is malformed,
     * unknown, revoked or expired.
     */
    async authenticate(value: string): Promise<Bearer | null> {
      const parsed = parseToken(value);
      if (!parsed) return null;
      const row = await read(parsed.id);
      if (!row) return null;
      const now = clock();
      const { secretHash, lastUsedAt, revokedAt, ...bearer } = row;
      const isLive = !revokedAt && (!bearer.expiresAt || bearer.expiresAt > now);
      if (!matchesHash(parsed.secret, secretHash) || !isLive) return null;
      touch(row);
      return bearer;
    },

    /** The tokens of a holder that are not revoked, oldest first; those that have expired are among them. */
    async list({ teamId, userId }: Holder): Promise<ListedToken[]> {
      return db.orm.token.findMany({
        where: { teamId, userId, revokedAt: null },
        orderBy: { id: 'asc' },
        select: LISTED,
      });
    },

    /** Every token of a team that is not revoked, whoever bears it, oldest first; expired ones are among them. */
    listOfTeam: (teamId: number): Promise<TeamToken[]> =>
      db.orm.token.findMany({
        where: { teamId, revokedAt: null },
        orderBy: { id: 'asc' },
        select: { ...LISTED, userId: true },
      }),

    /** A token that is not revoked; null when there is none of this id. */
    find: (id: number): Promise<TeamToken | null> =>
      db.orm.token.findFirst({ where: { id, revokedAt: null }, select: { ...LISTED, userId: true } }),

    /**
     * Creates a token and returns its value, which nothing can show again. `callingTokenId` is the token
     * that asks for it, where one does.
     *
     * @throws 403 when the bearer is not owner or admin of an active team; 401 when the
     * calling token has been revoked meanwhile.
     */
    async create(
      token: NewToken,
      actor: Actor,
      callingTokenId: number | null = null,
    ): Promise<{ id: number; value: string }> {
      const secret = generateSecret();
      const id = await db.orm.$transaction(async (tx) => {
        await takeTurn(tx, 'creating', token, callingTokenId);
        const row = await tx.token.create({
          data: { ...token, abilities: [...token.abilities], secretHash: hashSecret(secret) },
        });
        await recordAudit(tx, actor, {
          teamId: token.teamId,
          action: 'token.created',
          subject: ['token', row.id],
          detail: {
            name: token.name,
            abilities: [...token.abilities],
            bearerId: token.userId,
            callingTokenId,
          },
        });
        return row.id;
      }, TAKING_TURNS);
      return { id, value: `${id}|${secret}` };
    },

    /**
     * Revokes one token of the caller for the caller's team. No call that arrives after this succeeds.
     *
     * @throws 404 when it is none of those, or is revoked already; 403 and 401 as `create`.
     */
    async revoke(caller: Caller, id: number, actor: Actor): Promise<void> {
      const { teamId, userId, tokenId } = caller;
      await db.orm.$transaction(async (tx) => {
        await takeTurn(tx, 'revoking', caller, tokenId);
        await revokeOne(tx, { id, teamId, userId }, tokenId, actor);
      }, TAKING_TURNS);
    },

    /**
     * Revokes a token for those who manage its team, whoever bears it. No call that arrives after this succeeds.
     *
     * @throws 404 when it is revoked already.
     */
    async revokeAny({ id, teamId, userId }: Pick<TeamToken, 'id' | 'teamId' | 'userId'>, actor: Actor) {
      await db.orm.$transaction(async (tx) => {
        await lockMembership(tx, 'revoking', { teamId, userId });
        await revokeOne(tx, { id, teamId, userId }, null, actor);
      }, TAKING_TURNS);
    },

    /**
     * Revokes every token of the caller for the caller's team, the calling one included.
     *
     * @throws 403 and 401 as `create`.
     */
    async revokeOwn(caller: Caller, actor: Actor): Promise<void> {
      await db.orm.$transaction(async (tx) => {
        await takeTurn(tx, 'revoking', caller, caller.tokenId);
        await revokeAll(tx, caller, actor, clock(), caller.tokenId);
      }, TAKING_TURNS);
    },
  };
}

/**
 * Begins a change of a holder's tokens: locks the membership, which is also what taking away the role
 * writes to, and looks again. So no token is created by a call that a revocation has overtaken.
 */
async function takeTurn(
  tx: Transaction,
  turn: keyof typeof TURN,
  holder: Holder,
  callingTokenId: number | null,
): Promise<void> {
  const membership = await lockMembership(tx, turn, holder);
  if (callingTokenId !== null) {
    const isLive = await tx.token.count({ where: { id: callingTokenId, revokedAt: null } });
    if (!isLive) throw unauthenticated();
  }
  requireManager(membership ?? { role: null, teamActive: false });
}

async function lockMembership(tx: Transaction, turn: keyof typeof TURN, { teamId, userId }: Holder) {
  const [membership] = await tx.$queryRaw<Pick<Bearer, 'role' | 'teamActive'>[]>`
    SELECT m.role::text AS role, teams.active AS "teamActive"
      FROM memberships m JOIN teams ON teams.id = m.team_id
     WHERE m.team_id = ${teamId} AND m.user_id = ${userId}
     ${TURN[turn]}`;
  return membership;
}

/**
 * Revokes all tokens of a holder, within the transaction of whatever ends them. `callingTokenId` is the
 * token that asks for it, where one does.
 *
 * @returns how many were live.
 */
export async function revokeAll(
  tx: Transaction,
  { teamId, userId }: Holder,
  actor: Actor,
  now: Date,
  callingTokenId: number | null = null,
): Promise<number> {
  const revoked = await tx.token.updateManyAndReturn({
    where: { teamId, userId, revokedAt: null },
    data: { revokedAt: now, revokedById: actor.userId },
    select: { id: true },
  });
  if (revoked.length > 0) {
    await recordAudit(tx, actor, {
      teamId,
      action: 'token.all_revoked',
      subject: ['user', userId],
      detail: { tokenIds: revoked.map(({ id }) => id), callingTokenId },
    });
  }
  return revoked.length;
}
