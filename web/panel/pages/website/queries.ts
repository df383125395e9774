import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';
import type { Language } from '../../language.js';

const WEBSITE = graphql(`
  query website($id: ID!) {
    website(id: $id) {
      id
      teamId
      name
      host
      url
      locale
      timeZone
      disabled
      team {
        active
      }
    }
  }
`);

/** A website as every tab of its page has it. */
export type Website = ResultOf<typeof WEBSITE>['website'];

export const websiteQuery = (id: string) =>
  queryOptions({
    queryKey: ['website', id],
    queryFn: async ({ signal }) => (await request(WEBSITE, { id }, signal)).website,
  });

const LEAD_COUNT = graphql(`
  query websiteLeads($id: ID!) {
    submissionCounts(filter: { websiteIds: [$id] }) {
      total
      isExact
    }
  }
`);

/** How many leads a website has had. */
export const leadCountQuery = (id: string) =>
  queryOptions({
    queryKey: ['leadCounts', 'website', id],
    queryFn: async ({ signal }) => (await request(LEAD_COUNT, { id }, signal)).submissionCounts,
  });

const SETTINGS = graphql(`
  query websiteSettings($id: ID!) {
    website(id: $id) {
      version
      name
      host
      url
      locale
      timeZone
      email
      company
      address
      zipcode
      city
      country
      phone
      logo
      departments {
        code
        name
      }
      formLinks {
        form {
          id
        }
      }
      captchaChain {
        key
      }
    }
  }
`);

/** The settings of a website, and how much goes with it. */
export type Settings = ResultOf<typeof SETTINGS>['website'];

export const readSettings = async (id: string, signal?: AbortSignal): Promise<Settings> =>
  (await request(SETTINGS, { id }, signal)).website;

export const settingsQuery = (id: string) =>
  queryOptions({
    queryKey: ['website', id, 'settings'],
    queryFn: ({ signal }) => readSettings(id, signal),
  });

export const UPDATE = graphql(`
  mutation updateWebsite($id: ID!, $input: WebsiteChangesInput!, $version: String) {
    updateWebsite(id: $id, input: $input, version: $version) {
      id
    }
  }
`);

export const DELETE = graphql(`
  mutation deleteWebsite($id: ID!) {
    deleteWebsite(id: $id)
  }
`);

export const REGENERATE_KEY = graphql(`
  mutation regenerateSignatureKey($id: ID!) {
    regenerateSignatureKey(websiteId: $id)
  }
`);

const FIGURES = graphql(`
  query websiteFigures($id: ID!, $language: PanelLanguage) {
    website(id: $id) {
      leadsPerDay(days: 30)
      lastProbeOk
      health {
        id
        kind
        severity
        websiteId
        summary(language: $language)
      }
      team {
        name
        active
      }
    }
  }
`);

/** Health and recent leads of a website. */
export const figuresQuery = (id: string, language: Language) =>
  queryOptions({
    queryKey: ['website', id, 'figures', language],
    queryFn: async ({ signal }) => (await request(FIGURES, { id, language }, signal)).website,
  });
