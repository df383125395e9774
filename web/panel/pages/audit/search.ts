/** What the address of the page says; days as in `2026-11-21`, both included. */
export type AuditSearch = {
  actor?: string | undefined;
  action?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

const DAY = /^\d{4}-\d\d-\d\d$/;

const dayOf = (value: unknown): string | undefined =>
  typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;

/** Reads the search parameters of the page. */
export const readAuditSearch = ({ actor, action, from, to }: Record<string, unknown>): AuditSearch => ({
  actor: /^\d{1,9}$/.test(String(actor)) ? String(actor) : undefined,
  action: typeof action === 'string' && /^[a-z_.]{1,100}$/.test(action) ? action : undefined,
  from: dayOf(from),
  to: dayOf(to),
});

/** Computes the filter of the gateway for a search, with days in the viewer's time zone. */
export function filterOf({ actor, action, from, to }: AuditSearch, team: string | undefined) {
  const midnight = (day: string, later: number) => {
    const at = new Date(`${day}T00:00:00`);
    at.setDate(at.getDate() + later);
    return at.toISOString();
  };
  return {
    ...(team && { teamId: team }),
    ...(actor && { actorId: actor }),
    ...(action && { action }),
    ...(from && { from: midnight(from, 0) }),
    ...(to && { until: midnight(to, 1) }),
  };
}
