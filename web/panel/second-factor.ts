import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { graphql, send } from './graphql.js';

const STEP = graphql(`
  query loginStep {
    loginStep
  }
`);

export const CONFIRM_LOGIN = graphql(`
  mutation confirmLogin($code: String!) {
    confirmLogin(code: $code)
  }
`);

export const START = graphql(`
  mutation startSecondFactor($password: String) {
    startSecondFactor(password: $password) {
      secret
      uri
    }
  }
`);

export const CONFIRM = graphql(`
  mutation confirmSecondFactor($code: String!) {
    confirmSecondFactor(code: $code)
  }
`);

/** The second step that a login of this browser waits for; null: none. */
export const loginStepQuery = queryOptions({
  queryKey: ['loginStep'],
  queryFn: async ({ signal }) => (await send(STEP, {}, signal)).loginStep,
  staleTime: 0,
});

/** Reads the second step anew, after a first one. */
export const readLoginStep = (client: QueryClient) => client.fetchQuery(loginStepQuery);
