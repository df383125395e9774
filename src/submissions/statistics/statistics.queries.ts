import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { dayBegins } from '../../db/day-begins.js';
import { isGenuineLead, isLead } from '../../db/leads.queries.js';
import { deletedLeads, leadsOfDay, storedFrom } from '../../db/stale-days.queries.js';
import { inTeams } from '../../db/team-filter.js';
import { type CaptchaVerdict, type NotificationState, Prisma } from '../../generated/prisma/client.js';

const { sql, join } = Prisma;

const ZONE = sql`w.time_zone`;

/** Maximum number of rows in a list: those with the highest counts, or the websites that are silent longest. */
const LISTED = 500;

/**
 * A period: from the first instant, before the last; or the days of each website in its own time zone, as in
 * `2026-11-21`, the first and the last one included.
 */
export type Period = Readonly<{ from: Date; to: Date } | { firstDay: string; lastDay: string }>;

/** The submissions of a day; `day` is written as in `2026-11-21`. */
export type DayCount = Readonly<{ day: string; count: number }>;

export type FormCount = Readonly<{ websiteId: string; formId: number; count: number }>;

export type LanguageCount = Readonly<{ locale: string; count: number }>;

export type OutcomeCount = Readonly<{ state: NotificationState; count: number }>;

export type VerdictCount = Readonly<{
  websiteId: string;
  stepKey: string;
  verdict: CaptchaVerdict;
  count: number;
}>;

export type SilentWebsite = Readonly<{
  websiteId: string;
  teamId: number;
  name: string;
  lastSubmissionAt: Date;
  usualPauseS: number;
  silentForS: number;
}>;

/** Returns the websites within a scope, as a subquery. */
export const websitesOf = ({ teamIds, websiteIds }: Scope) => sql`(
  SELECT id, team_id, name, disabled, time_zone FROM websites
   WHERE ${inTeams(teamIds, 'team_id')}
     AND ${websiteIds ? sql`id = ANY (${[...websiteIds]}::uuid[])` : sql`TRUE`})`;

/** Returns the instants between which a period of a website `w` lies. */
const instantsOf = (period: Period) =>
  'from' in period
    ? { from: sql`${period.from}::timestamptz`, to: sql`${period.to}::timestamptz` }
    : {
        from: dayBegins(sql`${period.firstDay}::date`, ZONE),
        to: dayBegins(sql`${period.lastDay}::date + 1`, ZONE),
      };

/**
 * Returns the first whole day of a period of a website `w`, and the day in which it ends. Today is whole in a period
 * that lasts until now.
 */
function wholeDaysOf(period: Period, now: Date) {
  if ('firstDay' in period) {
    return { first: sql`${period.firstDay}::date`, end: sql`${period.lastDay}::date + 1` };
  }
  const local = (at: Date) => sql`(${at}::timestamptz AT TIME ZONE w.time_zone)`;
  return {
    first: sql`(${local(period.from)} + interval '1 day' - interval '1 microsecond')::date`,
    end: sql`${local(period.to)}::date + ${period.to >= now ? 1 : 0}::int`,
  };
}

/**
 * Returns the first and the last day (UTC) of a period. It ends before `to`, which at midnight begins a day beyond it.
 */
const utcDaysOf = (period: Period) =>
  'from' in period
    ? {
        first: sql`(${period.from}::timestamptz AT TIME ZONE 'UTC')::date`,
        last: sql`((${period.to}::timestamptz - interval '1 millisecond') AT TIME ZONE 'UTC')::date`,
      }
    : { first: sql`${period.firstDay}::date`, last: sql`${period.lastDay}::date` };

/** Returns the condition that selects the submissions `s` of a website `w`, test leads too, for the website's index. */
const submitted = ({ formIds }: Scope, period: Period): Prisma.Sql => {
  const { from, to } = instantsOf(period);
  return join(
    [
      sql`s.website_id = w.id AND s.created_at >= ${from} AND s.created_at < ${to}`,
      ...(formIds ? [sql`s.form_id = ANY (${[...formIds]}::int[])`] : []),
    ],
    ' AND ',
  );
};

