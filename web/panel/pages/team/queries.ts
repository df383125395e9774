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
