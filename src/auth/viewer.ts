import { forbidden, notFound } from '../errors.js';
import type { Role } from '../generated/prisma/client.js';

/** The user who is logged in to the panel, with rights read afresh for each request. */
export type Viewer = Readonly<{
  userId: number;
  sessionId: string;
  email: string;
  name: string;
  /** Whether the viewer is agency staff, who see and manage every team. */
  staff: boolean;
  /** Roles by id of the viewer's teams, including suspended ones. */
  roles: ReadonlyMap<number, Role>;
}>;

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
  if (!hasRight(viewer, found.teamId, right)) throw forbidden('Your role in this team does not allow it.');
  return found;
}

/** Builds the Prisma condition of the teams a viewer sees; it is empty for staff, who see all teams. */
export const visibleTeams = (viewer: Viewer): { teamId?: { in: number[] } } =>
  viewer.staff ? {} : { teamId: { in: [...viewer.roles.keys()] } };

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
