import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import { isUniqueViolation } from '../db/database-errors.js';
import type { Page } from '../db/paging.js';
import { lockRow } from '../db/row-lock.js';
import { conflict, planNotFound, teamNotFound } from '../errors.js';
import type { Role, Team } from '../generated/prisma/client.js';
import { inOrderOf } from '../lib/group-by.js';
import { createTeam, type TeamSettings, updateTeam } from './save-team.js';
import {
  countWebsites,
  type ListedTeam,
  type MembershipKey,
  readTeams,
  type TeamFilter,
} from './teams.queries.js';

/** Revokes every token of a bearer for a team, inside the given transaction. */
type RevokeTokens = (tx: Transaction, bearer: MembershipKey, actor: Actor) => Promise<unknown>;

/** Ends a membership, and deletes an invitation by which it could begin again. */
async function expel(tx: Transaction, member: MembershipKey): Promise<void> {
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
    if (id !== undefined && !(await tx.plan.count({ where: { id } }))) throw planNotFound();
  }

  return {
    /** Reads teams in the order of the ids; null for a missing team. */
    async byIds(ids: readonly number[]): Promise<(Team | null)[]> {
      const rows = await db.orm.team.findMany({ where: { id: { in: [...ids] } } });
      return inOrderOf(ids, rows);
    },

    bySlug: (slug: string): Promise<Team | null> => db.orm.team.findUnique({ where: { slug } }),

    /** Lists a page of the teams that match a filter, sorted by name and then by id. */
    list: (filter: TeamFilter, page: Page): Promise<ListedTeam[]> => readTeams(db, filter, page),

    /** Counts the websites of each team. */
    async websiteCounts(teamIds: readonly number[]): Promise<number[]> {
      const rows = await countWebsites(db, teamIds);
      const counts = new Map(rows.map(({ teamId, count }) => [teamId, count]));
      return teamIds.map((id) => counts.get(id) ?? 0);
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
        await lockRow(tx, 'teams', id, 'NO KEY UPDATE');
        const stored = await tx.team.findUnique({ where: { id } });
        if (!stored) throw teamNotFound();
        await requirePlan(tx, settings.planId);
        await updateTeam(tx, stored, settings, actor);
        return { ...stored, ...settings };
      }),

    /**
     * Sets a user's role in a team; null removes it. If the user thereby loses the right to hold tokens, they are
     * revoked in the same transaction.
     */
    async setRole(tx: Transaction, member: MembershipKey, role: Role | null, actor: Actor): Promise<void> {
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
