import { type Actor, recordAudit } from '../accounts/audit.js';
import { forbidden, missingAbility, noLongerAllowed, unauthenticated } from '../errors.js';
import type { Role, Token } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import type { Database, Transaction } from '../lib/prisma.js';
import { drawSecret, hashSecret, matchesHash, parseToken } from './token-secret.js';

export const ABILITIES = ['team:read', 'team:submit'] as const;
export type Ability = (typeof ABILITIES)[number];

/** A live token with the standing of its bearer at this very moment. */
export type Bearer = Readonly<{
  tokenId: number;
  teamId: number;
  teamActive: boolean;
  userId: number;
  abilities: readonly string[];
  /** Null: the bearer is no member of the team any more. */
  role: Role | null;
}>;

export type NewToken = Readonly<{
  teamId: number;
  userId: number;
  name: string;
  abilities: readonly string[];
  expiresAt: Date | null;
}>;

type TokenRow = Omit<Bearer, 'tokenId'> &
  Pick<Token, 'id' | 'secretHash' | 'lastUsedAt' | 'expiresAt' | 'revokedAt'>;

const LAST_USED_EVERY_MS = 60_000;

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens({ db, clock, log }: { db: Database; clock: Clock; log: Logger }) {
  /** Off the request path: the answer waits for none of this, and a lost update costs a minute. */
  function touch(token: Pick<Token, 'id' | 'lastUsedAt'>, now: Date): void {
    const due = new Date(now.getTime() - LAST_USED_EVERY_MS);
    if (token.lastUsedAt && token.lastUsedAt > due) return;
    db.token
      .updateMany({
        where: { id: token.id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: due } }] },
        data: { lastUsedAt: now },
      })
      .catch((error: Error) => log.warn({ reason: error.message }, 'last_used_at not updated'));
  }

  return {
    /**
     * Reads a token and the standing of its bearer: one joined read by primary key, never cached.
     *
     * @throws 401 when it is malformed, unknown, revoked or expired (interface 5.1).
     */
    async authenticate(value: string): Promise<Bearer> {
      const parsed = parseToken(value);
      if (!parsed) throw unauthenticated();
      const [token] = await db.$queryRaw<TokenRow[]>`
        SELECT t.id, t.team_id AS "teamId", t.user_id AS "userId", t.abilities, t.secret_hash AS "secretHash",
               t.last_used_at AS "lastUsedAt", t.expires_at AS "expiresAt", t.revoked_at AS "revokedAt",
               teams.active AS "teamActive", m.role::text AS role
          FROM tokens t
          JOIN teams ON teams.id = t.team_id
          LEFT JOIN memberships m ON m.team_id = t.team_id AND m.user_id = t.user_id
         WHERE t.id = ${parsed.id}`;
      const now = clock();
      const live =
        token &&
        matchesHash(parsed.secret, token.secretHash) &&
        !token.revokedAt &&
        (!token.expiresAt || token.expiresAt > now);
      if (!live) throw unauthenticated();
      touch(token, now);
      return {
        tokenId: token.id,
        teamId: token.teamId,
        teamActive: token.teamActive,
        userId: token.userId,
        abilities: token.abilities,
        role: token.role,
      };
    },

    /**
     * Creates a token and returns its value, which nothing can show again.
     *
     * @throws 403 when the bearer is not owner or admin of an active team (interface 5.1).
     */
    async create(token: NewToken, actor: Actor): Promise<{ id: number; value: string }> {
      const secret = drawSecret();
      const id = await db.$transaction(async (tx) => {
        const membership = await tx.membership.findUnique({
          where: { teamId_userId: { teamId: token.teamId, userId: token.userId } },
          include: { team: { select: { active: true } } },
        });
        if (!membership || membership.role === 'member' || !membership.team.active) {
          throw forbidden('Tokens are reserved to owners and administrators of an active organization.');
        }
        const row = await tx.token.create({
          data: { ...token, abilities: [...token.abilities], secretHash: hashSecret(secret) },
        });
        await recordAudit(tx, actor, {
          teamId: token.teamId,
          action: 'token.created',
          subject: ['token', row.id],
          detail: { name: token.name, abilities: [...token.abilities], bearerId: token.userId },
        });
        return row.id;
      });
      return { id, value: `${id}|${secret}` };
    },
  };
}

/**
 * What every call with a token must show beyond being authentic: the role, live, and the ability.
 *
 * @throws 403 with the wording of its case (interface 7).
 */
export function requireAccess(bearer: Bearer, ability: Ability): void {
  if (!bearer.teamActive || (bearer.role !== 'owner' && bearer.role !== 'admin')) throw noLongerAllowed();
  if (!bearer.abilities.includes(ability)) throw missingAbility(ability);
}

/**
 * Revokes all tokens of a bearer for a team, within the transaction that takes away the role.
 *
 * @returns how many were live.
 */
export async function revokeAll(
  tx: Transaction,
  { teamId, userId }: { teamId: number; userId: number },
  actor: Actor,
  now: Date,
): Promise<number> {
  const { count } = await tx.token.updateMany({
    where: { teamId, userId, revokedAt: null },
    data: { revokedAt: now, revokedById: actor.userId },
  });
  if (count > 0) {
    await recordAudit(tx, actor, {
      teamId,
      action: 'token.all_revoked',
      subject: ['user', userId],
      detail: { count },
    });
  }
  return count;
}
