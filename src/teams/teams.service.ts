import { type Actor, recordAudit } from '../audit/audit.js';
import { type Db, isUniqueViolation, type Transaction } from '../db/client.js';
import { conflict, notFound } from '../errors.js';
import { Prisma, type Role, type Team } from '../generated/prisma/client.js';
import { createTeam, type TeamSettings, updateTeam } from './save-team.js';

/** Revokes every token of a bearer for a team, inside the given transaction. */
export type RevokeTokens = (
  tx: Transaction,
  bearer: { teamId: number; userId: number },
  actor: Actor,
) => Promise<unknown>;

/** A team in a list, with its sort key. */
export type ListedTeam = Team & Readonly<{ sortName: string }>;

/** Selects teams, sorted by name without regard to case, and then by id. */
export type TeamQuery = Readonly<{
  /** A part of the name or the slug, in any case; empty matches all. */
  search: string;
  /** Ids of the teams to select from; null means all teams. */
  ids: readonly number[] | null;
  limit: number;
  direction: 'forward' | 'backward';
  /** `sortName` and id of the team after which the page begins; null means an end of the list. */
  cursor: readonly [sortName: string, id: number] | null;
}>;

/** Ends a membership, and deletes an invitation by which it could begin again. */
async function expel(tx: Transaction, member: Readonly<{ teamId: number; userId: number }>): Promise<void> {
  const { user } = await tx.membership.delete({
    where: { teamId_userId: member },
    include: { user: { select: { email: true } } },
  });
  await tx.oneTimeLink.deleteMany({
    where: { purpose: 'invitation', teamId: member.teamId, email: user.email },
  });
}

export type Teams = ReturnType<typeof createTeams>;

/** Manages teams. The caller passes `revokeTokens`, because the tokens module depends on this one. */
export function createTeams({ db, revokeTokens }: { db: Db; revokeTokens: RevokeTokens }) {
  /** Requires that a plan exists. @throws 404 when it does not. */
  async function requirePlan(tx: Transaction, id: number | undefined): Promise<void> {
    if (id !== undefined && !(await tx.plan.count({ where: { id } }))) throw notFound('Plan not found.');
  }

  return {
    /** Reads teams in the order of the ids; null for a missing team. */
    async byIds(ids: readonly number[]): Promise<(Team | null)[]> {
      const rows = await db.orm.team.findMany({ where: { id: { in: [...ids] } } });
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    },

    bySlug: (slug: string): Promise<Team | null> => db.orm.team.findUnique({ where: { slug } }),

    /** Reads a page of teams and one more, from the cursor on in its direction. */
    async page({ search, ids, limit, direction, cursor }: TeamQuery): Promise<ListedTeam[]> {
      const { sql } = Prisma;
      const isForward = direction === 'forward';
      const conditions = [sql`true`];
      if (search) conditions.push(sql`position(lower(${search}) IN lower(name || ' ' || slug)) > 0`);
      if (ids) conditions.push(sql`id = ANY (${[...ids]}::int[])`);
      if (cursor) {
        const key = sql`(${cursor[0]}, ${cursor[1]}::int)`;
        conditions.push(isForward ? sql`(lower(name), id) > ${key}` : sql`(lower(name), id) < ${key}`);
      }
      const order = isForward ? sql`lower(name) ASC, id ASC` : sql`lower(name) DESC, id DESC`;
      return db.orm.$queryRaw<ListedTeam[]>`
        SELECT id, lower(name) AS "sortName", slug, name, active, plan_id AS "planId", directory_version::text AS "directoryVersion",
               created_at AS "createdAt", updated_at AS "updatedAt"
          FROM teams
         WHERE ${Prisma.join(conditions, ' AND ')}
         ORDER BY ${order}
         LIMIT ${limit + 1}`;
    },

    /** Creates a team. @throws 404 when there is no such plan; 409 when a team has this slug. */
    create: (team: Pick<Team, 'slug' | 'name' | 'planId'>, actor: Actor): Promise<Team> =>
      db.orm
        .$transaction(async (tx) => {
          await requirePlan(tx, team.planId);
          return createTeam(tx, team, actor);
        })
        .catch((error) => {
          throw isUniqueViolation(error) ? conflict('There already is a team of this slug.') : error;
        }),

    /** Updates a team. @throws 404 when there is no such team or plan. */
    update: (id: number, settings: TeamSettings, actor: Actor): Promise<Team> =>
      db.orm.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM teams WHERE id = ${id} FOR UPDATE`;
        const stored = await tx.team.findUnique({ where: { id } });
        if (!stored) throw notFound('Team not found.');
        await requirePlan(tx, settings.planId);
        await updateTeam(tx, stored, settings, actor);
        return { ...stored, ...settings };
      }),

    /**
     * Sets a user's role in a team; null removes it. If the user thereby loses the right to hold tokens, they are
     * revoked in the same transaction.
     */
    async setRole(
      tx: Transaction,
      member: { teamId: number; userId: number },
      role: Role | null,
      actor: Actor,
    ): Promise<void> {
      const key = { teamId_userId: member };
      const before = await tx.membership.findUnique({ where: key });
      if ((before?.role ?? null) === role) return;
      if (role === null) await expel(tx, member);
      else await tx.membership.upsert({ where: key, create: { ...member, role }, update: { role } });
      await recordAudit(tx, actor, {
        teamId: member.teamId,
        action: role === null ? 'member.removed' : before ? 'member.role_changed' : 'member.added',
        subject: ['user', member.userId],
        detail: { from: before?.role ?? null, to: role },
      });
      if (role === null || role === 'member') await revokeTokens(tx, member, actor);
    },
  };
}
