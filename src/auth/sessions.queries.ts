import { createBatchedRead } from '../db/batched-read.js';
import type { Db, Transaction } from '../db/client.js';
import { asHolder } from '../db/fair-pool.js';
import { Prisma, type Role, type User } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Viewer } from './viewer.js';

/** A live session with the rights of its user, as read from the database. */
export type SessionRow = Omit<Viewer, 'roles'> &
  Readonly<{ secretHash: Uint8Array; lastSeenAt: Date; roles: Record<string, Role> }>;

/**
 * Creates a reader of live sessions with the rights of their users: by the unique key, never cached.
 *
 * @returns the function that reads the session of a secret's hash; it returns null when there is none.
 */
export function createSessionReader({
  db,
  clock,
}: {
  db: Db;
  clock: Clock;
}): (secretHash: Uint8Array) => Promise<SessionRow | null> {
  const read = createBatchedRead({
    // The statement is of several requests, so it has a share of its own.
    read: (hashes: readonly string[]) =>
      asHolder('sessions', () =>
        db.sql<SessionRow>(
          Prisma.sql`
          SELECT s.secret_hash AS "secretHash", u.id AS "userId", s.id::text AS "sessionId", u.email, u.name,
                 u.staff, u.language, u.theme, CASE WHEN u.staff THEN s.view_as_team_id END AS "viewAsTeamId",
                 s.last_seen_at AS "lastSeenAt",
                 (SELECT coalesce(json_object_agg(team_id, role), '{}') FROM memberships
                   WHERE user_id = u.id) AS roles
            FROM sessions s JOIN users u ON u.id = s.user_id
           WHERE s.secret_hash = ANY (${hashes.map((hash) => Buffer.from(hash, 'hex'))}::bytea[])
             AND s.revoked_at IS NULL AND s.expires_at > ${clock()} AND u.disabled_at IS NULL`,
          'sessions',
        ),
      ),
    keyOf: ({ secretHash }) => hexadecimal(secretHash),
  });
  return (secretHash) => read(hexadecimal(secretHash));
}

/** Locks the password of an account until the transaction ends. @returns false when it has changed meanwhile. */
export async function lockPassword(
  tx: Transaction,
  { id, passwordHash }: Pick<User, 'id' | 'passwordHash'>,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM users WHERE id = ${id} AND password_hash = ${passwordHash} FOR NO KEY UPDATE`;
  return rows.length > 0;
}

/**
 * Ends the views of teams in all sessions of an account, the expired ones too; those that were ended have ended theirs.
 *
 * @returns the teams.
 */
export async function endViews(tx: Transaction, userId: number): Promise<number[]> {
  const rows = await tx.$queryRaw<{ teamId: number }[]>`
    WITH viewing AS (
      SELECT id, view_as_team_id FROM sessions
       WHERE user_id = ${userId} AND view_as_team_id IS NOT NULL AND revoked_at IS NULL ORDER BY id FOR UPDATE
    )
    UPDATE sessions s SET view_as_team_id = NULL FROM viewing WHERE s.id = viewing.id
    RETURNING viewing.view_as_team_id AS "teamId"`;
  return rows.map(({ teamId }) => teamId);
}

const hexadecimal = (hash: Uint8Array): string => Buffer.from(hash).toString('hex');
