import { type Right, requireRight } from '../auth/policy.js';
import type { Viewer } from '../auth/viewer.js';
import { intId } from '../graphql/ids.js';
import type { Teams } from './teams.service.js';

/**
 * Returns the id of the team that an argument names, and requires the viewer's right to the team.
 *
 * @throws 404, 403.
 */
export async function requireTeamId(
  teams: Pick<Teams, 'byIds'>,
  viewer: Viewer,
  id: string,
  right: Right,
): Promise<number> {
  const [team] = await teams.byIds([intId(id, 'Team')]);
  return requireRight(viewer, team ? { teamId: team.id } : null, right, 'Team').teamId;
}
