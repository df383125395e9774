import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request, type VariablesOf } from '../../../graphql.js';

const RETENTION = graphql(`
  query retention($teamId: ID!) {
    retention(teamId: $teamId) {
      retentionMonths
      version
      forms {
        formId
        name
        retentionMonths
      }
      latestRun {
        startedAt
        finishedAt
      }
    }
  }
`);

/** For how long a team keeps leads. */
export type Retention = ResultOf<typeof RETENTION>['retention'];

export const retentionQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['retention', teamId],
    queryFn: async ({ signal }) => (await request(RETENTION, { teamId }, signal)).retention,
    refetchOnWindowFocus: false,
  });

const PREVIEW = graphql(`
  query retentionPreview($teamId: ID!, $input: RetentionInput!) {
    retentionPreview(teamId: $teamId, input: $input) {
      due
      held
      isExact
      months {
        month
        submissions
      }
    }
  }
`);

/** What settings would delete. */
export type RetentionPreview = ResultOf<typeof PREVIEW>['retentionPreview'];

/** The periods of a team and its forms, as they are saved. */
export type RetentionInput = VariablesOf<typeof PREVIEW>['input'];

/** What settings would delete; null while they are at fault. */
export const previewQuery = (teamId: string, input: RetentionInput | null) =>
  queryOptions({
    queryKey: ['retentionPreview', teamId, input],
    queryFn: async ({ signal }) =>
      (await request(PREVIEW, { teamId, input: input! }, signal)).retentionPreview,
    enabled: input !== null,
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

export const SAVE = graphql(`
  mutation saveRetention($teamId: ID!, $input: RetentionInput!, $version: String) {
    saveRetention(teamId: $teamId, input: $input, version: $version) {
      retentionMonths
      version
      forms {
        formId
        name
        retentionMonths
      }
      latestRun {
        startedAt
        finishedAt
      }
    }
  }
`);

const RECEIPTS = graphql(`
  query erasureReceipts($teamId: ID!, $after: String) {
    erasureReceipts(teamId: $teamId, first: 20, after: $after) {
      edges {
        node {
          id
          erasedByName
          startedAt
          finishedAt
          counts {
            submissions
            notifications
            requestedEmails
            notes
            webhookDeliveries
            spamSamples
            spamRules
            visits
            held
          }
          websites {
            websiteId
            submissions
            website {
              name
            }
          }
          addressHash
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

/** The receipt of an erasure. */
export type Receipt = ResultOf<typeof RECEIPTS>['erasureReceipts']['edges'][number]['node'];

/** The receipts of a team, the latest first. */
export const receiptsQuery = (teamId: string) =>
  infiniteQueryOptions({
    queryKey: ['erasureReceipts', teamId],
    queryFn: async ({ pageParam, signal }) =>
      (await request(RECEIPTS, { teamId, after: pageParam }, signal)).erasureReceipts,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
  });

export const CHECK = graphql(`
  query checkErasure($receiptId: ID!, $email: String!) {
    checkErasure(receiptId: $receiptId, email: $email) {
      matches
      isIntact
    }
  }
`);
