import { Prisma } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';

/** Whose visits, of a team's websites or of one, and in which days (UTC): from the first, before the last. */
export type VisitScope = Readonly<{
  teamId: number;
  websiteId: string | null;
  from: Date;
  to: Date;
}>;

export type DayOfVisits = Readonly<{ day: string; pageViews: number; visitors: number }>;

export type VisitedPage = Readonly<{ pageUrl: string; pageViews: number; visitors: number }>;

/** By what visits and submissions are attributed. */
export type AttributionKey = 'referrer_host' | 'utm_source' | 'utm_medium' | 'utm_campaign';

export type AttributionTotal = Readonly<{ value: string | null; visitors: number; submissions: number }>;

/** The host of an http(s) address in lower case, user information and port left out. */
const hostOf = (address: string) => `lower(substring(${address} from '^https?://(?:[^/?#]*@)?([^/?#:]+)'))`;

/** How a visit and a submission's attribution (jsonb) say it. */
const KEYS: Readonly<Record<AttributionKey, { visit: Prisma.Sql; submission: Prisma.Sql }>> = {
  referrer_host: {
    visit: Prisma.raw(hostOf('referrer')),
    submission: Prisma.raw(hostOf("(attribution->>'referrer')")),
  },
  utm_source: { visit: Prisma.raw('utm_source'), submission: Prisma.raw("attribution->>'utm_source'") },
  utm_medium: { visit: Prisma.raw('utm_medium'), submission: Prisma.raw("attribution->>'utm_medium'") },
  utm_campaign: {
    visit: Prisma.raw('utm_campaign'),
    submission: Prisma.raw("attribution->>'utm_campaign'"),
  },
};

const within = ({ teamId, websiteId, from, to }: VisitScope) => Prisma.sql`
  website_id IN (SELECT id FROM websites
                  WHERE team_id = ${teamId} AND ${websiteId ? Prisma.sql`id = ${websiteId}::uuid` : Prisma.sql`TRUE`})
  AND created_at >= ${from} AND created_at < ${to}`;

export type VisitStatistics = ReturnType<typeof createVisitStatistics>;

/**
 * What the visits of a period come to. A visitor is one browser on one website and day, since nobody can tell
 * more: see `visitor-hash.ts`.
 */
export function createVisitStatistics({ db }: { db: Database }) {
  return {
    /** Page views of each day, the first one first; days without any are there with 0. */
    perDay(scope: VisitScope): Promise<DayOfVisits[]> {
      return db.$queryRaw<DayOfVisits[]>`
        WITH counted AS (
          SELECT (created_at AT TIME ZONE 'UTC')::date AS day,
                 count(*)::int AS views, count(DISTINCT visitor_hash)::int AS visitors
            FROM visits WHERE ${within(scope)} GROUP BY 1
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
      return db.$queryRaw<VisitedPage[]>`
        SELECT substring(page_url from '^[^?#]*') AS "pageUrl", count(*)::int AS "pageViews",
               count(DISTINCT visitor_hash)::int AS visitors
          FROM visits WHERE ${within(scope)}
         GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${limit}`;
    },

    /**
     * Where visitors came from, by their first page view of the day, and how many submissions that made: most
     * visitors first. Null stands for those of whom it is not known.
     */
    attribution(scope: VisitScope, by: AttributionKey, limit: number): Promise<AttributionTotal[]> {
      const { visit, submission } = KEYS[by];
      return db.$queryRaw<AttributionTotal[]>`
        WITH first_views AS (
          SELECT DISTINCT ON (visitor_hash) ${visit} AS value
            FROM visits WHERE ${within(scope)}
           ORDER BY visitor_hash, created_at
        ), attributed AS (
          SELECT coalesce(value, '') AS value, count(*)::int AS visitors, 0 AS submissions
            FROM first_views GROUP BY 1
          UNION ALL
          SELECT coalesce(${submission}, ''), 0, count(*)::int
            FROM submissions WHERE ${within(scope)} GROUP BY 1
        )
        SELECT nullif(value, '') AS value, sum(visitors)::int AS visitors, sum(submissions)::int AS submissions
          FROM attributed GROUP BY value ORDER BY 2 DESC, 3 DESC, 1 LIMIT ${limit}`;
    },
  };
}
