import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from './graphql.js';

const PLACEMENTS = graphql(`
  query websitePlacements($id: ID!) {
    website(id: $id) {
      formLinks {
        version
        enabled
        cssSelector
        htmlWrapper
        appearance
        confirmationMessage
        recipients
        recipientRules {
          when
          recipients
        }
        form {
          id
          name
          slug
          active
          recipients
          confirmationMessage
          translations {
            locale
            confirmationMessage
          }
        }
      }
    }
  }
`);

/** A form on a website. */
export type Placement = ResultOf<typeof PLACEMENTS>['website']['formLinks'][number];

export const readPlacements = async (websiteId: string, signal?: AbortSignal): Promise<Placement[]> =>
  (await request(PLACEMENTS, { id: websiteId }, signal)).website.formLinks;

export const placementsQuery = (websiteId: string) =>
  queryOptions({
    queryKey: ['website', websiteId, 'placements'],
    queryFn: ({ signal }) => readPlacements(websiteId, signal),
  });

export const SAVE = graphql(`
  mutation saveFormLink($websiteId: ID!, $formId: ID!, $input: FormLinkInput!, $version: String) {
    saveFormLink(websiteId: $websiteId, formId: $formId, input: $input, version: $version) {
      enabled
    }
  }
`);

/** Puts a form on a website, unless it is there by now: it would lose its settings there. */
export async function addPlacement(client: QueryClient, websiteId: string, formId: string): Promise<void> {
  const present = await client.fetchQuery({ ...placementsQuery(websiteId), staleTime: 0 });
  if (present.some(({ form }) => form.id === formId)) return;
  await request(SAVE, { websiteId, formId, input: {} });
}
