import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';
import type { Language } from '../../language.js';

const ATTENTION = graphql(`
  query attention($teamId: ID, $after: String, $language: PanelLanguage) {
    attention(teamId: $teamId, first: 50, after: $after) {
      edges {
        node {
          id
          kind
          severity
          since
          summary(language: $language)
          action
          teamId
          websiteId
          formId
          website {
            name
            timeZone
          }
          form {
            name
          }
          team {
            name
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

/** An item of the list. */
export type Item = ResultOf<typeof ATTENTION>['attention']['edges'][number]['node'];

/** How often the list is read again while it is looked at. */
const POLL_MS = 30_000;

/** What needs attention, of a team or of all in view, page by page. */
export const attentionQuery = (team: string | undefined, language: Language) =>
  infiniteQueryOptions({
    queryKey: ['attention', team, language],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { teamId: team ?? null, after: pageParam, language };
      return (await request(ATTENTION, variables, signal)).attention;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchInterval: POLL_MS,
  });

const TEAM_STATES = graphql(`
  query teamStates($teamId: ID, $isNarrowed: Boolean!) {
    me @skip(if: $isNarrowed) {
      teams {
        team {
          name
          active
        }
      }
    }
    team(id: $teamId) @include(if: $isNarrowed) {
      name
      active
    }
  }
`);

/** The names of the suspended teams: whether the given one is, else those of the viewer. */
export const suspendedQuery = (teamId: string | undefined) =>
  queryOptions({
    // Under the key of the lists, which are read anew once a team is suspended.
    queryKey: ['teams', 'suspended', teamId],
    queryFn: async ({ signal }) => {
      const variables = { teamId: teamId ?? null, isNarrowed: teamId !== undefined };
      const { me, team } = await request(TEAM_STATES, variables, signal);
      const teams = team ? [team] : (me?.teams ?? []).map((membership) => membership.team);
      const names = teams.filter(({ active }) => !active).map(({ name }) => name);
      return names.sort((one, other) => one.localeCompare(other));
    },
    refetchInterval: POLL_MS,
  });

const ANY_WEBSITE = graphql(`
  query anyWebsite($teamId: ID) {
    websites(teamId: $teamId, first: 1) {
      edges {
        node {
          id
        }
      }
    }
  }
`);

/** Whether there is a website of which something could be listed, in a team or in all in view. */
export const hasWebsitesQuery = (team: string | undefined) =>
  queryOptions({
    // Under the key of the lists, which are read anew once a website is created.
    queryKey: ['websites', 'any', team],
    queryFn: async ({ signal }) =>
      (await request(ANY_WEBSITE, { teamId: team ?? null }, signal)).websites.edges.length > 0,
  });

export const SET_ASIDE = graphql(`
  mutation setAside($kind: AttentionKind!, $websiteId: ID!, $until: DateTimeISO!, $reason: String!) {
    setAside(kind: $kind, websiteId: $websiteId, until: $until, reason: $reason) {
      until
    }
  }
`);
