import { teamNotFound } from '../errors.js';
import type { Team } from '../generated/prisma/client.js';
import type { PanelContext } from '../graphql/context.js';
import type { Teams } from './teams.service.js';

/**
 * Loads the team that something belongs to, together with those of the request's other fields.
 *
 * @throws NOT_FOUND when it has been deleted meanwhile.
 */
export async function loadTeam(
  { teams }: Readonly<{ teams: Pick<Teams, 'byIds'> }>,
  { load }: Pick<PanelContext, 'load'>,
  teamId: number,
): Promise<Team> {
  const team = await load(teams.byIds, teamId);
  if (!team) throw teamNotFound();
  return team;
}