/** Returns the condition that selects the leads `s` of a website `w`, without spam. */
const counted = (scope: Scope, period: Period): Prisma.Sql =>
  sql`${submitted(scope, period)} AND ${isGenuineLead('s')}`;

/**
 * Returns the rows `days` of a website `w`: form, day and count, for each day of a period.
 *
 * Whole days that workers have counted are read from `daily_counts`. What is left at both ends of the period, and the
 * days from that before the last count, is counted as it is stored. Deleted submissions still count on whole days.
 */
export const countedDays = (scope: Scope, period: Period, now: Date): Prisma.Sql => {
  const { formIds } = scope;
  const { first, end } = wholeDaysOf(period, now);
  const live = (within: Prisma.Sql) => sql`
    SELECT s.form_id, (s.created_at AT TIME ZONE w.time_zone)::date AS day, count(*) AS count
      FROM submissions s WHERE ${counted(scope, period)} AND ${within} GROUP BY 1, 2`;
  return sql`
    LATERAL (SELECT whole.first,
                    greatest(whole.first, least(${end}, ${storedFrom(now, ZONE)})) AS last
               FROM (SELECT ${first} AS first) whole) span
    CROSS JOIN LATERAL (SELECT ${dayBegins(sql`span.first`, ZONE)} AS begins,
                               ${dayBegins(sql`span.last`, ZONE)} AS ends) edges
    CROSS JOIN LATERAL (
      SELECT c.form_id, c.day,
             CASE WHEN c.day < span.last THEN ${leadsOfDay(ZONE)} ELSE ${deletedLeads('c')} END AS count
        FROM daily_counts c
       WHERE c.website_id = w.id AND c.day >= span.first AND c.day < ${end} AND c.stored + c.deleted > 0
         AND ${formIds ? sql`c.form_id = ANY (${[...formIds]}::int[])` : sql`TRUE`}
      UNION ALL ${live(sql`s.created_at < edges.begins`)}
      UNION ALL ${live(sql`s.created_at >= edges.ends`)}) days`;
};

/** Selects what came on each day of a period through websites and forms of teams that are deleted since. */
function formerDays({ teamIds, websiteIds, formIds }: Scope, period: Period): Prisma.Sql {
  const { first, last } = utcDaysOf(period);
  return sql`
    SELECT day, leads AS count FROM former_counts
     WHERE ${inTeams(teamIds, 'team_id')} AND ${websiteIds === null && formIds === null}
       AND day >= ${first} AND day <= ${last}`;
}

/**
 * Counts submissions per day in the website's time zone, without empty days. Those of whole teams also count what came
 * through websites and forms that are deleted since.
 */
export const countPerDay = (db: Db, scope: Scope, period: Period, now: Date): Promise<DayCount[]> =>
  db.orm.$queryRaw`
    SELECT day::text AS day, sum(count)::int AS count
      FROM (SELECT days.day, days.count
              FROM ${websitesOf(scope)} w CROSS JOIN ${countedDays(scope, period, now)}
             UNION ALL ${formerDays(scope, period)}) came
     GROUP BY 1 HAVING sum(count) > 0 ORDER BY 1`;

/** Counts the submissions per form and website, highest first, without zeros. */
export const countPerForm = (db: Db, scope: Scope, period: Period, now: Date): Promise<FormCount[]> =>
  db.orm.$queryRaw`
    SELECT w.id::text AS "websiteId", days.form_id AS "formId", sum(days.count)::int AS count
      FROM ${websitesOf(scope)} w CROSS JOIN ${countedDays(scope, period, now)}
     GROUP BY w.id, days.form_id HAVING sum(days.count) > 0
     ORDER BY 3 DESC, w.id, days.form_id LIMIT ${LISTED}`;

