import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from './graphql.js';

const TODAY = graphql(`
  query today($teamId: ID) {
    today(teamId: $teamId) {
      leads
      usualLeads
      leadsPerDay
      attentionCount
      checkedAt
      areCountsLate
      areProbesLate
      emails {
        sent
        pending
        unsent
      }
      quotas {
        teamId
        teamName
        used
        limit
      }
    }
  }
`);

/** How the day goes. */
export type Today = ResultOf<typeof TODAY>['today'];

const POLL_MS = 30_000;

/** How the day goes, in a team or in all in view, and how much needs attention. */
export const todayQuery = (team: string | undefined) =>
  queryOptions({
    queryKey: ['today', team],
    queryFn: async ({ signal }) => (await request(TODAY, { teamId: team ?? null }, signal)).today,
    refetchInterval: POLL_MS,
  });

/** Reads again what tells of the state of a website, after something of it was set aside or listed again. */
export const attentionChanged = (client: QueryClient, websiteId: string) =>
  Promise.all(
    [['attention'], ['today'], ['setAsides'], ['websites'], ['website', websiteId, 'figures']].map(
      (queryKey) => client.invalidateQueries({ queryKey }),
    ),
  );

export const END_SET_ASIDE = graphql(`
  mutation endSetAside($kind: AttentionKind!, $websiteId: ID!) {
    endSetAside(kind: $kind, websiteId: $websiteId)
  }
`);
