import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const USAGE = graphql(`
  query teamUsage($id: ID!) {
    team(id: $id) {
      usage {
        month
        submissions
        notificationsUsed
      }
    }
    quotaHeld(teamId: $id) {
      held
      isExact
    }
  }
`);

export type Usage = ResultOf<typeof USAGE>;

/** What the team has used in the last twelve months, this one first, and what was held back in this one. */
export const usageQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'usage'],
    queryFn: ({ signal }) => request(USAGE, { id }, signal),
  });
