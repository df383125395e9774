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
      installation {
        demo
      }
    }
  }
`);

export const LOGIN = graphql(`
  mutation login($email: String!, $password: String!) {
    login(email: $email, password: $password)
  }
`);

/** The account that is logged in, with its teams, and whether the installation is a demo. */
export type Viewer = NonNullable<ResultOf<typeof VIEWER>['me']>;

/** Reads the viewer from the gateway; null when none is logged in. */
export const readViewer = async (signal?: AbortSignal): Promise<Viewer | null> =>
  (await request(VIEWER, {}, signal)).me;

/** Reads the viewer; null when none is logged in. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: ({ signal }) => readViewer(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Reads the viewer after a login, and forgets what another has read before, except what the present page shows. */
export async function readViewerAnew(client: QueryClient): Promise<Viewer | null> {
  // An answer that is still to come may be of before the login.
  await client.cancelQueries(viewerQuery);
  client.removeQueries({
    type: 'inactive',
    predicate: ({ queryKey }) => queryKey[0] !== viewerQuery.queryKey[0],
  });
  return client.fetchQuery({ ...viewerQuery, staleTime: 0 });
}

/** Returns the viewer, on pages that only viewers reach. */
export const useViewer = (): Viewer => useSuspenseQuery(viewerQuery).data!;

/** Whether a viewer sees what only the managers of a team see. */
export const oversees = ({ staff, teams }: Viewer, teamId?: string): boolean =>
  staff || teams.some(({ role, team }) => role !== 'member' && (teamId === undefined || team.id === teamId));

/** Whether a viewer may change anything: staff who see the panel as a client do not. */
export const mayChange = ({ viewAsTeamId }: Viewer): boolean => viewAsTeamId === null;

/** Whether a viewer may change what belongs to a team; the gateway has the last word. */
export const manages = (viewer: Viewer, teamId?: string): boolean =>
  mayChange(viewer) && oversees(viewer, teamId);

/** Returns whether the viewer may change what is the account's own. */
export const useMayChange = (): boolean => mayChange(useViewer());

/** Returns whether the viewer sees what only the managers of a team see, changed or not. */
export const useOversees = (teamId: string): boolean => oversees(useViewer(), teamId);

/** Returns whether the viewer may change what belongs to a team. */
export const useMayManage = (teamId: string): boolean => manages(useViewer(), teamId);

/** Returns whether the viewer may change what belongs to any team. */
export const useManagesAny = (): boolean => manages(useViewer());
