import { queryOptions } from '@tanstack/react-query';
import { graphql, request } from '../graphql.js';

const PLATFORM = graphql(`
  query platform {
    installation {
      locales
    }
    departments {
      code
      name
    }
  }
`);

/** Languages and departments that a website may have. */
export const platformQuery = queryOptions({
  queryKey: ['platform'],
  queryFn: async ({ signal }) => {
    const { installation, departments } = await request(PLATFORM, {}, signal);
    return { locales: installation.locales, departments };
  },
  staleTime: Number.POSITIVE_INFINITY,
});
