import type { Db } from '../db/client.js';
import { visitsCountedUntil } from '../db/daily-visits-mark.js';
import { isGenuineLead } from '../db/leads.queries.js';
import { Prisma } from '../generated/prisma/client.js';

/** Selects the visits of a team's websites, or of one, on days (UTC) from the first until before the last. */
export type VisitScope = Readonly<{
  teamId: number;
  websiteId: string | null;
  from: Date;
  to: Date;
}>;

export type DayOfVisits = Readonly<{ day: string; pageViews: number; visitors: number }>;

export type VisitedPage = Readonly<{ pageUrl: string; pageViews: number }>;

/** The attribute by which visits and submissions are grouped. */
export type AttributionKey = 'referrer_host' | 'utm_source' | 'utm_medium' | 'utm_campaign';

export type AttributionTotal = Readonly<{ value: string | null; visits: number; submissions: number }>;

/** Returns the expression to group rows by: cheap for each row, and the same for visits and submissions. */
export const groupExpression = (by: AttributionKey, text: Prisma.Sql): Prisma.Sql =>
  by === 'referrer_host' ? Prisma.sql`split_part(${text}, '/', 3)` : text;

/**
 * Returns the label of a group: its text, or for a referrer its host without user and port.
 *
 * The website's own host becomes null.
 */
export const groupLabel = (by: AttributionKey): Prisma.Sql =>
  by === 'referrer_host'
    ? Prisma.sql`nullif(lower(substring(value from '^(?:[^?#]*@)?([^?#:]+)')), split_part(host, ':', 1))`
    : Prisma.sql`nullif(value, '')`;

/** Returns the column of a visit, which is also the key in a submission's attribution. */
export const columnOf = (by: AttributionKey): string => (by === 'referrer_host' ? 'referrer' : by);

const ofWebsites = ({ teamId, websiteId }: VisitScope) => Prisma.sql`
  website_id IN (SELECT id FROM websites
                  WHERE team_id = ${teamId} AND ${websiteId ? Prisma.sql`id = ${websiteId}::uuid` : Prisma.sql`TRUE`})`;

const within = (scope: VisitScope) => Prisma.sql`
  ${ofWebsites(scope)} AND created_at >= ${scope.from} AND created_at < ${scope.to}`;

export type VisitStatistics = ReturnType<typeof createVisitStatistics>;

/**
 * Computes the statistics of visits in a period.
 *
 * A visitor is one browser on one website and day, because a visitor hash lasts no longer (`visitor-hash.ts`).
 */
export function createVisitStatistics({ db }: { db: Db }) {
  return {
    /**
     * Counts the page views of each day, oldest first, days without any included.
     *
     * Days that a worker has counted are read from `daily_visits`, where deleted visits still count, those of a team
     * also from `former_counts`.
     */
    perDay(scope: VisitScope): Promise<DayOfVisits[]> {
      return db.orm.$queryRaw<DayOfVisits[]>`
        WITH seen AS (
          SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS views
            FROM visits WHERE ${within(scope)} AND created_at >= ${visitsCountedUntil}
           GROUP BY 1, visitor_hash COLLATE "C"
        ), counted AS (
          SELECT day, sum(views)::int AS views, count(*)::int AS visitors FROM seen GROUP BY 1
          UNION ALL
          SELECT day, sum(page_views)::int, sum(visitors)::int FROM daily_visits
           WHERE ${ofWebsites(scope)} AND day >= (${scope.from}::timestamptz AT TIME ZONE 'UTC')::date
             AND day < (${scope.to}::timestamptz AT TIME ZONE 'UTC')::date
           GROUP BY 1
        ), total AS (
          SELECT day, sum(views) AS views, sum(visitors) AS visitors
            FROM (SELECT * FROM counted
                   UNION ALL
                  SELECT day, page_views, visitors FROM former_counts
                   WHERE team_id = ${scope.teamId} AND ${scope.websiteId === null}) parts
           GROUP BY 1
        )
        SELECT to_char(days.day, 'YYYY-MM-DD') AS day,
               coalesce(views, 0)::int AS "pageViews", coalesce(visitors, 0)::int AS visitors
          FROM generate_series((${scope.from}::timestamptz AT TIME ZONE 'UTC')::date,
                               (${scope.to}::timestamptz AT TIME ZONE 'UTC')::date - 1,
                               interval '1 day') AS days (day)
          LEFT JOIN total ON total.day = days.day::date
         ORDER BY days.day`;
    },

    /** Lists the pages with the most views, without query and fragment. */
    topPages(scope: VisitScope, limit: number): Promise<VisitedPage[]> {
      return db.orm.$queryRaw<VisitedPage[]>`
        SELECT split_part(split_part(page_url, '?', 1), '#', 1) AS "pageUrl", count(*)::int AS "pageViews"
          FROM visits WHERE ${within(scope)}
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}`;
    },

    /**
     * Counts page views by source, and the submissions of visitors from that source: most views first.
     *
     * Null stands for other pages of the same website, and for unknown sources.
     */
    attribution(scope: VisitScope, by: AttributionKey, limit: number): Promise<AttributionTotal[]> {
      const column = columnOf(by);
      return db.orm.$queryRaw<AttributionTotal[]>`
        WITH counted AS (
          SELECT website_id, ${groupExpression(by, Prisma.raw(column))} AS value, count(*) AS visits, 0 AS submissions
            FROM visits WHERE ${within(scope)} GROUP BY 1, 2
          UNION ALL
          SELECT website_id, ${groupExpression(by, Prisma.sql`attribution->>${column}`)}, 0, count(*)
            FROM submissions WHERE ${within(scope)} AND ${isGenuineLead('submissions')} GROUP BY 1, 2
        )
        SELECT ${groupLabel(by)} AS value, sum(visits)::int AS visits, sum(submissions)::int AS submissions
          FROM counted JOIN websites ON websites.id = website_id
         GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${limit}`;
    },
  };
}
