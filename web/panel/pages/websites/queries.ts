import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request, type VariablesOf } from '../../graphql.js';
import type { WebsitesSearch } from './search.js';

const WEBSITES = graphql(`
  query listedWebsites(
    $teamId: ID
    $search: String
    $locale: String
    $disabled: Boolean
    $needsAttention: Boolean
    $after: String
  ) {
    websites(
      first: 50
      teamId: $teamId
      search: $search
      locale: $locale
      disabled: $disabled
      needsAttention: $needsAttention
      after: $after
    ) {
      edges {
        node {
          id
          teamId
          name
          host
          locale
          disabled
          leadsPerDay(days: 30)
          lastProbeOk
          health {
            kind
            severity
          }
          captchaChain {
            key
          }
          team {
            name
            active
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

/** A page of the list. */
export type WebsitesPart = ResultOf<typeof WEBSITES>['websites'];

/** A website as the list has it. */
export type ListedWebsite = WebsitesPart['edges'][number]['node'];

/** Reads the websites that the address asks for, page by page. */
export const websitesQuery = ({ team, q, language, show }: WebsitesSearch & { team?: string }) => {
  const filter = {
    teamId: team ?? null,
    search: q?.trim() ?? null,
    locale: language ?? null,
    disabled: show === 'disabled' ? true : show === 'enabled' ? false : null,
    needsAttention: show === 'attention' ? true : null,
  } satisfies VariablesOf<typeof WEBSITES>;
  return infiniteQueryOptions({
    queryKey: ['websites', filter],
    queryFn: async ({ pageParam, signal }) =>
      (await request(WEBSITES, { ...filter, after: pageParam }, signal)).websites,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  });
};

const NAMES = graphql(`
  query websiteNames($search: String) {
    websites(first: 50, search: $search) {
      edges {
        node {
          id
          teamId
          name
          captchaChain {
            key
          }
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The websites that a search finds, with the keys of their captcha chains. */
export const chainsQuery = (search: string) =>
  queryOptions({
    queryKey: ['websites', 'chains', search],
    queryFn: async ({ signal }) => (await request(NAMES, { search: search || null }, signal)).websites,
    placeholderData: keepPreviousData,
  });

export const CREATE = graphql(`
  mutation createWebsite($teamId: ID!, $input: NewWebsiteInput!) {
    createWebsite(teamId: $teamId, input: $input) {
      id
    }
  }
`);

export const EDIT_MANY = graphql(`
  mutation editWebsites($ids: [ID!]!, $input: WebsitesEditInput!) {
    editWebsites(ids: $ids, input: $input)
  }
`);

export const IMPORT = graphql(`
  mutation importWebsites($teamId: ID!, $csv: String!, $dryRun: Boolean!) {
    importWebsites(teamId: $teamId, csv: $csv, dryRun: $dryRun) {
      created
      faultCount
      rows {
        row
        settings {
          name
          host
          url
          locale
          email
          timeZone
          company
          address
          zipcode
          city
          country
          phone
          logo
          departments
        }
      }
      faults {
        row
        column
        reason
        message
      }
    }
  }
`);

/** What an import has found. */
export type Import = ResultOf<typeof IMPORT>['importWebsites'];
