import { forbidden, notFound } from '../errors.js';
import type { Role } from '../generated/prisma/client.js';

/** Whoever is logged in to the panel, with the standing of this very moment. */
export type Viewer = Readonly<{
  userId: number;
  sessionId: string;
  email: string;
  name: string;
  /** Agency staff see and manage every team. */
  staff: boolean;
  /** Of the teams that the viewer belongs to, suspended ones included. */
  roles: ReadonlyMap<number, Role>;
}>;

/** What a viewer wants with the things of a team: see them, or change them. */
export type Right = 'read' | 'manage';

/** Whether a viewer may: staff everything, owners and admins their team, members see theirs. */
export function hasRight(viewer: Viewer, teamId: number, right: Right): boolean {
  const role = viewer.roles.get(teamId);
  return viewer.staff || (role !== undefined && (right === 'read' || role !== 'member'));
}

/**
 * Lets a viewer through to a thing of a team.
 *
 * @param what Names the thing in the error, as in "Website".
 * @throws 404 when there is no such thing, or it is another team's, which reads the same; 403 when the team is
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

/** The teams whose things a viewer sees, as a condition for Prisma; none for staff, who see all. */
export const visibleTeams = (viewer: Viewer): { teamId?: { in: number[] } } =>
  viewer.staff ? {} : { teamId: { in: [...viewer.roles.keys()] } };

/**
 * The teams that a list is about: the one asked for, else all that the viewer sees.
 *
 * @returns their ids; null for staff, who see all.
 * @throws 404 when the one asked for is not among them.
 */
export function teamsInView(viewer: Viewer, teamId: number | null): readonly number[] | null {
  if (teamId !== null) return [requireRight(viewer, { teamId }, 'read', 'Team').teamId];
  return viewer.staff ? null : [...viewer.roles.keys()];
}
