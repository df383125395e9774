import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { filterOf, type PeopleSearch } from './search.js';

const PEOPLE = graphql(`
  query people(
    $search: String!
    $staff: Boolean
    $disabled: Boolean
    $secondFactor: Boolean
    $teamId: ID
    $after: String
  ) {
    users(
      first: 50
      search: $search
      staff: $staff
      disabled: $disabled
      secondFactor: $secondFactor
      teamId: $teamId
      after: $after
    ) {
      edges {
        node {
          id
          email
          name
          staff
          canLogIn
          access {
            lastLoginAt
            disabledAt
            secondFactorAt
          }
          memberships {
            role
            team {
              id
              name
            }
          }
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

export const SETTING = graphql(`
  query staffSecondFactor {
    installation {
      staffSecondFactor
    }
  }
`);

export const REQUIRE = graphql(`
  mutation requireStaffSecondFactor($required: Boolean!) {
    requireStaffSecondFactor(required: $required)
  }
`);

export const CREATE = graphql(`
  mutation createUser($input: CreateUserInput!) {
    createUser(input: $input) {
      password
    }
  }
`);

export const UPDATE = graphql(`
  mutation updateUser($id: ID!, $input: UpdateUserInput!) {
    updateUser(id: $id, input: $input) {
      id
    }
  }
`);

export const REQUEST_EMAIL = graphql(`
  mutation requestUserEmailChange($id: ID!, $email: String!) {
    requestUserEmailChange(id: $id, email: $email)
  }
`);

export const RESET = graphql(`
  mutation resetUserPassword($id: ID!) {
    resetUserPassword(id: $id) {
      password
    }
  }
`);

export const RESET_FACTOR = graphql(`
  mutation resetUserSecondFactor($id: ID!) {
    resetUserSecondFactor(id: $id)
  }
`);

export const DISABLE = graphql(`
  mutation setUserDisabled($id: ID!, $disabled: Boolean!) {
    setUserDisabled(id: $id, disabled: $disabled) {
      id
    }
  }
`);

export const DELETE = graphql(`
  mutation deleteUser($id: ID!) {
    deleteUser(id: $id)
  }
`);

export type Person = ResultOf<typeof PEOPLE>['users']['edges'][number]['node'];

export const PEOPLE_KEY = ['people'];

/** The accounts that a search finds, by their addresses. */
export const peopleQuery = ({ q, show }: PeopleSearch, teamId: string | undefined) =>
  infiniteQueryOptions({
    queryKey: [...PEOPLE_KEY, q, show, teamId],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { ...filterOf(show), search: q ?? '', teamId: teamId ?? null, after: pageParam };
      return (await request(PEOPLE, variables, signal)).users;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  });
