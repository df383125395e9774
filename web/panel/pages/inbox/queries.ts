import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
} from '@tanstack/react-query';
import { graphql, type ResultOf, request, requestAfterPaint } from '../../graphql.js';
import { type Filter, inFolder, isSearchable } from './search.js';

export const LEADS = graphql(`
  query leads(
    $filter: SubmissionFilter
    $first: Int
    $after: String
    $last: Int
    $before: String
    $isSpam: Boolean!
  ) {
    submissions(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      edges {
        node {
          id
          teamId
          createdAt
          state
          needsReview
          summary {
            title
            excerpt
          }
          website {
            name
          }
          form {
            name
          }
          notification {
            state
          }
          spamVerdict @include(if: $isSpam) {
            heaviest {
              en
              fr
            }
          }
        }
      }
      pageInfo {
        startCursor
        endCursor
        hasNextPage
      }
    }
  }
`);

/** A page of the list. */
type LeadPage = ResultOf<typeof LEADS>['submissions'];
/** The pages of the list that have been read. */
export type LeadPages = InfiniteData<LeadPage, string | null>;
/** A lead as the list has it. */
export type ListedLead = LeadPage['edges'][number]['node'];

const PAGE = 50;

/** Whether a filter finds spam alone, whose reason the list tells. */
const isOfSpam = ({ states }: Filter): boolean => String(states) === 'spam';

/** Keeps what was read before until the answer is there. A text that is not searchable has none, and shows nothing. */
const whileSearchable = ({ text }: Filter) =>
  isSearchable(text) ? { placeholderData: keepPreviousData } : { enabled: false };

/**
 * Reads the leads that a filter finds, page by page. What is shown stays in its place: it is not read again by itself.
 */
export const leadsQuery = (filter: Filter) =>
  infiniteQueryOptions({
    queryKey: ['leads', filter],
    queryFn: async ({ pageParam, signal }) =>
      (await request(LEADS, { filter, first: PAGE, after: pageParam, isSpam: isOfSpam(filter) }, signal))
        .submissions,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    ...whileSearchable(filter),
    staleTime: 30_000,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
  });

const NEW_LEADS = graphql(`
  query newLeads($filter: SubmissionFilter, $since: String) {
    newSubmissions(filter: $filter, since: $since) {
      count
      isExact
    }
  }
`);

/** How often the gateway is asked for new leads, while the page is seen. */
export const POLL_MS = 15_000;

/** Counts the leads that have come since the list was read. */
export const newLeadsQuery = (filter: Filter, since: string | null) =>
  queryOptions({
    queryKey: ['newLeads', filter, since],
    queryFn: async ({ signal }) =>
      (await requestAfterPaint(NEW_LEADS, { filter, since }, signal)).newSubmissions,
    initialData: { count: 0, isExact: true },
    refetchInterval: POLL_MS,
    staleTime: 0,
    gcTime: 0,
  });

/** Reads up to 100 leads that came since a cursor. */
export const readNewer = async (filter: Filter, before: string): Promise<LeadPage> =>
  (await request(LEADS, { filter, last: 100, before, isSpam: isOfSpam(filter) })).submissions;

const COUNTS = graphql(`
  query leadCounts($filter: SubmissionFilter, $open: SubmissionFilter) {
    all: submissionCounts(filter: $filter) {
      total
      isExact
      byState {
        state
        count
        isExact
      }
      unsent {
        state
        count
        isExact
      }
    }
    open: submissionCounts(filter: $open) {
      unsent {
        state
        count
        isExact
      }
    }
  }
`);

/** Counts what a filter finds, by folder. */
export const countsQuery = (filter: Filter) =>
  queryOptions({
    queryKey: ['leadCounts', filter],
    queryFn: ({ signal }) =>
      requestAfterPaint(
        COUNTS,
        { filter, open: { ...filter, states: inFolder({}, 'failed').states ?? null } },
        signal,
      ),
    ...whileSearchable(filter),
    refetchInterval: POLL_MS * 2,
  });

export type Counts = ResultOf<typeof COUNTS>;

const HELD = graphql(`
  query quotaHeld($teamId: ID!) {
    quotaHeld(teamId: $teamId) {
      held
      isExact
      sendable
      limit
      used
    }
  }
`);

/** Reads how many e-mails of a team the quota holds back, and for how many the plan has room. */
export const heldQuery = (teamId: string) =>
  queryOptions({
    queryKey: ['leadCounts', 'held', teamId],
    queryFn: async ({ signal }) => (await request(HELD, { teamId }, signal)).quotaHeld,
  });
