import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';
import type { TeamsSearch } from './search.js';

const TEAMS = graphql(`
  query listedTeams($search: String!, $planId: ID, $active: Boolean, $after: String) {
    teams(first: 50, search: $search, planId: $planId, active: $active, after: $after) {
      edges {
        node {
          id
          name
          slug
          active
          websiteCount
          notificationsUsed
          plan {
            name
            notificationsPerMonth
          }
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

/** A team as the list has it. */
export type ListedTeam = ResultOf<typeof TEAMS>['teams']['edges'][number]['node'];

/** The teams that the address asks for, by name, page by page. */
export const listedTeamsQuery = ({ q, plan, show }: TeamsSearch) =>
  infiniteQueryOptions({
    queryKey: ['teams', 'listed', q, plan, show],
    queryFn: async ({ pageParam, signal }) => {
      const active = show === undefined ? null : show === 'active';
      const variables = { search: q ?? '', planId: plan ?? null, active, after: pageParam };
      return (await request(TEAMS, variables, signal)).teams;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  });

export const CREATE_TEAM = graphql(`
  mutation createTeam($input: CreateTeamInput!) {
    createTeam(input: $input) {
      id
    }
  }
`);
