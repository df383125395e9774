import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, request } from '../../graphql.js';
import { type AuditSearch, filterOf } from './search.js';

const EVENTS = graphql(`
  query auditTrail(
    $teamId: ID
    $actorId: ID
    $action: String
    $from: DateTimeISO
    $until: DateTimeISO
    $after: String
  ) {
    auditEvents(
      first: 50
      teamId: $teamId
      actorId: $actorId
      action: $action
      from: $from
      until: $until
      after: $after
    ) {
      edges {
        node {
          id
          createdAt
          team {
            name
          }
          channel
          action
          subjectType
          subjectId
          subjectName
          ip
          detail
          actor {
            id
            name
            email
            deleted
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

const ACTORS = graphql(`
  query auditActors($search: String!) {
    users(first: 50, search: $search) {
      edges {
        node {
          id
          name
          email
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The events that a search finds, the latest first. */
export const auditQuery = (search: AuditSearch, team: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['audit', team, search],
    queryFn: async ({ pageParam, signal }) =>
      (await request(EVENTS, { ...filterOf(search, team), after: pageParam }, signal)).auditEvents,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  });

/** The accounts that a search finds, to choose an actor from. */
export const actorsQuery = (search: string) =>
  queryOptions({
    queryKey: ['auditActors', search],
    queryFn: async ({ signal }) => (await request(ACTORS, { search }, signal)).users,
    placeholderData: keepPreviousData,
  });
