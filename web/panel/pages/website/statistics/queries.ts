import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../../graphql.js';
import { addDays, type Days, startOfDay } from '../../../parts/statistics/period.js';
import { ATTRIBUTES, type Source } from '../../../parts/statistics/sources.js';
import type { Website } from '../queries.js';

const STATISTICS = graphql(`
  query websiteStatistics($id: ID!, $filter: StatisticsFilter!, $from: String!, $to: String!) {
    submissionsPerDay(filter: $filter) {
      day
      count
    }
    submissionsPerForm(filter: $filter) {
      formId
      count
      form {
        name
      }
    }
    notificationOutcomes(filter: $filter) {
      state
      count
    }
    visitStatistics(websiteId: $id, from: $from, to: $to) {
      perDay {
        day
        pageViews
        visitors
      }
      pages: breakdown(by: PAGE) {
        unit
        steps
        total
        items {
          value
          pageViews
          pageViewsPerStep
        }
      }
      languages: breakdown(by: LANGUAGE) {
        unit
        steps
        total
        items {
          value
          submissions
          submissionsPerStep
        }
      }
    }
  }
`);

const SOURCES = graphql(`
  query visitSources($id: ID!, $from: String!, $to: String!, $by: BreakdownBy!) {
    visitStatistics(websiteId: $id, from: $from, to: $to) {
      breakdown(by: $by) {
        unit
        steps
        total
        items {
          value
          pageViews
          pageViewsPerStep
          submissions
        }
      }
    }
  }
`);

/** Leads are counted by the days of the website, visits by those of UTC, in which a visitor is known. */
export const statisticsQuery = ({ id, timeZone }: Website, { from, to }: Days) =>
  queryOptions({
    queryKey: ['website', id, 'statistics', from, to],
    queryFn: ({ signal }) => {
      const filter = {
        websiteIds: [id],
        from: startOfDay(from, timeZone).toISOString(),
        to: startOfDay(addDays(to, 1), timeZone).toISOString(),
      };
      return request(STATISTICS, { id, filter, from, to }, signal);
    },
    placeholderData: keepPreviousData,
  });

export type Statistics = ResultOf<typeof STATISTICS>;

/** Where visits and leads came from. */
export const sourcesQuery = (id: string, { from, to }: Days, by: Source) =>
  queryOptions({
    queryKey: ['website', id, 'sources', from, to, by],
    queryFn: async ({ signal }) =>
      (await request(SOURCES, { id, from, to, by: ATTRIBUTES[by] }, signal)).visitStatistics.breakdown,
    placeholderData: keepPreviousData,
  });
