import { type Actor, recordAudit } from '../audit/audit.js';
import { type Database, isUniqueViolation, type Transaction } from '../db/client.js';
import { conflict, notFound } from '../errors.js';
import { Prisma, type Role, type Team } from '../generated/prisma/client.js';
import { createTeam, type TeamSettings, updateTeam } from './save-team.js';

/** Revokes every token of a bearer for a team, inside the given transaction. */
export type RevokeTokens = (
  tx: Transaction,
  bearer: { teamId: number; userId: number },
  actor: Actor,
) => Promise<unknown>;

/** A team in a list, with what the list is sorted by. */
export type ListedTeam = Team & Readonly<{ sortName: string }>;

/** Which teams, sorted by name, in whatever case, and then by id. */
export type TeamQuery = Readonly<{
  /** Part of the name or the slug, in any case; empty: all. */
  search: string;
  /** Only these; null: whichever. */
  ids: readonly number[] | null;
  limit: number;
  direction: 'forward' | 'backward';
  /** `sortName` and id of the team beyond which the page begins; null: at the end of the list. */
  cursor: readonly [sortName: string, id: number] | null;
}>;

/** Ends a membership, and an invitation by which it could begin again. */
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

/** `revokeTokens` comes from the tokens, which stand above the teams. */
export function createTeams({ db, revokeTokens }: { db: Database; revokeTokens: RevokeTokens }) {
  /** @throws 404. */
  async function requirePlan(tx: Transaction, id: number | undefined): Promise<void> {
    if (id !== undefined && !(await tx.plan.count({ where: { id } }))) throw notFound('Plan not found.');
  }

  return {
    /** Teams in the order of the ids; null for what is not there. */
    async byIds(ids: readonly number[]): Promise<(Team | null)[]> {
      const rows = await db.team.findMany({ where: { id: { in: [...ids] } } });
      const found = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => found.get(id) ?? null);
    },

    bySlug: (slug: string): Promise<Team | null> => db.team.findUnique({ where: { slug } }),

    /** A page of teams and one more, from the cursor on in its direction. */
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
      return db.$queryRaw<ListedTeam[]>`
        SELECT id, lower(name) AS "sortName", slug, name, active, plan_id AS "planId", directory_version::text AS "directoryVersion",
               created_at AS "createdAt", updated_at AS "updatedAt"
          FROM teams
         WHERE ${Prisma.join(conditions, ' AND ')}
         ORDER BY ${order}
         LIMIT ${limit + 1}`;
    },

    /** @throws 404 when there is no such plan; 409 when there is a team of this slug. */
    create: (team: Pick<Team, 'slug' | 'name' | 'planId'>, actor: Actor): Promise<Team> =>
      db
        .$transaction(async (tx) => {
          await requirePlan(tx, team.planId);
          return createTeam(tx, team, actor);
        })
        .catch((error) => {
          throw isUniqueViolation(error) ? conflict('There already is a team of this slug.') : error;
        }),

    /** @throws 404 when there is no such team or plan. */
    update: (id: number, settings: TeamSettings, actor: Actor): Promise<Team> =>
      db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM teams WHERE id = ${id} FOR UPDATE`;
        const stored = await tx.team.findUnique({ where: { id } });
        if (!stored) throw notFound('Team not found.');
        await requirePlan(tx, settings.planId);
        await updateTeam(tx, stored, settings, actor);
        return { ...stored, ...settings };
      }),

    /**
     * Gives a user a role in a team, or takes it away with null. Whoever ends up without the right to
     * hold tokens loses them in the same transaction (interface 3.1).
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
