import { keepAccounts } from '../accounts/accounts.queries.js';
import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import { LOCK_TIMEOUTS } from '../db/row-lock.js';
import { conflict, tokenNotFound, unauthenticated } from '../errors.js';
import type { Token } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { createSemaphore } from '../lib/semaphore.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { type Bearer, requireManager } from './access.js';
import { generateSecret, hashSecret, matchesHash, parseToken } from './token-secret.js';
import {
  createTokenReader,
  createTouch,
  type Holder,
  type LockPurpose,
  lockMembership,
  lockMemberships,
} from './tokens.queries.js';

/** A holder that calls the REST API with a token. */
type Caller = Holder & Readonly<{ tokenId: number }>;

type NewToken = Holder & Readonly<{ name: string; abilities: readonly string[]; expiresAt: Date | null }>;

/** A token as its bearer may see it: everything but the secret. */
export type ListedToken = Pick<
  Token,
  'id' | 'name' | 'teamId' | 'abilities' | 'createdAt' | 'lastUsedAt' | 'expiresAt'
>;

/** A token as a manager of its team may see it: everything but the secret. */
export type TeamToken = ListedToken & Pick<Token, 'userId'>;

const LISTED = {
  id: true,
  name: true,
  teamId: true,
  abilities: true,
  createdAt: true,
  lastUsedAt: true,
  expiresAt: true,
} as const;

/**
 * Maximum tokens of a holder that are not revoked, expired ones included: lists are complete, so a list has this many
 * entries at most. One token for each website of the largest team, and room to rotate them.
 */
const MAX_TOKENS = 1_000;

/** Creations at once: those of one holder wait for each other's lock, with a connection each. */
const MAX_CONCURRENT_CREATIONS = 3;

export type Tokens = ReturnType<typeof createTokens>;

/** Reads and changes tokens. The REST API and the panel each have an instance, over their own connections. */
export function createTokens({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const read = createTokenReader(db);
  const touch = createTouch({ db, clock, log });
  const creations = createSemaphore(MAX_CONCURRENT_CREATIONS);

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
    /** Reads a token's bearer; null when the token is malformed, unknown, revoked or expired. */
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

    /** Lists the tokens of a holder that are not revoked, oldest first, expired ones included. */
    async list({ teamId, userId }: Holder): Promise<ListedToken[]> {
      return db.orm.token.findMany({
        where: { teamId, userId, revokedAt: null },
        orderBy: { id: 'asc' },
        select: LISTED,
      });
    },

    /** Lists every token of a team that is not revoked, oldest first, expired ones included. */
    listOfTeam: (teamId: number): Promise<TeamToken[]> =>
      db.orm.token.findMany({
        where: { teamId, revokedAt: null },
        orderBy: { id: 'asc' },
        select: { ...LISTED, userId: true },
      }),

    /** Finds a token that is not revoked; null when there is none of this id. */
    find: (id: number): Promise<TeamToken | null> =>
      db.orm.token.findFirst({ where: { id, revokedAt: null }, select: { ...LISTED, userId: true } }),

    /**
     * Creates a token and returns its value, which cannot be shown again.
     *
     * @param callingTokenId The token of the call; null for a call of the panel.
     * @throws 403 when the bearer is not owner or admin of an active team; 401 when the calling token has been revoked
     * meanwhile; 409 when the bearer has `MAX_TOKENS` for the team.
     */
    async create(
      token: NewToken,
      actor: Actor,
      callingTokenId: number | null = null,
    ): Promise<{ token: TeamToken; value: string }> {
      const secret = generateSecret();
      const insert = async (tx: Transaction): Promise<TeamToken> => {
        await lockHolder(tx, 'creating', token, callingTokenId);
        await requireRoom(tx, token);
        const row = await tx.token.create({
          data: { ...token, abilities: [...token.abilities], secretHash: hashSecret(secret) },
          select: { ...LISTED, userId: true },
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
        return row;
      };
      const created = await creations(() => db.orm.$transaction(insert, LOCK_TIMEOUTS));
      return { token: created, value: `${created.id}|${secret}` };
    },

    /**
     * Revokes one token of the caller for the caller's team. Later calls with it are refused.
     *
     * @throws 404 when the caller has no such token or it is revoked; 403 and 401 as `create`.
     */
    async revoke(caller: Caller, id: number, actor: Actor): Promise<void> {
      const { teamId, userId, tokenId } = caller;
      await db.orm.$transaction(async (tx) => {
        await lockHolder(tx, 'revoking', caller, tokenId);
        await revokeOne(tx, { id, teamId, userId }, tokenId, actor);
      }, LOCK_TIMEOUTS);
    },

    /**
     * Revokes a token of any member of a team. Later calls with it are refused.
     *
     * @throws 404 when it is revoked already.
     */
    async revokeAny({ id, teamId, userId }: Pick<TeamToken, 'id' | 'teamId' | 'userId'>, actor: Actor) {
      await db.orm.$transaction(async (tx) => {
        await keepAccounts(tx, [actor.userId]);
        await lockMembership(tx, 'revoking', { teamId, userId });
        await revokeOne(tx, { id, teamId, userId }, null, actor);
      }, LOCK_TIMEOUTS);
    },

    /** Revokes every token of a team, of all bearers. @returns how many were live. */
    revokeOfTeam: (teamId: number, actor: Actor): Promise<number> =>
      db.orm.$transaction(async (tx) => {
        await keepAccounts(tx, [actor.userId]);
        await lockMemberships(tx, teamId);
        const bearers = await tx.token.findMany({
          where: { teamId, revokedAt: null },
          distinct: 'userId',
          select: { userId: true },
        });
        let revoked = 0;
        for (const { userId } of bearers) {
          revoked += await revokeAll(tx, { teamId, userId }, actor, clock());
        }
        return revoked;
      }, LOCK_TIMEOUTS),

    /**
     * Revokes every token of the caller for the caller's team, the calling one included.
     *
     * @throws 403 and 401 as `create`.
     */
    async revokeOwn(caller: Caller, actor: Actor): Promise<void> {
      await db.orm.$transaction(async (tx) => {
        await lockHolder(tx, 'revoking', caller, caller.tokenId);
        await revokeAll(tx, caller, actor, clock(), caller.tokenId);
      }, LOCK_TIMEOUTS);
    },
  };
}

/**
 * Locks a holder's membership and checks the holder's rights and calling token under the lock.
 *
 * A change of the role takes the same lock, so no token is created after a revocation.
 */
async function lockHolder(
  tx: Transaction,
  purpose: LockPurpose,
  holder: Holder,
  callingTokenId: number | null,
): Promise<void> {
  await keepAccounts(tx, [holder.userId]);
  const membership = await lockMembership(tx, purpose, holder);
  if (callingTokenId !== null) {
    const isLive = await tx.token.count({ where: { id: callingTokenId, revokedAt: null } });
    if (!isLive) throw unauthenticated();
  }
  requireManager(membership ?? { role: null, teamActive: false });
}

/** Requires, under the lock of the membership, that a holder may have one more token. @throws 409 */
async function requireRoom(tx: Transaction, { teamId, userId }: Holder): Promise<void> {
  const count = await tx.token.count({ where: { teamId, userId, revokedAt: null } });
  if (count < MAX_TOKENS) return;
  const most = MAX_TOKENS.toLocaleString('en');
  throw conflict(
    `A bearer has ${most} tokens of an organization at most. Revoke those that are no longer used.`,
  );
}

/**
 * Revokes all tokens of a holder, within the caller's transaction.
 *
 * @param callingTokenId The token of the call; null for a call of the panel.
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
