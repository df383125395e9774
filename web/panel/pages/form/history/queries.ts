import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Condition } from '../../../../../src/forms/definition/conditions.js';
import { graphql, type ResultOf, request } from '../../../graphql.js';

const VERSION = graphql(`
  fragment VersionFacts on FormVersion {
    version
    savedAt
    savedByName
    channel
    previousVersion
    sameAs
  }
`);

/** Who saved a version, and when. */
export type VersionFacts = ResultOf<typeof VERSION>;

const VERSIONS = graphql(
  `
  query formVersions($id: ID!, $after: String) {
    form(id: $id) {
      versions(first: 20, after: $after) {
        edges {
          node {
            ...VersionFacts
            changeCount
            changes(first: 4) {
              kind
              field
              fieldLabel
              option
              optionLabel
              locale
              key
            }
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`,
  [VERSION],
);

type VersionPage = ResultOf<typeof VERSIONS>['form']['versions'];
/** A version as the list has it, with the first of its changes. */
export type ListedVersion = VersionPage['edges'][number]['node'];

/** Reads the versions of a form page by page, the latest first. A save makes the list another one. */
export const versionsQuery = (id: string, present: number) =>
  infiniteQueryOptions({
    queryKey: ['form', id, 'versions', present],
    queryFn: async ({ pageParam, signal }) =>
      (await request(VERSIONS, { id, after: pageParam }, signal)).form.versions,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
  });

const CHOICES = graphql(
  `
  query formVersionChoices($id: ID!, $after: String) {
    form(id: $id) {
      versions(first: 100, after: $after) {
        edges {
          node {
            ...VersionFacts
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`,
  [VERSION],
);

/** Reads all versions of a form that are kept, the latest first: 500 at most. */
export const choicesQuery = (id: string, present: number) =>
  queryOptions({
    queryKey: ['form', id, 'versionChoices', present],
    queryFn: async ({ signal }) => {
      const found: VersionFacts[] = [];
      for (let after: string | null = null; ; ) {
        const { edges, pageInfo }: ResultOf<typeof CHOICES>['form']['versions'] = (
          await request(CHOICES, { id, after }, signal)
        ).form.versions;
        found.push(...edges.map(({ node }) => node));
        if (!pageInfo.hasNextPage) return found;
        after = pageInfo.endCursor;
      }
    },
    placeholderData: keepPreviousData,
  });

const KEPT_FIELDS = graphql(`
  fragment KeptFields on FormDefinition {
    fields {
      name
      type
      label
      isRequired
      isMultiple
      visibility
      options {
        value
        label
      }
    }
  }
`);

type Kept = ResultOf<typeof KEPT_FIELDS>['fields'][number];

/** A field as it was in a version, as far as it is shown or named. */
export type KeptField = Omit<Kept, 'visibility'> & Readonly<{ visibility: Condition | null }>;

const COMPARISON = graphql(
  `
  query compareFormVersions($id: ID!, $from: Int!, $to: Int!) {
    before: formVersion(formId: $id, version: $from) {
      definition {
        ...KeptFields
      }
    }
    after: formVersion(formId: $id, version: $to) {
      changeCount(since: $from)
      changes(since: $from, first: 500) {
        kind
        field
        fieldLabel
        option
        optionLabel
        locale
        key
        before
        after
      }
      definition {
        ...KeptFields
      }
    }
  }
`,
  [KEPT_FIELDS],
);

export type Change = ResultOf<typeof COMPARISON>['after']['changes'][number];

/** What differs between two versions of a form, with the fields of both. */
export type Comparison = Readonly<{
  changeCount: number;
  changes: readonly Change[];
  fieldsBefore: readonly KeptField[];
  fields: readonly KeptField[];
}>;

/** Compares two versions that are kept; they stay as they are for ever. */
export const comparisonQuery = (id: string, from: number, to: number) =>
  queryOptions({
    queryKey: ['formComparison', id, from, to],
    queryFn: async ({ signal }): Promise<Comparison> => {
      const { before, after } = await request(COMPARISON, { id, from, to }, signal);
      return {
        changeCount: after.changeCount,
        changes: after.changes,
        fieldsBefore: before.definition.fields as readonly KeptField[],
        fields: after.definition.fields as readonly KeptField[],
      };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

const RESTORE = graphql(`
  mutation restoreFormVersion($id: ID!, $version: Int!, $currentVersion: Int!) {
    restoreFormVersion(id: $id, version: $version, currentVersion: $currentVersion) {
      version
    }
  }
`);

/**
 * Makes a form what it was in a version.
 *
 * @param currentVersion The version that was seen.
 * @throws GatewayError `CONFLICT` when another has been saved meanwhile, `BAD_USER_INPUT` when it is no longer valid.
 */
export const restoreVersion = (id: string, version: number, currentVersion: number) =>
  request(RESTORE, { id, version, currentVersion });
