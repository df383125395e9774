import type { Db, Transaction } from '../db/client.js';
import { type Page, pageSql } from '../db/paging.js';
import { Prisma, type Role, type Team } from '../generated/prisma/client.js';

/** A team in a list, with its sort key. */
export type ListedTeam = Team & Readonly<{ sortName: string }>;

export type TeamFilter = Readonly<{
  /** A part of the name or the slug, in any case; empty matches all. */
  search: string;
  /** Ids of the teams to select from; null means all teams. */
  ids: readonly number[] | null;
}>;

/** A team and one of its members. */
export type Place = Readonly<{ teamId: number; userId: number }>;

/** Reads a page of the teams that match a filter, sorted by name without regard to case, and then by id. */
export function readTeams(db: Db, { search, ids }: TeamFilter, page: Page): Promise<ListedTeam[]> {
  const keys = [
    { sql: 'lower(name)', type: 'text' },
    { sql: 'id', type: 'int' },
  ] as const;
  const { beyond, order, limit } = pageSql(page, keys, 'ascending');
  return db.orm.$queryRaw`
    SELECT id, lower(name) AS "sortName", slug, name, active, plan_id AS "planId",
           directory_version::text AS "directoryVersion", created_at AS "createdAt", updated_at AS "updatedAt"
      FROM teams
     WHERE (${search} = '' OR position(lower(${search}) IN lower(name || ' ' || slug)) > 0)
       AND ${ids ? Prisma.sql`id = ANY (${[...ids]}::int[])` : Prisma.sql`TRUE`}
       AND ${beyond}
     ORDER BY ${order} LIMIT ${limit}`;
}

/**
 * Reads the role of a member, and locks it until the transaction ends. The owners are locked with it, so that
 * of two owners who remove each other, one finds that the other is the last.
 */
export async function lockRole(tx: Transaction, { teamId, userId }: Place) {
  const rows = await tx.$queryRaw<{ userId: number; role: Role }[]>`
    SELECT user_id AS "userId", role::text AS role FROM memberships
     WHERE team_id = ${teamId} AND (role = 'owner' OR user_id = ${userId})
     ORDER BY user_id
       FOR UPDATE`;
  return {
    role: rows.find((row) => row.userId === userId)?.role ?? null,
    isLastOwner: rows.every((row) => (row.role === 'owner') === (row.userId === userId)),
  };
}

/** Takes an account's addresses out of what the audit trail says about it. */
export async function forgetAddresses(tx: Transaction, userId: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE audit_events SET detail = detail - 'email'
     WHERE subject_type = 'user' AND subject_id = ${String(userId)} AND detail ? 'email'`;
}
