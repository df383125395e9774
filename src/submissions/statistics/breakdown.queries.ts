import type { Db } from '../../db/client.js';
import { dayBegins } from '../../db/day-begins.js';
import { isLead } from '../../db/leads.queries.js';
import { Prisma } from '../../generated/prisma/client.js';
import {
  type AttributionKey,
  columnOf,
  groupExpression,
  groupLabel,
} from '../../visits/visit-statistics.queries.js';
import type { StepUnit } from './steps.js';

const { sql } = Prisma;

/** What page views and submissions are broken down by. */
export type BreakdownKey = AttributionKey | 'page' | 'language';

/** Days as in `2026-11-21`, the first and the last one included. */
export type Days = Readonly<{ first: string; last: string }>;

/** Selects what is counted. `before` null: compared with nothing. */
export type BreakdownScope = Readonly<{
  teamId: number;
  websiteId: string | null;
  by: BreakdownKey;
  days: Days;
  before: Days | null;
  unit: StepUnit;
}>;

/** An item with its counts. `steps` has the first days of the steps in which it occurs, with the counts of each. */
export type BreakdownRow = Readonly<{
  value: string | null;
  /** How many items there are, listed or not. */
  among: number;
  views: number;
  leads: number;
  viewsBefore: number;
  leadsBefore: number;
  steps: string[];
  stepViews: number[];
  stepLeads: number[];
}>;

type Source = Readonly<{ value: Prisma.Sql; from: Prisma.Sql; timeZone: Prisma.Sql; counts: Prisma.Sql }>;

const VISITS = { from: sql`visits rows`, timeZone: sql`'UTC'`, counts: sql`count(*) AS views, 0 AS leads` };

const LEADS = {
  from: sql`submissions rows`,
  timeZone: sql`sites.time_zone`,
  counts: sql`0 AS views, count(*) AS leads`,
};

/** Returns what is counted: page views, submissions, or both. */
function sourcesOf(by: BreakdownKey): Source[] {
  if (by === 'page')
    return [{ ...VISITS, value: sql`split_part(split_part(rows.page_url, '?', 1), '#', 1)` }];
  if (by === 'language') return [{ ...LEADS, value: sql`rows.locale` }];
  const column = columnOf(by);
  return [
    { ...VISITS, value: groupExpression(by, Prisma.raw(`rows.${column}`)) },
    { ...LEADS, value: groupExpression(by, sql`rows.attribution->>${column}`) },
  ];
}

/** Counts the rows of a website `sites` in a period, by value and day, through the index of website and time. */
const countRows = ({ value, from, timeZone, counts }: Source): Prisma.Sql => sql`
  SELECT ${value} AS value, (rows.created_at AT TIME ZONE ${timeZone})::date AS day, ${counts}
    FROM ${from}
   WHERE rows.website_id = sites.id
     AND rows.created_at >= ${dayBegins(sql`periods.first`, timeZone)}
     AND rows.created_at < ${dayBegins(sql`periods.last + 1`, timeZone)}
     AND ${from === LEADS.from ? isLead('rows') : sql`TRUE`}
   GROUP BY 1, 2`;

const labelOf = (by: BreakdownKey): Prisma.Sql =>
  by === 'page' || by === 'language' ? sql`value` : groupLabel(by);

/** Breaks the counts of some days down by an attribute, highest first, each item with its course and the days before. */
export function breakDown(
  db: Db,
  { teamId, websiteId, by, days, before, unit }: BreakdownScope,
  limit: number,
): Promise<BreakdownRow[]> {
  const periods = [
    sql`SELECT TRUE AS is_now, ${days.first}::date AS first, ${days.last}::date AS last`,
    ...(before ? [sql`SELECT FALSE, ${before.first}::date, ${before.last}::date`] : []),
  ];
  return db.orm.$queryRaw`
    WITH sites AS (
      SELECT id, host, time_zone FROM websites
       WHERE team_id = ${teamId} AND ${websiteId ? sql`id = ${websiteId}::uuid` : sql`TRUE`}
    ), periods AS (${Prisma.join(periods, ' UNION ALL ')}
    ), counted AS (
      SELECT coalesce(${labelOf(by)}, '') COLLATE "C" AS value, is_now,
             CASE WHEN is_now THEN greatest(first, date_trunc(${unit}, day::timestamp)::date) END AS step,
             sum(views)::int AS views, sum(leads)::int AS leads
        FROM sites CROSS JOIN periods
       CROSS JOIN LATERAL (${Prisma.join(sourcesOf(by).map(countRows), ' UNION ALL ')}) AS by_day
       GROUP BY 1, 2, 3
    ), listed AS (
      SELECT value, (count(*) OVER ())::int AS among,
             sum(views) FILTER (WHERE is_now)::int AS views, sum(leads) FILTER (WHERE is_now)::int AS leads,
             coalesce(sum(views) FILTER (WHERE NOT is_now), 0)::int AS views_before,
             coalesce(sum(leads) FILTER (WHERE NOT is_now), 0)::int AS leads_before
        FROM counted GROUP BY value HAVING bool_or(is_now)
       ORDER BY views DESC, leads DESC, value LIMIT ${limit}
    )
    SELECT nullif(value, '') AS value, among, listed.views, listed.leads,
           views_before AS "viewsBefore", leads_before AS "leadsBefore",
           array_agg(step::text) AS steps, array_agg(counted.views) AS "stepViews",
           array_agg(counted.leads) AS "stepLeads"
      FROM listed JOIN counted USING (value)
     WHERE is_now
     GROUP BY value, among, listed.views, listed.leads, views_before, leads_before
     ORDER BY listed.views DESC, listed.leads DESC, value`;
}
