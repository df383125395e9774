import type { Db } from '../db/client.js';
import { forbidden, notFound, roleNotAllowed, submissionNotFound, teamNotFound } from '../errors.js';
import type { Role } from '../generated/prisma/client.js';
import type { Viewer } from './viewer.js';

/** A right to the resources of a team: to see them, or to change them. */
export type Right = 'read' | 'manage';

/** Whether a viewer has a right: staff have every right, owners and admins manage their team, members read it. */
export function hasRight(viewer: Viewer, teamId: number, right: Right): boolean {
  const role = viewer.roles.get(teamId);
  return viewer.staff || (role !== undefined && (right === 'read' || role !== 'member'));
}

/**
 * Requires that a viewer has a right to a resource of a team.
 *
 * @param what Names the resource in the error, as in "Website".
 * @throws 404 when there is no such resource, or it is another team's, which reads the same; 403 when the team is
 * the viewer's own and the role does not allow it.
 */
export function requireRight<T extends { teamId: number }>(
  viewer: Viewer,
  found: T | null,
  right: Right,
  what: string,
): T {
  if (!found || !hasRight(viewer, found.teamId, 'read')) throw notFound(`${what} not found.`);
  if (!hasRight(viewer, found.teamId, right)) throw roleNotAllowed();
  return found;
}

/**
 * Selects the teams of a list: the requested one, else all that the viewer sees.
 *
 * @returns their ids; null for all teams, which staff see.
 * @throws 404 when the viewer does not see the requested team.
 */
export function teamsInView(viewer: Viewer, teamId: number | null): readonly number[] | null {
  if (teamId !== null) return [requireRight(viewer, { teamId }, 'read', 'Team').teamId];
  return viewer.staff ? null : [...viewer.roles.keys()];
}

/**
 * Requires the rank for a change of roles: only owners and staff appoint, change and remove owners, or an admin could
 * rise above the owners.
 *
 * @throws 403 when the viewer lacks that rank.
 */
export function requireRank(viewer: Viewer, teamId: number, ...roles: (Role | null)[]): void {
  const mayDealWithOwners = viewer.staff || viewer.roles.get(teamId) === 'owner';
  if (roles.includes('owner') && !mayDealWithOwners) {
    throw forbidden('Owners are appointed, changed and removed by owners only.');
  }
}

/**
 * Requires that a viewer may change a member's role, or with `after` null remove the member. Everyone may leave a team.
 *
 * @throws 403 when the viewer's role does not allow it.
 */
export function requireRoleChange(
  viewer: Viewer,
  { teamId, userId }: { teamId: number; userId: number },
  before: Role,
  after: Role | null,
): void {
  if (after === null && userId === viewer.userId) return;
  if (!hasRight(viewer, teamId, 'manage')) throw roleNotAllowed();
  requireRank(viewer, teamId, before, after);
}

/**
 * Lists the viewer's teams in which there is a right; null: all teams. @throws 403 when there are teams, but none such.
 */
function teamsWith(viewer: Viewer, right: Right): readonly number[] | null {
  if (viewer.staff) return null;
  const all = [...viewer.roles.keys()];
  const teams = all.filter((teamId) => hasRight(viewer, teamId, right));
  if (all.length > 0 && teams.length === 0) throw roleNotAllowed();
  return teams;
}

/** Lists the teams that occur in all of the given lists; a list that is not given narrows nothing. */
function commonTeams(lists: readonly (readonly { teamId: number }[] | null | undefined)[]): number[] {
  const [first = new Set<number>(), ...others] = lists.flatMap((list) =>
    list ? [new Set(list.map(({ teamId }) => teamId))] : [],
  );
  return [...first].filter((teamId) => others.every((other) => other.has(teamId)));
}

/** What a viewer may see of a selection of submissions. `teamIds` null: every team there is. */
export type Scope = Readonly<{
  teamIds: readonly number[] | null;
  /** Null: every one of the teams. */
  websiteIds: readonly string[] | null;
  formIds: readonly number[] | null;
}>;

/** A scope with the teams that the selection can have submissions of, by its websites and forms; null: every team. */
type SelectedScope = Scope & Readonly<{ selectedTeamIds: readonly number[] | null }>;

/** A selection of submissions as requested; what is left out selects all. */
type Selection = Readonly<{
  teamId?: number | undefined;
  websiteIds?: string[] | undefined;
  formIds?: number[] | undefined;
}>;

export type Policy = ReturnType<typeof createPolicy>;

/** Creates the checks of rights that need the database: to whom a thing belongs. Services do not repeat them. */
export function createPolicy({ db }: { db: Db }) {
  async function requireTeam(viewer: Viewer, teamId: number, right: Right): Promise<number> {
    requireRight(viewer, { teamId }, right, 'Team');
    if ((await db.orm.team.count({ where: { id: teamId } })) === 0) throw teamNotFound();
    return teamId;
  }

  /**
   * Finds those of submissions that a viewer sees, all of teams that the viewer manages.
   *
   * @throws 403 when the role in the team of one is too low.
   */
  async function managedSubmissions(viewer: Viewer, ids: readonly string[]): Promise<string[]> {
    const rows = await db.orm.submission.findMany({
      where: { id: { in: [...ids] }, testRecipient: null },
      select: { id: true, teamId: true },
    });
    const seen = rows.filter(({ teamId }) => hasRight(viewer, teamId, 'read'));
    for (const row of seen) requireRight(viewer, row, 'manage', 'Submission');
    return seen.map(({ id }) => id);
  }

  return {
    managedSubmissions,

    /**
     * Requires a right to a team, and returns its id. @throws 404 for another's team or none, 403 for too low a role.
     */
    requireTeam,

    /**
     * Restricts a selection to what a viewer has a right to. It leaves out websites and forms of other teams.
     *
     * @throws 404 for a team that is not the viewer's, or none; 403 when the role in it, or in each of the viewer's
     * teams, is too low.
     */
    async scope(
      viewer: Viewer,
      { teamId, websiteIds, formIds }: Selection,
      right: Right = 'read',
    ): Promise<SelectedScope> {
      if (teamId !== undefined) await requireTeam(viewer, teamId, right);
      const teamIds = teamId === undefined ? teamsWith(viewer, right) : [teamId];
      const ofTeams = teamIds && { teamId: { in: [...teamIds] } };
      const select = { id: true, teamId: true } as const;
      const [websites, forms] = await Promise.all([
        websiteIds && db.orm.website.findMany({ where: { id: { in: websiteIds }, ...ofTeams }, select }),
        formIds && db.orm.form.findMany({ where: { id: { in: formIds }, ...ofTeams }, select }),
      ]);
      return {
        teamIds,
        websiteIds: websites?.map(({ id }) => id) ?? null,
        formIds: forms?.map(({ id }) => id) ?? null,
        selectedTeamIds: websites || forms ? commonTeams([websites, forms]) : teamIds,
      };
    },

    /** Requires the right to manage submissions. @throws 404 when one is missing or another team's, 403 by role. */
    async requireManagedSubmissions(viewer: Viewer, ids: readonly string[]): Promise<void> {
      const found = await managedSubmissions(viewer, ids);
      if (found.length < new Set(ids).size) throw submissionNotFound();
    },
  };
}
