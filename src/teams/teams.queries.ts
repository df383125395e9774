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
  /** The plan that they have; null means any. */
  planId: number | null;
  /** False selects the suspended ones; null means both. */
  active: boolean | null;
}>;

/** A team and one of its members. */
export type MembershipKey = Readonly<{ teamId: number; userId: number }>;

/** Reads a page of the teams that match a filter, sorted by name without regard to case, and then by id. */
export function readTeams(
  db: Db,
  { search, ids, planId, active }: TeamFilter,
  page: Page,
): Promise<ListedTeam[]> {
  const keys = [
    { sql: 'lower(name)', type: 'text' },
    { sql: 'id', type: 'int' },
  ] as const;
  const { beyond, order, limit } = pageSql(page, keys, 'ascending');
  return db.orm.$queryRaw`
    SELECT id, lower(name) AS "sortName", slug, name, active, plan_id AS "planId", retention_months AS "retentionMonths",
           directory_version::text AS "directoryVersion", created_at AS "createdAt", updated_at AS "updatedAt"
      FROM teams
     WHERE (${search} = '' OR position(lower(${search}) IN lower(name || ' ' || slug)) > 0)
       AND ${ids ? Prisma.sql`id = ANY (${[...ids]}::int[])` : Prisma.sql`TRUE`}
       AND (${planId}::int IS NULL OR plan_id = ${planId}::int)
       AND (${active}::boolean IS NULL OR active = ${active}::boolean)
       AND ${beyond}
     ORDER BY ${order} LIMIT ${limit}`;
}

/** Counts the websites of teams; a team without any is left out. */
export const countWebsites = (db: Db, teamIds: readonly number[]) => db.orm.$queryRaw<
  { teamId: number; count: number }[]
>`
  SELECT team_id AS "teamId", count(*)::int AS count FROM websites
   WHERE team_id = ANY (${[...teamIds]}::int[])
   GROUP BY team_id`;

/** Locks the owners of a team and one more of its members until the transaction ends, and reads their roles. */
export async function lockOwners(
  tx: Transaction,
  { teamId, userId }: MembershipKey,
): Promise<Map<number, Role>> {
  const rows = await tx.$queryRaw<{ userId: number; role: Role }[]>`
    SELECT user_id AS "userId", role::text AS role FROM memberships
     WHERE team_id = ${teamId} AND (role = 'owner' OR user_id = ${userId})
     ORDER BY user_id
       FOR UPDATE`;
  return new Map(rows.map((row) => [row.userId, row.role]));
}

/**
 * Reads the role of a member, and locks it until the transaction ends. The owners are locked with it, so that
 * of two owners who remove each other, one finds that the other is the last.
 */
export async function lockRole(tx: Transaction, key: MembershipKey) {
  const roles = await lockOwners(tx, key);
  return {
    role: roles.get(key.userId) ?? null,
    isLastOwner: [...roles].every(([userId, role]) => (role === 'owner') === (userId === key.userId)),
  };
}

/**
 * Takes an account's addresses out of what the audit trail says about it, and those that it has or had out of what it
 * says about its invitations, which are known by the address alone.
 */
export async function eraseAddresses(
  tx: Transaction,
  { id, email }: Readonly<{ id: number; email: string }>,
): Promise<void> {
  await tx.$executeRaw`
    WITH about_account AS (
      SELECT id, action, detail FROM audit_events
       WHERE subject_type = 'user' AND subject_id = ${String(id)} AND (detail ? 'email' OR detail ? 'former')
    ), address AS (
      SELECT ${email} AS email UNION ALL
      -- Not those that were only requested: they may be another's.
      SELECT unnest(ARRAY[detail->>'email', detail->>'former']) FROM about_account WHERE action = 'user.email_changed'
    )
    UPDATE audit_events SET detail = detail - 'email' - 'former'
     WHERE id IN (
             SELECT id FROM about_account UNION ALL
             SELECT id FROM audit_events
              WHERE subject_type = 'invitation' AND lower(detail->>'email') IN (SELECT lower(email) FROM address))`;
}
