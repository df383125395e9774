import { manages, type Viewer } from '../../../session.js';
import type { Member, Role } from './queries.js';

/** What a viewer may do with the members of a team, as the gateway decides it. */
export type Rights = Readonly<{
  mayManage: boolean;
  /** Whether owners are within reach too: to appoint, change, remove and be succeeded. */
  mayDealWithOwners: boolean;
  /** The roles that the viewer can give. */
  roles: readonly Role[];
}>;

/** Returns what a viewer may do with the members of a team. */
export function rightsIn(viewer: Viewer, teamId: string): Rights {
  const role = viewer.teams.find(({ team }) => team.id === teamId)?.role;
  const mayDealWithOwners = manages(viewer, teamId) && (viewer.staff || role === 'owner');
  return {
    mayManage: manages(viewer, teamId),
    mayDealWithOwners,
    roles: mayDealWithOwners ? ['owner', 'admin', 'member'] : ['admin', 'member'],
  };
}

/** Whether a member is the last owner, who stays one. */
export const isLastOwner = (member: Member, members: readonly Member[]): boolean =>
  member.role === 'owner' && members.filter(({ role }) => role === 'owner').length === 1;

/** Whether a viewer may change what a member or an invitation has for a role. */
export const mayChange = ({ mayManage, mayDealWithOwners }: Rights, role: Role): boolean =>
  mayManage && (role !== 'owner' || mayDealWithOwners);
