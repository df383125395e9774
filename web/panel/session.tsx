import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from './graphql.js';

const VIEWER = graphql(`
  query viewer {
    me {
      userId
      email
      name
      staff
      viewAsTeamId
      language
      theme
      teams {
        role
        team {
          id
          name
        }
      }
    }
  }
`);

export const LOGIN = graphql(`
  mutation login($email: String!, $password: String!) {
    login(email: $email, password: $password)
  }
`);

/** The account that is logged in, with its teams. */
export type Viewer = NonNullable<ResultOf<typeof VIEWER>['me']>;

/** Reads the viewer; null when none is logged in. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal }) => (await request(VIEWER, {}, signal)).me,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Reads the viewer after a login, and forgets what another has read before. */
export function readViewerAnew(client: QueryClient): Promise<Viewer | null> {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== viewerQuery.queryKey[0] });
  return client.fetchQuery({ ...viewerQuery, staleTime: 0 });
}

/** Returns the viewer, on pages that only viewers reach. */
export const useViewer = (): Viewer => useSuspenseQuery(viewerQuery).data!;

/** Whether a viewer may change what belongs to a team; the gateway has the last word. */
export const manages = ({ staff, teams }: Viewer, teamId?: string): boolean =>
  staff || teams.some(({ role, team }) => role !== 'member' && (teamId === undefined || team.id === teamId));

/** Returns whether the viewer may change what belongs to a team. */
export const useMayManage = (teamId: string): boolean => manages(useViewer(), teamId);

/** Returns whether the viewer may change what belongs to any team. */
export const useManagesAny = (): boolean => manages(useViewer());
