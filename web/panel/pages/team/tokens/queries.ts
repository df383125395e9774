import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const TOKENS = graphql(`
  query teamTokens($id: ID!) {
    tokens(teamId: $id) {
      id
      name
      abilities
      createdAt
      lastUsedAt
      expiresAt
      bearer {
        id
        name
      }
    }
  }
`);

export type Token = ResultOf<typeof TOKENS>['tokens'][number];
export type Ability = Token['abilities'][number];

export const tokensQuery = (id: string) =>
  queryOptions({
    queryKey: ['team', id, 'tokens'],
    queryFn: async ({ signal }) => (await request(TOKENS, { id }, signal)).tokens,
  });

const GATEWAY_ADDRESS = graphql(`
  query gatewayAddress {
    installation {
      publicUrl
    }
  }
`);

/** The address at which integrators reach the gateway. */
export const gatewayAddressQuery = queryOptions({
  queryKey: ['installation', 'publicUrl'],
  queryFn: async ({ signal }) => (await request(GATEWAY_ADDRESS, {}, signal)).installation.publicUrl,
  staleTime: Number.POSITIVE_INFINITY,
});

export const CREATE_TOKEN = graphql(`
  mutation createToken($teamId: ID!, $input: CreateTokenInput!) {
    createToken(teamId: $teamId, input: $input) {
      value
    }
  }
`);

export const REVOKE_TOKEN = graphql(`
  mutation revokeToken($id: ID!) {
    revokeToken(id: $id)
  }
`);

export const REVOKE_TOKENS = graphql(`
  mutation revokeTokens($teamId: ID!) {
    revokeTokens(teamId: $teamId)
  }
`);
