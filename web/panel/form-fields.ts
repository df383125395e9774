import { queryOptions } from '@tanstack/react-query';
import { graphql, request } from './graphql.js';
import type { Driver } from './parts/condition/rules.js';

const FIELDS = graphql(`
  query fieldsOfForm($id: ID!) {
    form(id: $id) {
      fields {
        name
        type
        label
        isMultiple
        visibility
        options {
          value
          label
        }
      }
    }
  }
`);

/** Reads the fields of a form, which conditions compare and are put into words by. */
export const formFieldsQuery = (formId: string) =>
  queryOptions({
    queryKey: ['form', formId, 'fields'],
    queryFn: async ({ signal }) => (await request(FIELDS, { id: formId }, signal)).form.fields as Driver[],
    staleTime: 60_000,
  });
