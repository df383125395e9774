import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';

const TEAM = graphql(`
  query teamPage($id: ID!) {
    team(id: $id) {
      id
      name
      slug
      active
      plan {
        id
        name
        notificationsPerMonth
        submissionsPerMinute
        submissionsPerHour
      }
    }
  }
`);

/** A team as every tab of its page has it. */
export type Team = ResultOf<typeof TEAM>['team'];

export const teamPageQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'page'],
    queryFn: async ({ signal }) => (await request(TEAM, { id }, signal)).team,
  });

export const UPDATE_TEAM = graphql(`
  mutation updateTeam($id: ID!, $input: UpdateTeamInput!) {
    updateTeam(id: $id, input: $input) {
      id
    }
  }
`);

const SUSPENSION = graphql(`
  query suspension($id: ID!) {
    team(id: $id) {
      websiteCount
      members {
        role
      }
    }
    tokens(teamId: $id) {
      id
    }
  }
`);

/** What a suspension concerns: websites, members and tokens. */
export const suspensionQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'suspension'],
    queryFn: async ({ signal }) => {
      const { team, tokens } = await request(SUSPENSION, { id }, signal);
      return { websites: team.websiteCount, tokens: tokens.length };
    },
  });
