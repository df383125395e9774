import type { AuthChecker } from 'type-graphql';
import { staffOnly, unauthenticated } from '../errors.js';
import type { PanelContext } from './context.js';

/**
 * Authorizes a field: `@Authorized()` requires a login, `@Authorized('staff')` one of the agency. Permissions on a
 * team's objects are checked where the objects are loaded.
 *
 * @throws 401, 403.
 */
export const authChecker: AuthChecker<PanelContext, 'staff'> = ({ context }, roles) => {
  if (!context.viewer) throw unauthenticated();
  if (roles.includes('staff') && !context.viewer.staff) throw staffOnly();
  return true;
};
