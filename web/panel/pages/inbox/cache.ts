import type { QueryClient } from '@tanstack/react-query';
import { type LeadPages, leadQuery } from './queries.js';
import type { LeadState } from './search.js';

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

/** Has counts and open lead read again, and the lists once they are shown anew. */
export function invalidateLeads(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['leads'], refetchType: 'none' });
  void client.invalidateQueries({ queryKey: ['lead'] });
  void client.invalidateQueries({ queryKey: ['leadCounts'] });
}
