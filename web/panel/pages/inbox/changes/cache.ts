import type { Query, QueryClient } from '@tanstack/react-query';
import { leadQuery } from '../lead/lead-queries.js';
import type { LeadPages } from '../queries.js';
import type { Filter, LeadState } from '../search.js';

/** Gives leads their states in everything that has been read of them. */
export function patchStates(client: QueryClient, states: ReadonlyMap<string, LeadState>): void {
  client.setQueriesData<LeadPages>({ queryKey: ['leads'] }, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => {
      if (!page.edges.some(({ node }) => states.has(node.id))) return page;
      const edges = page.edges.map((edge) => {
        const state = states.get(edge.node.id);
        return state ? { ...edge, node: { ...edge.node, state } } : edge;
      });
      return { ...page, edges };
    });
    return { ...data, pages };
  });
  for (const [id, state] of states) {
    client.setQueryData(leadQuery(id).queryKey, (lead) => lead && { ...lead, state });
  }
}

/** Lists by the state of their e-mails, which the rows cannot be patched for. */
const isByEmail = ({ queryKey }: Query): boolean => Boolean((queryKey[1] as Filter).notificationStates);

/**
 * Has counts, open lead and lists by the state of e-mails read again, and the other lists once they are shown anew, so
 * that their rows stay in their place.
 */
export function invalidateLeads(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['leads'], refetchType: 'none' });
  void client.refetchQueries({ queryKey: ['leads'], type: 'active', predicate: isByEmail });
  void client.invalidateQueries({ queryKey: ['lead'] });
  void client.invalidateQueries({ queryKey: ['leadCounts'] });
}
