import { requireRight } from '../auth/policy.js';
import type { Viewer } from '../auth/viewer.js';
import { forbidden } from '../errors.js';
import { intId } from '../graphql/ids.js';

/** Reads the requested team's id, and checks the viewer's right; null means all events. @throws 404, 403. */
export function readAuditTeam(viewer: Viewer, teamId: string | null | undefined): number | null {
  if (teamId != null) return requireRight(viewer, { teamId: intId(teamId, 'Team') }, 'manage', 'Team').teamId;
  if (!viewer.staff) throw forbidden('Events of the whole installation are reserved to staff.');
  return null;
}
