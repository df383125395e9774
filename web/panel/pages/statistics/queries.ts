import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { GatewayError, graphql, type ResultOf, request } from '../../graphql.js';
import { type Days, daysBefore } from '../../parts/statistics/period.js';
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
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** The websites of a team that a search finds. */
export const websitesQuery = (team: string, search: string) =>
  queryOptions({
    queryKey: ['report', 'websites', team, search],
    queryFn: async ({ signal }) =>
      (await request(WEBSITES, { team, search: search || null }, signal)).websites,
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
  query teamStatistics($team: ID, $site: ID, $filter: StatisticsFilter!, $from: String!, $to: String!) {
    submissionsPerDay(filter: $filter) {
      day
      count
    }
    visitStatistics(teamId: $team, websiteId: $site, from: $from, to: $to) {
      perDay {
        day
        pageViews
        visitors
      }
    }
  }
`);

/** The figures of some days. */
export type Figures = ResultOf<typeof STATISTICS>;

const LEADS = graphql(`
  query teamLeads($filter: StatisticsFilter!, $before: String!, $limit: Int!) {
    websites: submissionBreakdown(filter: $filter, by: WEBSITE, before: $before, limit: $limit) {
      total
      items {
        id
        name
        submissions
        submissionsBefore
      }
    }
    forms: submissionBreakdown(filter: $filter, by: FORM, before: $before, limit: $limit) {
      total
      items {
        id
        name
        submissions
        submissionsBefore
      }
    }
  }
`);

/** Websites and forms with their leads of some days and of the days before. */
export type Leads = ResultOf<typeof LEADS>;

/** What the figures are about: a team, or one website of it. */
export type Subject = Readonly<{ team: string; site: string | undefined }>;

const whose = ({ team, site }: Subject) => (site ? { site } : { team });

/** Leads are counted by the days of their websites, visits by those of UTC, in which a visitor is known. */
const filterOf = ({ team, site }: Subject, { from, to }: Days) => ({
  teamId: team,
  websiteIds: site ? [site] : null,
  firstDay: from,
  lastDay: to,
});

/** The rows of a table on the page. */
const LISTED = 20;

/** The rows that the gateway lists at most, which a file has. */
export const MAX_LISTED = 1_000;

/** Reads the websites and forms with the most leads. */
export const readLeads = (
  subject: Subject,
  days: Days,
  limit: number,
  signal?: AbortSignal,
): Promise<Leads> =>
  request(LEADS, { filter: filterOf(subject, days), before: daysBefore(days).from, limit }, signal);

/** The figures of some days and of the days before, and the websites and forms that the page lists. */
export type Statistics = Readonly<{ now: Figures; before: Figures; leads: Leads }>;

export const statisticsQuery = (subject: Subject, days: Days) =>
  queryOptions({
    queryKey: ['report', subject.team, subject.site, days.from, days.to],
    async queryFn({ signal }): Promise<Statistics> {
      const read = ({ from, to }: Days) =>
        request(STATISTICS, { ...whose(subject), filter: filterOf(subject, { from, to }), from, to }, signal);
      const [now, before, leads] = await Promise.all([
        read(days),
        read(daysBefore(days)),
        readLeads(subject, days, LISTED, signal),
      ]);
      return { now, before, leads };
    },
    placeholderData: keepPreviousData,
  });

const BREAKDOWN = graphql(`
  query teamBreakdown(
    $team: ID
    $site: ID
    $from: String!
    $to: String!
    $before: String!
    $by: BreakdownBy!
    $limit: Int!
  ) {
    visitStatistics(teamId: $team, websiteId: $site, from: $from, to: $to) {
      breakdown(by: $by, before: $before, limit: $limit) {
        unit
        steps
        total
        items {
          value
          pageViews
          pageViewsBefore
          pageViewsPerStep
          submissions
          submissionsBefore
          submissionsPerStep
        }
      }
    }
  }
`);

export type Breakdown = ResultOf<typeof BREAKDOWN>['visitStatistics']['breakdown'];

/** Pages, sources and languages with their courses and the days before. */
export type Breakdowns = Readonly<Record<'pages' | 'sources' | 'languages', Breakdown>>;

/** Reads the breakdowns, each by a request of its own, since the longest ones fill an answer. */
export async function readBreakdowns(
  subject: Subject,
  { from, to }: Days,
  source: Source,
  limit: number,
  signal?: AbortSignal,
): Promise<Breakdowns> {
  const before = daysBefore({ from, to }).from;
  const read = async (by: 'PAGE' | 'LANGUAGE' | (typeof ATTRIBUTES)[Source]) =>
    (await request(BREAKDOWN, { ...whose(subject), from, to, before, by, limit }, signal)).visitStatistics
      .breakdown;
  const [pages, sources, languages] = await Promise.all([
    read('PAGE'),
    read(ATTRIBUTES[source]),
    read('LANGUAGE'),
  ]);
  return { pages, sources, languages };
}

/** Times that breakdowns are asked for again: those of a large team may take the database longer than it may take. */
const BREAKDOWN_RETRIES = 3;

/** The breakdowns as the page lists them. */
export const breakdownsQuery = (subject: Subject, days: Days, by: Source) =>
  queryOptions({
    queryKey: ['report', 'breakdowns', subject.team, subject.site, days.from, days.to, by],
    queryFn: ({ signal }) => readBreakdowns(subject, days, by, LISTED, signal),
    placeholderData: keepPreviousData,
    retry: (count, error) => count < BREAKDOWN_RETRIES && error instanceof GatewayError && error.isPassing,
  });
