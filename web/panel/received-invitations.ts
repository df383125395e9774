import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from './graphql.js';

const INVITATIONS = graphql(`
  query receivedInvitations {
    me {
      invitations {
        id
        role
        invitedBy
        team {
          name
        }
      }
    }
  }
`);

export type Invitation = NonNullable<ResultOf<typeof INVITATIONS>['me']>['invitations'][number];

/** Reads the invitations that wait for the viewer's answer. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => (await request(INVITATIONS, {}, signal)).me?.invitations ?? [],
});
