import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';
import type { Language } from '../../../language.js';

const TESTS = graphql(`
  query websiteTests($id: ID!, $language: PanelLanguage) {
    probeDays(websiteId: $id) {
      id
      ok
      startedAt
      steps {
        name
        ok
        explanation(language: $language)
      }
    }
  }
`);

/** A test of the website, as its health has it. */
export type Test = ResultOf<typeof TESTS>['probeDays'][number];

/** One test of each of the last days of a website, a failed one before others, the newest day first. */
export const testsQuery = (id: string, language: Language) =>
  queryOptions({
    queryKey: ['website', id, 'tests', language],
    queryFn: async ({ signal }) => (await request(TESTS, { id, language }, signal)).probeDays,
  });

const SET_ASIDES = graphql(`
  query setAsides($id: ID!) {
    setAsides(websiteId: $id) {
      kind
      until
      reason
      setByName
    }
  }
`);

/** What is expected of a website, and so left out of attention. */
export type SetAside = ResultOf<typeof SET_ASIDES>['setAsides'][number];

export const setAsidesQuery = (id: string) =>
  queryOptions({
    queryKey: ['setAsides', id],
    queryFn: async ({ signal }) => (await request(SET_ASIDES, { id }, signal)).setAsides,
  });