/** Counts the submissions per language, highest first. */
export const countPerLanguage = (db: Db, scope: Scope, period: Period): Promise<LanguageCount[]> =>
  db.orm.$queryRaw`
    SELECT locale, sum(count)::int AS count
      FROM ${websitesOf(scope)} w CROSS JOIN LATERAL (
        SELECT s.locale, count(*) AS count
          FROM submissions s WHERE ${counted(scope, period)} GROUP BY 1) languages
     GROUP BY 1 ORDER BY count DESC, locale LIMIT ${LISTED}`;

/** Counts the submissions' notifications per state, those that are withheld as spam included. */
export const countPerState = (db: Db, scope: Scope, period: Period): Promise<OutcomeCount[]> =>
  db.orm.$queryRaw`
    SELECT n.state::text AS state, count(*)::int AS count
      FROM ${websitesOf(scope)} w JOIN submissions s ON ${submitted(scope, period)} AND ${isLead('s')}
      JOIN notifications n ON n.submission_id = s.id
     GROUP BY 1 ORDER BY 1`;

/** Counts the verdicts of the captcha steps on the days (UTC) of the period. */
export function countVerdicts(db: Db, scope: Scope, period: Period): Promise<VerdictCount[]> {
  const { first, last } = utcDaysOf(period);
  return db.orm.$queryRaw`
    SELECT website_id::text AS "websiteId", link_key AS "stepKey", verdict::text AS verdict,
           sum(count)::int AS count
      FROM ${websitesOf(scope)} w JOIN captcha_counts c ON c.website_id = w.id
     WHERE day >= ${first} AND day <= ${last}
     GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT ${LISTED}`;
}

/** Lists the websites whose silence the workers have noticed. Disabled ones are left out. */
export const listSilentWebsites = (db: Db, scope: Scope, now: Date): Promise<SilentWebsite[]> =>
  db.orm.$queryRaw`
    SELECT w.id::text AS "websiteId", w.team_id AS "teamId", w.name, h.last_at AS "lastSubmissionAt",
           (extract(epoch FROM h.last_at - h.first_at) / greatest(h.leads - 1, 1))::float8 AS "usualPauseS",
           extract(epoch FROM ${now}::timestamptz - h.last_at)::float8 AS "silentForS"
      FROM ${websitesOf(scope)} w
      JOIN teams ON teams.id = w.team_id AND teams.active
      JOIN lead_habits h ON h.website_id = w.id AND h.silent_at IS NOT NULL
     WHERE NOT w.disabled
     ORDER BY h.last_at LIMIT ${LISTED}`;

/**
 * Counts the submissions of the last days per website, without empty days. The day of `now` is 0 days ago. The days
 * from that before the last count of workers are counted as they are stored, with what was deleted of them.
 */
export const countRecent = (
  db: Db,
  websiteIds: readonly string[],
  days: number,
  now: Date,
): Promise<{ websiteId: string; daysAgo: number; count: number }[]> =>
  db.orm.$queryRaw`
    SELECT w.id::text AS "websiteId", today.day - counts.day AS "daysAgo", sum(counts.leads)::int AS count
      FROM websites w
      CROSS JOIN LATERAL (SELECT (${now}::timestamptz AT TIME ZONE w.time_zone)::date AS day) today
      CROSS JOIN LATERAL (SELECT today.day - ${days}::int + 1 AS first) period
      CROSS JOIN LATERAL (SELECT greatest(period.first, ${storedFrom(now, ZONE)}) AS day) live
      CROSS JOIN LATERAL (
        SELECT c.day, CASE WHEN c.day < live.day THEN ${leadsOfDay(ZONE)} ELSE ${deletedLeads('c')} END AS leads
          FROM daily_counts c
         WHERE c.website_id = w.id AND c.day >= period.first AND c.day <= today.day
        UNION ALL
        SELECT (s.created_at AT TIME ZONE w.time_zone)::date AS day, count(*) AS leads
          FROM submissions s
         WHERE s.website_id = w.id AND s.created_at <= ${now} AND ${isGenuineLead('s')}
           AND s.created_at >= ${dayBegins(sql`live.day`, ZONE)}
         GROUP BY 1) counts
     WHERE w.id = ANY (${[...websiteIds]}::uuid[])
     GROUP BY 1, 2`;
