import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';

const PLANS = graphql(`
  query plans {
    plans {
      id
      code
      name
      notificationsPerMonth
      submissionsPerMinute
      submissionsPerHour
      teamCount
    }
  }
`);

export type Plan = ResultOf<typeof PLANS>['plans'][number];

/** Every plan, for staff. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: async ({ signal }) => (await request(PLANS, {}, signal)).plans,
});
