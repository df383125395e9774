import type { Db } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';

/** Whose visits, of a team's websites or of one, and in which days (UTC): from the first, before the last. */
export type VisitScope = Readonly<{
  teamId: number;
  websiteId: string | null;
  from: Date;
  to: Date;
}>;

export type DayOfVisits = Readonly<{ day: string; pageViews: number; visitors: number }>;

export type VisitedPage = Readonly<{ pageUrl: string; pageViews: number }>;

/** By what visits and submissions are attributed. */
export type AttributionKey = 'referrer_host' | 'utm_source' | 'utm_medium' | 'utm_campaign';

export type AttributionTotal = Readonly<{ value: string | null; visits: number; submissions: number }>;

/** What rows are gathered by: cheap for each of them, and the same for a visit and a submission's attribution. */
const gathered = (by: AttributionKey, text: Prisma.Sql): Prisma.Sql =>
  by === 'referrer_host' ? Prisma.sql`split_part(${text}, '/', 3)` : text;

/** What a gathered value stands for: the host without user and port, but for the website's own; else the text. */
const meaning = (by: AttributionKey): Prisma.Sql =>
  by === 'referrer_host'
    ? Prisma.sql`nullif(lower(substring(value from '^(?:[^?#]*@)?([^?#:]+)')), split_part(host, ':', 1))`
    : Prisma.sql`nullif(value, '')`;

/** The column of a visit, which is also the key in a submission's attribution. */
const columnOf = (by: AttributionKey): string => (by === 'referrer_host' ? 'referrer' : by);

const within = ({ teamId, websiteId, from, to }: VisitScope) => Prisma.sql`
  website_id IN (SELECT id FROM websites
                  WHERE team_id = ${teamId} AND ${websiteId ? Prisma.sql`id = ${websiteId}::uuid` : Prisma.sql`TRUE`})
  AND created_at >= ${from} AND created_at < ${to}`;

export type VisitStatistics = ReturnType<typeof createVisitStatistics>;

/**
 * What the visits of a period come to. A visitor is one browser on one website and day, since nobody can tell
 * more: see `visitor-hash.ts`.
 */
export function createVisitStatistics({ db }: { db: Db }) {
  return {
    /** Page views of each day, the first one first; days without any are there with 0. */
    perDay(scope: VisitScope): Promise<DayOfVisits[]> {
      return db.orm.$queryRaw<DayOfVisits[]>`
        WITH seen AS (
          SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS views
            FROM visits WHERE ${within(scope)} GROUP BY 1, visitor_hash COLLATE "C"
        ), counted AS (
          SELECT day, sum(views)::int AS views, count(*)::int AS visitors FROM seen GROUP BY 1
        )
        SELECT to_char(days.day, 'YYYY-MM-DD') AS day,
               coalesce(views, 0) AS "pageViews", coalesce(visitors, 0) AS visitors
          FROM generate_series((${scope.from}::timestamptz AT TIME ZONE 'UTC')::date,
                               (${scope.to}::timestamptz AT TIME ZONE 'UTC')::date - 1,
                               interval '1 day') AS days (day)
          LEFT JOIN counted ON counted.day = days.day::date
         ORDER BY days.day`;
    },

    /** The pages that were looked at most often, without what follows `?` or `#`. */
    topPages(scope: VisitScope, limit: number): Promise<VisitedPage[]> {
      return db.orm.$queryRaw<VisitedPage[]>`
        SELECT split_part(split_part(page_url, '?', 1), '#', 1) AS "pageUrl", count(*)::int AS "pageViews"
          FROM visits WHERE ${within(scope)}
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}`;
    },

    /**
     * Where page views came from, and the submissions of those whose first page view did: most views first. Null
     * stands for other pages of the same website, and for what is not known.
     */
    attribution(scope: VisitScope, by: AttributionKey, limit: number): Promise<AttributionTotal[]> {
      const column = columnOf(by);
      return db.orm.$queryRaw<AttributionTotal[]>`
        WITH counted AS (
          SELECT website_id, ${gathered(by, Prisma.raw(column))} AS value, count(*) AS visits, 0 AS submissions
            FROM visits WHERE ${within(scope)} GROUP BY 1, 2
          UNION ALL
          SELECT website_id, ${gathered(by, Prisma.sql`attribution->>${column}`)}, 0, count(*)
            FROM submissions WHERE ${within(scope)} GROUP BY 1, 2
        )
        SELECT ${meaning(by)} AS value, sum(visits)::int AS visits, sum(submissions)::int AS submissions
          FROM counted JOIN websites ON websites.id = website_id
         GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${limit}`;
    },
  };
}
