import { type Right, requireRight } from '../../auth/policy.js';
import type { Viewer } from '../../auth/viewer.js';
import type { Form } from '../../generated/prisma/client.js';
import { intId } from '../../graphql/ids.js';
import type { ManagedForms } from './managed-forms.service.js';

/**
 * Finds the form that an argument names, and requires the viewer's right to its team.
 *
 * @throws 404, 403.
 */
export async function requireForm(
  forms: Pick<ManagedForms, 'find'>,
  viewer: Viewer,
  id: string,
  right: Right,
): Promise<Form> {
  return requireRight(viewer, await forms.find(intId(id, 'Form')), right, 'Form');
}
