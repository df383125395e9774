import type { Account } from './accounts.queries.js';

/**
 * Tells whether an account is one of the agency, whose IP addresses its clients do not see in the audit trail. A
 * deleted account counts as one, since it no longer says whether it was.
 */
export const isOfAgency = (actor: Pick<Account, 'staff' | 'deleted'> | null): boolean =>
  actor !== null && (actor.staff || actor.deleted);
