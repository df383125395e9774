import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const USAGE = graphql(`
  query teamUsage($id: ID!) {
    team(id: $id) {
      plan {
        name
        notificationsPerMonth
        submissionsPerMinute
        submissionsPerHour
      }
      usage {
        month
        submissions
        notificationsUsed
        held
      }
    }
    quotaHeld(teamId: $id) {
      held
      isExact
    }
  }
`);

export type Usage = ResultOf<typeof USAGE>;

/**
 * The plan of the team, what it has used in the last twelve months, this one first, and what is held back, of whichever
 * month.
 */
export const usageQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'usage'],
    queryFn: ({ signal }) => request(USAGE, { id }, signal),
    // The agency may have changed the plan since the page was opened.
    staleTime: 0,
  });
