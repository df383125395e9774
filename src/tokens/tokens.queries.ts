import { createBatchedRead } from '../db/batched-read.js';
import { createBatcher } from '../db/batcher.js';
import type { Db, Transaction } from '../db/client.js';
import { Prisma, type Token } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Bearer } from './access.js';

/** A token with the rights of its bearer, as read from the database. */
type TokenRow = Bearer & Pick<Token, 'secretHash' | 'lastUsedAt' | 'revokedAt'>;

/** A user's tokens for a team. */
export type Holder = Readonly<{ teamId: number; userId: number }>;

/** Locks of a membership. Creations take it one after the other, so that each counts the tokens of those before. */
const MEMBERSHIP_LOCKS = {
  creating: Prisma.sql`FOR NO KEY UPDATE OF m`,
  revoking: Prisma.sql`FOR UPDATE OF m`,
};

export type LockPurpose = keyof typeof MEMBERSHIP_LOCKS;

const LAST_USED_EVERY_MS = 60_000;

/** Maximum number of tokens in a statement that updates their last use. */
const MAX_BATCH = 200;

/**
 * Creates a reader of tokens with the rights of their bearers: by primary key, never cached.
 *
 * @returns the function that reads the token of an id; it returns null when there is none.
 */
export function createTokenReader(db: Db): (id: number) => Promise<TokenRow | null> {
  return createBatchedRead({
    read: (ids: readonly number[]) =>
      db.sql<TokenRow>(
        Prisma.sql`
          SELECT t.id AS "tokenId", t.team_id AS "teamId", t.user_id AS "userId", t.abilities,
                 t.secret_hash AS "secretHash", t.last_used_at AS "lastUsedAt", t.expires_at AS "expiresAt",
                 t.revoked_at AS "revokedAt", teams.slug AS "teamSlug", teams.active AS "teamActive",
                 teams.directory_version::text AS "directoryVersion", m.user_id IS NOT NULL AS "isMember",
                 CASE WHEN u.disabled_at IS NULL THEN m.role::text END AS role
            FROM tokens t
            JOIN teams ON teams.id = t.team_id
            JOIN users u ON u.id = t.user_id
            LEFT JOIN memberships m ON m.team_id = t.team_id AND m.user_id = t.user_id
           WHERE t.id = ANY (${ids}::int[])`,
        'tokens',
      ),
    keyOf: ({ tokenId }) => tokenId,
  });
}

/**
 * Updates the last use of tokens, to the minute.
 *
 * No answer waits for it, and a failure costs a minute of precision.
 */
export function createTouch({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const warn = limitLog(log);
  const touching = new Set<number>();
  const dueBefore = () => new Date(clock().getTime() - LAST_USED_EVERY_MS);

  const touchTogether = createBatcher({
    maxSize: MAX_BATCH,
    maxInFlight: 1,
    async runBatch(ids: readonly number[]) {
      // A locked row is being updated or revoked by another transaction.
      await db.orm.$executeRaw`
        UPDATE tokens SET last_used_at = ${clock()}
         WHERE id IN (
           SELECT id FROM tokens
            WHERE id = ANY (${ids}) AND (last_used_at IS NULL OR last_used_at <= ${dueBefore()})
              FOR NO KEY UPDATE SKIP LOCKED
         )`;
      return ids.map(() => undefined);
    },
  });

  return ({ tokenId, lastUsedAt }: Pick<TokenRow, 'tokenId' | 'lastUsedAt'>): void => {
    if ((lastUsedAt && lastUsedAt > dueBefore()) || touching.has(tokenId)) return;
    touching.add(tokenId);
    touchTogether(tokenId)
      .catch((error: Error) => warn(error, 'last_used_at not updated'))
      .finally(() => touching.delete(tokenId));
  };
}

/** Locks the membership of a holder until the transaction ends, and reads the rights that it gives; null for none. */
export async function lockMembership(
  tx: Transaction,
  purpose: LockPurpose,
  { teamId, userId }: Holder,
): Promise<Pick<Bearer, 'role' | 'teamActive'> | null> {
  const [membership] = await tx.$queryRaw<Pick<Bearer, 'role' | 'teamActive'>[]>`
    SELECT m.role::text AS role, teams.active AS "teamActive"
      FROM memberships m JOIN teams ON teams.id = m.team_id
     WHERE m.team_id = ${teamId} AND m.user_id = ${userId}
     ${MEMBERSHIP_LOCKS[purpose]}`;
  return membership ?? null;
}

/** Locks all memberships of a team until the transaction ends, as the revocation of each member's tokens does. */
export async function lockMemberships(tx: Transaction, teamId: number): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM memberships WHERE team_id = ${teamId} ORDER BY user_id FOR UPDATE`;
}
