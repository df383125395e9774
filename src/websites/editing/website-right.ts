import { type Right, requireRight } from '../../auth/policy.js';
import type { Viewer } from '../../auth/viewer.js';
import { uuidId } from '../../graphql/ids.js';
import type { ManagedWebsite, ManagedWebsites } from './managed-websites.service.js';

/**
 * Finds the website that an argument names, and requires the viewer's right to its team.
 *
 * @throws 404, 403.
 */
export async function requireWebsite(
  websites: Pick<ManagedWebsites, 'find'>,
  viewer: Viewer,
  id: string,
  right: Right,
): Promise<ManagedWebsite> {
  return requireRight(viewer, await websites.find(uuidId(id, 'Website')), right, 'Website');
}
