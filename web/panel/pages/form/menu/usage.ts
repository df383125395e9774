import { queryOptions } from '@tanstack/react-query';
import { graphql, request } from '../../../graphql.js';

const USAGE = graphql(`
  query formUsage($id: ID!, $filter: SubmissionFilter!) {
    form(id: $id) {
      links {
        website {
          id
          name
        }
      }
    }
    submissionCounts(filter: $filter) {
      total
      isExact
    }
  }
`);

/** What a form is used for: its websites and its leads. */
export const usageQuery = (id: string) =>
  queryOptions({
    queryKey: ['form', id, 'usage'],
    queryFn: async ({ signal }) => {
      const { form, submissionCounts } = await request(USAGE, { id, filter: { formIds: [id] } }, signal);
      return { websites: form.links.map(({ website }) => website), leads: submissionCounts };
    },
    gcTime: 0,
  });
