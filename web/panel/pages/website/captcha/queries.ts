import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request, type VariablesOf } from '../../../graphql.js';

const CHAIN = graphql(`
  query captchaChain($id: ID!) {
    website(id: $id) {
      captchaChainVersion
      captchaChain {
        key
        type
        siteKey
        hasSecret
        projectId
        hasApiKey
        minScore
      }
    }
    installation {
      captchaByDefault
    }
  }
`);

const SAVE = graphql(`
  mutation saveCaptchaChain($id: ID!, $links: [CaptchaLinkInput!]!, $version: String) {
    saveCaptchaChain(websiteId: $id, links: $links, version: $version) {
      key
    }
  }
`);

const CHECK = graphql(`
  mutation checkCaptchaLink($id: ID!, $key: String!) {
    checkCaptchaLink(websiteId: $id, key: $key)
  }
`);

const VERDICTS = graphql(`
  query captchaVerdicts($id: ID!) {
    captchaVerdicts(filter: { websiteIds: [$id] }) {
      linkKey
      verdict
      count
    }
  }
`);

const INCIDENTS = graphql(`
  query captchaIncidents($id: ID!, $after: String) {
    incidents(websiteId: $id, first: 100, after: $after) {
      edges {
        node {
          id
          linkKey
          reason
          count
          firstSeenAt
          lastSeenAt
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`);

/** The captcha chain of a website as it is stored, and what the installation does where it is empty. */
export type StoredChain = Readonly<{
  version: string;
  steps: ResultOf<typeof CHAIN>['website']['captchaChain'];
  proofByDefault: boolean;
}>;

export const chainQuery = (id: string) =>
  queryOptions({
    queryKey: ['website', id, 'captcha'],
    queryFn: async ({ signal }): Promise<StoredChain> => {
      const { website, installation } = await request(CHAIN, { id }, signal);
      return {
        version: website.captchaChainVersion,
        steps: website.captchaChain,
        proofByDefault: installation.captchaByDefault,
      };
    },
  });

/** Saves a chain in the place of a version of it. @throws CONFLICT when it has changed since. */
export const saveChain = (variables: VariablesOf<typeof SAVE>) => request(SAVE, variables);

export type Outcome = ResultOf<typeof CHECK>['checkCaptchaLink'];

/** Checks the stored credentials of a step with its provider. */
export const checkStep = async (id: string, key: string): Promise<Outcome> =>
  (await request(CHECK, { id, key })).checkCaptchaLink;

/** The verdicts of the last thirty days, by step. */
export const verdictsQuery = (id: string) =>
  queryOptions({
    queryKey: ['website', id, 'verdicts'],
    queryFn: async ({ signal }) => (await request(VERDICTS, { id }, signal)).captchaVerdicts,
  });

export type VerdictCount = ResultOf<typeof VERDICTS>['captchaVerdicts'][number];

/** The captcha incidents, the newest first. */
export const incidentsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['website', id, 'incidents'],
    queryFn: async ({ pageParam, signal }) =>
      (await request(INCIDENTS, { id, after: pageParam }, signal)).incidents,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
  });
