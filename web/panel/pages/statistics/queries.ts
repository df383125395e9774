import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { graphql, type ResultOf, request } from '../../graphql.js';
import { addDays, type Days, startOfDay } from '../../parts/statistics/period.js';
import { ATTRIBUTES, type Source } from '../../parts/statistics/sources.js';

const TEAM = graphql(`
  query reportedTeam($id: ID!) {
    team(id: $id) {
      id
      name
      monthlyReport
      reportTimeZone
    }
  }
`);

export type ReportedTeam = ResultOf<typeof TEAM>['team'];

export const teamQuery = (id: string) =>
  queryOptions({
    queryKey: ['report', 'team', id],
    queryFn: async ({ signal }) => (await request(TEAM, { id }, signal)).team,
  });

const SET_REPORT = graphql(`
  mutation setMonthlyReport($id: ID!, $enabled: Boolean!) {
    setMonthlyReport(teamId: $id, enabled: $enabled)
  }
`);

/** Sets whether the owners of a team get its report each month. */
export const setMonthlyReport = (id: string, enabled: boolean) => request(SET_REPORT, { id, enabled });

const WEBSITES = graphql(`
  query reportedWebsites($team: ID!, $search: String) {
    websites(teamId: $team, search: $search, first: 50) {
      edges {
        node {
          id
          name
        }
      }
    }
  }
`);

/** The websites of a team that a search finds. */
export const websitesQuery = (team: string, search: string) =>
  queryOptions({
    queryKey: ['report', 'websites', team, search],
    queryFn: async ({ signal }) =>
      (await request(WEBSITES, { team, search: search || null }, signal)).websites.edges.map(
        ({ node }) => node,
      ),
    placeholderData: keepPreviousData,
  });

const WEBSITE = graphql(`
  query reportedWebsite($id: ID!) {
    website(id: $id) {
      id
      name
      timeZone
      teamId
    }
  }
`);

export type ReportedWebsite = ResultOf<typeof WEBSITE>['website'];

export const websiteQuery = (id: string) =>
  queryOptions({
    queryKey: ['report', 'website', id],
    queryFn: async ({ signal }) => (await request(WEBSITE, { id }, signal)).website,
  });

const STATISTICS = graphql(`
  query teamStatistics(
    $team: ID
    $site: ID
    $filter: StatisticsFilter!
    $from: String!
    $to: String!
    $by: AttributionBy!
  ) {
    submissionsPerDay(filter: $filter) {
      day
      count
    }
    submissionsPerForm(filter: $filter) {
      formId
      websiteId
      count
      form {
        name
      }
      website {
        name
      }
    }
    submissionsPerLanguage(filter: $filter) {
      locale
      count
    }
    visitStatistics(teamId: $team, websiteId: $site, from: $from, to: $to) {
      perDay {
        day
        pageViews
        visitors
      }
      topPages(limit: 20) {
        pageUrl
        pageViews
      }
      attribution(by: $by, limit: 20) {
        value
        visits
        submissions
      }
    }
  }
`);

export type Statistics = ResultOf<typeof STATISTICS>;

/** What the figures are about: a team, or one website of it; and the time zone of their days. */
export type Subject = Readonly<{ team: string; site: string | undefined; timeZone: string }>;

/** Leads are counted by the days of the website, visits by those of UTC, in which a visitor is known. */
export const statisticsQuery = ({ team, site, timeZone }: Subject, { from, to }: Days, by: Source) =>
  queryOptions({
    queryKey: ['report', team, site, from, to, by],
    queryFn: ({ signal }) => {
      const filter = {
        teamId: team,
        websiteIds: site ? [site] : null,
        from: startOfDay(from, timeZone).toISOString(),
        to: startOfDay(addDays(to, 1), timeZone).toISOString(),
      };
      const whose = site ? { site } : { team };
      return request(STATISTICS, { ...whose, filter, from, to, by: ATTRIBUTES[by] }, signal);
    },
    placeholderData: keepPreviousData,
  });
