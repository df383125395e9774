import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, request } from '../../graphql.js';

const TEAMS = graphql(`
  query managedTeams($search: String!) {
    teams(first: 50, search: $search) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The teams in view that a search finds. */
export const teamsQuery = (search: string) =>
  queryOptions({
    queryKey: ['teams', 'managed', search],
    queryFn: async ({ signal }) => (await request(TEAMS, { search }, signal)).teams,
    placeholderData: keepPreviousData,
  });

const TEAM = graphql(`
  query team($id: ID!) {
    team(id: $id) {
      id
      name
    }
  }
`);

/** A team in view by its id. */
export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id],
    queryFn: async ({ signal }) => (await request(TEAM, { id }, signal)).team,
  });
