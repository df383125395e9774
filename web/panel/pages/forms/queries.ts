import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';

const FORMS = graphql(`
  query listedForms($teamId: ID, $search: String, $after: String) {
    forms(first: 50, teamId: $teamId, search: $search, after: $after) {
      edges {
        node {
          id
          teamId
          name
          slug
          active
          team {
            name
          }
          locales
          links {
            enabled
            website {
              id
              name
            }
          }
          missingTranslations {
            locale
            texts {
              text
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

export type ListedForm = ResultOf<typeof FORMS>['forms']['edges'][number]['node'];

/** The forms in view, by name. */
export const formsQuery = (teamId: string | undefined, search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['forms', teamId, search],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { teamId: teamId ?? null, search: search ?? null, after: pageParam };
      return (await request(FORMS, variables, signal)).forms;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: keepPreviousData,
  });
