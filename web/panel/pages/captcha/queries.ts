import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { addDays, type Days } from '../../parts/statistics/period.js';
import type { Provider } from './search.js';

/** What the console is about: a team or a website, or all there are. */
export type Narrowed = Readonly<{ team?: string | undefined; site?: string | undefined }>;

const FIGURES = graphql(`
  query captchaFigures($team: ID, $site: ID, $type: CaptchaType, $from: String!, $to: String!) {
    captchaFigures(teamId: $team, websiteId: $site, type: $type, from: $from, to: $to) {
      perDay {
        day
        accepted
        refused
        fallback
        passThrough
      }
      perProvider {
        type
        accepted
        refused
        fallback
        passThrough
      }
      perWebsite {
        websiteId
        website {
          name
        }
        accepted
        refused
        fallback
        passThrough
      }
      refusals {
        type
        reason
        count
      }
    }
  }
`);

export type Figures = ResultOf<typeof FIGURES>['captchaFigures'];

export const figuresQuery = ({ team, site }: Narrowed, { from, to }: Days, provider?: Provider) =>
  queryOptions({
    queryKey: ['captcha', 'figures', team, site, from, to, provider],
    queryFn: async ({ signal }) =>
      (await request(FIGURES, { team, site, from, to, type: provider }, signal)).captchaFigures,
    placeholderData: keepPreviousData,
  });

const TROUBLES = graphql(`
  query captchaTroubles($team: ID, $site: ID) {
    captchaTroubles(teamId: $team, websiteId: $site) {
      type
      reason
      since
      lastAt
      websites
      count
    }
  }
`);

export type Trouble = ResultOf<typeof TROUBLES>['captchaTroubles'][number];

/** How often the page asks anew which providers fail. */
const TROUBLES_EVERY_MS = 60_000;

export const troublesQuery = ({ team, site }: Narrowed) =>
  queryOptions({
    queryKey: ['captcha', 'troubles', team, site],
    queryFn: async ({ signal }) => (await request(TROUBLES, { team, site }, signal)).captchaTroubles,
    refetchInterval: TROUBLES_EVERY_MS,
  });

const PROVIDERS = graphql(`
  query captchaProviders($team: ID, $site: ID) {
    captchaProviders(teamId: $team, websiteId: $site) {
      type
      websites
      lastAnsweredOn
      lastIncidentAt
      lastReason
    }
  }
`);

export type ProviderState = ResultOf<typeof PROVIDERS>['captchaProviders'][number];

/** The providers that chains ask, with what is recorded of them. */
export const providersQuery = ({ team, site }: Narrowed) =>
  queryOptions({
    queryKey: ['captcha', 'providers', team, site],
    queryFn: async ({ signal }) => (await request(PROVIDERS, { team, site }, signal)).captchaProviders,
    refetchInterval: TROUBLES_EVERY_MS,
  });

const INCIDENTS = graphql(`
  query allCaptchaIncidents(
    $team: ID
    $site: ID
    $type: CaptchaType
    $since: DateTimeISO!
    $until: DateTimeISO!
    $after: String
  ) {
    incidents(
      teamId: $team
      websiteId: $site
      type: $type
      since: $since
      until: $until
      first: 100
      after: $after
    ) {
      edges {
        node {
          id
          websiteId
          website {
            name
            timeZone
          }
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

export type Incident = ResultOf<typeof INCIDENTS>['incidents']['edges'][number]['node'];

/** Whose incidents are listed, of which days (UTC), and of which provider. */
export type IncidentChoice = Narrowed & Readonly<{ days: Days; provider?: Provider | undefined }>;

async function readIncidents(choice: IncidentChoice, after: string | null, signal?: AbortSignal) {
  const { team, site, days, provider: type } = choice;
  const period = { since: `${days.from}T00:00:00Z`, until: `${addDays(days.to, 1)}T00:00:00Z` };
  return (await request(INCIDENTS, { team, site, type, ...period, after }, signal)).incidents;
}

/** The incidents of some days, the newest first. */
export const incidentsQuery = (choice: IncidentChoice) =>
  infiniteQueryOptions({
    queryKey: ['captcha', 'incidents', choice],
    queryFn: ({ pageParam, signal }) => readIncidents(choice, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  });

/** Reads all incidents of some days, page by page. */
export async function readAllIncidents(choice: IncidentChoice): Promise<Incident[]> {
  const all: Incident[] = [];
  let after: string | null = null;
  do {
    const { edges, pageInfo }: Awaited<ReturnType<typeof readIncidents>> = await readIncidents(choice, after);
    all.push(...edges.map(({ node }) => node));
    after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null;
  } while (after !== null);
  return all;
}

const WEBSITES = graphql(`
  query captchaWebsites($team: ID, $search: String) {
    websites(teamId: $team, search: $search, first: 50) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The websites that a search finds. */
export const websitesQuery = (team: string | undefined, search: string) =>
  queryOptions({
    queryKey: ['captcha', 'websites', team, search],
    queryFn: async ({ signal }) =>
      (await request(WEBSITES, { team, search: search || null }, signal)).websites,
    placeholderData: keepPreviousData,
  });

const WEBSITE = graphql(`
  query captchaWebsite($id: ID!) {
    website(id: $id) {
      name
    }
  }
`);

export const websiteNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['captcha', 'website', id],
    queryFn: async ({ signal }) => (await request(WEBSITE, { id }, signal)).website.name,
  });

const CHECK = graphql(`
  mutation checkCaptchaCredentials($team: ID, $after: String) {
    checkCaptchaCredentials(teamId: $team, after: $after) {
      checked {
        websiteId
        linkKey
        outcome
        website {
          name
        }
      }
      total
      next
    }
  }
`);

export type CheckedStep = ResultOf<typeof CHECK>['checkCaptchaCredentials']['checked'][number];

/** Checks the credentials of a page of steps with their providers. */
export const checkPage = async (team: string | undefined, after: string | null) =>
  (await request(CHECK, { team, after })).checkCaptchaCredentials;
