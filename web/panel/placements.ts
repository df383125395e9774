import { queryOptions } from '@tanstack/react-query';
import { graphql, isConflict, type ResultOf, request } from './graphql.js';

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

/** The version of a placement that does not exist: what is saved with it replaces nothing. */
export const NO_PLACEMENT = '';

/** Puts a form on a website, unless it is there by now: it would lose its settings there. */
export async function addPlacement(websiteId: string, formId: string): Promise<void> {
  try {
    await request(SAVE, { websiteId, formId, input: {}, version: NO_PLACEMENT });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}
