import { queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const TESTS = graphql(`
  query websiteTests($id: ID!) {
    probes(websiteId: $id, first: 100) {
      id
      ok
      startedAt
      steps {
        name
        ok
      }
    }
  }
`);

/** A test of the website, as its health has it. */
export type Test = ResultOf<typeof TESTS>['probes'][number];

/** The latest tests of a website, the newest first. */
export const testsQuery = (id: string) =>
  queryOptions({
    queryKey: ['website', id, 'tests'],
    queryFn: async ({ signal }) => (await request(TESTS, { id }, signal)).probes,
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
