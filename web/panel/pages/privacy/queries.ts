import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';

const PERSON = graphql(`
  query person($email: String!, $teamId: ID) {
    person(email: $email, teamId: $teamId) {
      submissions
      held
      notes
      emails
      spamRules
      firstAt
      lastAt
      mayErase
      team {
        id
        name
      }
    }
  }
`);

/** What a team has about a person. */
export type PersonInTeam = ResultOf<typeof PERSON>['person'][number];

/** The teams in view that have leads of a person, or a rule about spam that names the person. */
export const personQuery = (email: string, teamId: string | undefined) =>
  queryOptions({
    queryKey: ['person', email, teamId],
    queryFn: async ({ signal }) => (await request(PERSON, { email, teamId: teamId ?? null }, signal)).person,
    gcTime: 0,
  });

const LEADS = graphql(`
  query personLeads($filter: SubmissionFilter, $after: String) {
    submissions(filter: $filter, first: 20, after: $after) {
      edges {
        node {
          id
          createdAt
          summary {
            title
          }
          website {
            name
            timeZone
          }
          form {
            name
          }
          legalHold {
            since
          }
          consents {
            name
            label
            locale
          }
          notification {
            state
            recipients {
              address
              state
              at
            }
          }
          requestedEmails {
            id
            state
            recipients {
              address
              state
              at
            }
          }
          toldWebhooks {
            id
            type
            host
            state
            createdAt
            status
            attemptedAt
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

/** A lead of a person. */
export type PersonLead = ResultOf<typeof LEADS>['submissions']['edges'][number]['node'];

/** An e-mail about a lead. */
export type LeadEmail = NonNullable<PersonLead['notification']>;

/** The leads of a person in a team, the newest first. */
export const personLeadsQuery = (email: string, teamId: string) =>
  infiniteQueryOptions({
    queryKey: ['person', email, 'leads', teamId],
    queryFn: async ({ pageParam, signal }) =>
      (await request(LEADS, { filter: { email, teamId }, after: pageParam }, signal)).submissions,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    gcTime: 0,
  });
