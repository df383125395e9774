import type { AuthChecker } from 'type-graphql';
import { forbidden, unauthenticated } from '../errors.js';
import type { PanelContext } from './context.js';

/**
 * `@Authorized()` asks for a login, `@Authorized('staff')` for one of the agency. What a viewer may do with a
 * team's things is decided where they are loaded.
 *
 * @throws 401, 403.
 */
export const authChecker: AuthChecker<PanelContext, 'staff'> = ({ context }, roles) => {
  if (!context.viewer) throw unauthenticated();
  if (roles.includes('staff') && !context.viewer.staff) throw forbidden('This is reserved to staff.');
  return true;
};
