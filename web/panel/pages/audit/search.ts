import { matching } from '../../parts/search/search-params.js';
import { readDay, startOf } from '../../parts/time/day.js';

/** What the address of the page says; days as in `2026-11-21`, both included. */
export type AuditSearch = {
  actor?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

/** Reads the search parameters of the page. */
export const readAuditSearch = ({ actor, action, from, to }: Record<string, unknown>): AuditSearch => ({
  actor: /^\d{1,9}$/.test(String(actor)) ? String(actor) : undefined,
  action: matching(/^[a-z_.]{1,100}$/, action),
  from: readDay(from),
  to: readDay(to),
});

/** Computes the filter of the gateway for a search, with days in the viewer's time zone. */
export function filterOf({ actor, action, from, to }: AuditSearch, team: string | undefined) {
  return {
    ...(team && { teamId: team }),
    ...(actor && { actorId: actor }),
    ...(action && { action }),
    ...(from && { from: startOf(from) }),
    ...(to && { until: startOf(to, 1) }),
  };
}
