import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { graphql, request } from '../../../graphql.js';

/** Reads again what tells of a form on a website, on the pages of both. */
export const placementChanged = (client: QueryClient, websiteId: string, formId: string) =>
  Promise.all(
    [['website', websiteId], ['form', formId], ['forms']].map((queryKey) =>
      client.invalidateQueries({ queryKey }),
    ),
  );

const FORMS = graphql(`
  query placeableForms($teamId: ID!, $search: String) {
    forms(first: 100, teamId: $teamId, search: $search) {
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

/** The forms of a team that a search finds. */
export const formsQuery = (teamId: string, search: string) =>
  queryOptions({
    queryKey: ['forms', 'placeable', teamId, search],
    queryFn: async ({ signal }) => (await request(FORMS, { teamId, search: search || null }, signal)).forms,
    placeholderData: keepPreviousData,
  });

export const REMOVE = graphql(`
  mutation removeFormLink($websiteId: ID!, $formId: ID!) {
    removeFormLink(websiteId: $websiteId, formId: $formId)
  }
`);
