import type { z } from 'zod';
import type { Viewer } from '../../auth/viewer.js';
import type { Db } from '../../db/client.js';
import { type CaptchaVerdict, type NotificationState, Prisma } from '../../generated/prisma/client.js';
import type { Clock } from '../../lib/clock.js';
import { isPeriod, narrowing, type Scope, scopeOf } from '../inbox/inbox-filter.schema.js';

const { sql, join } = Prisma;

const DAY_MS = 86_400_000;

/** The longest period of the statistics, in days. */
const LONGEST_DAYS = 366;

const USUAL_DAYS = 30;

/** Maximum number of rows in a list: those with the highest counts, or the websites that are silent longest. */
const LISTED = 500;

/** The sample that a website's usual pause is computed from: its newest submissions of the last `days`. */
const HABIT = { days: 60, newest: 100, atLeast: 5 };

/** A website is silent when it has had no submission for this many usual pauses and for this many days. */
const SILENT = { pauses: 5, days: 3 };

/** Validates the filter of the statistics. The default period is the last thirty days. */
export const statisticsFilterSchema = narrowing
  .refine(isPeriod, { path: ['to'], error: 'must be after from' })
  .refine(({ from, to }) => !from || (to ?? new Date()).getTime() - from.getTime() <= LONGEST_DAYS * DAY_MS, {
    path: ['from'],
    error: `must be ${LONGEST_DAYS} days before the end at most`,
  });

export type StatisticsFilter = z.output<typeof statisticsFilterSchema>;

/** The submissions of a day; `day` is written as in `2026-11-21`. */
export type DayCount = Readonly<{ day: string; count: number }>;

export type FormCount = Readonly<{ websiteId: string; formId: number; count: number }>;

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

export type Statistics = ReturnType<typeof createStatistics>;

/** Computes statistics about the submissions that a viewer may see. */
export function createStatistics({ db, clock }: { db: Db; clock: Clock }) {
  function periodOf({ from, to }: StatisticsFilter): { from: Date; to: Date } {
    const end = to ?? clock();
    return { from: from ?? new Date(end.getTime() - USUAL_DAYS * DAY_MS), to: end };
  }

  /** Returns the websites within a scope, as a subquery. */
  const websitesOf = ({ teamIds, websiteIds }: Scope) => sql`(
    SELECT id, team_id, name, disabled, time_zone FROM websites
     WHERE ${teamIds ? sql`team_id = ANY (${[...teamIds]}::int[])` : sql`TRUE`}
       AND ${websiteIds ? sql`id = ANY (${[...websiteIds]}::uuid[])` : sql`TRUE`})`;

  /** Returns the condition that selects the submissions `s` of a website `w`, for the website's index. */
  function counted({ formIds }: Scope, filter: StatisticsFilter): Prisma.Sql {
    const { from, to } = periodOf(filter);
    return join(
      [
        sql`s.website_id = w.id AND s.created_at >= ${from} AND s.created_at < ${to}`,
        ...(formIds ? [sql`s.form_id = ANY (${[...formIds]}::int[])`] : []),
      ],
      ' AND ',
    );
  }

  const inView = (viewer: Viewer, filter: StatisticsFilter) => scopeOf(db, viewer, filter);

  return {
    /** Counts submissions per day in the website's time zone, without empty days. @throws 404 for another's team. */
    async perDay(viewer: Viewer, filter: StatisticsFilter): Promise<DayCount[]> {
      const scope = await inView(viewer, filter);
      return db.orm.$queryRaw<DayCount[]>`
        SELECT day::text AS day, sum(count)::int AS count
          FROM ${websitesOf(scope)} w CROSS JOIN LATERAL (
            SELECT (s.created_at AT TIME ZONE w.time_zone)::date AS day, count(*) AS count
              FROM submissions s WHERE ${counted(scope, filter)} GROUP BY 1) days
         GROUP BY 1 ORDER BY 1`;
    },

    /** Counts the submissions per form and website, highest first, without zeros. @throws 404 for another's team. */
    async perForm(viewer: Viewer, filter: StatisticsFilter): Promise<FormCount[]> {
      const scope = await inView(viewer, filter);
      return db.orm.$queryRaw<FormCount[]>`
        SELECT w.id::text AS "websiteId", forms.form_id AS "formId", forms.count
          FROM ${websitesOf(scope)} w CROSS JOIN LATERAL (
            SELECT s.form_id, count(*)::int AS count
              FROM submissions s WHERE ${counted(scope, filter)} GROUP BY 1) forms
         ORDER BY count DESC, w.id, form_id LIMIT ${LISTED}`;
    },

    /** Counts the submissions' notifications per state. @throws 404 for another's team. */
    async notificationOutcomes(viewer: Viewer, filter: StatisticsFilter): Promise<OutcomeCount[]> {
      const scope = await inView(viewer, filter);
      return db.orm.$queryRaw<OutcomeCount[]>`
        SELECT n.state::text AS state, count(*)::int AS count
          FROM ${websitesOf(scope)} w JOIN submissions s ON ${counted(scope, filter)}
          JOIN notifications n ON n.submission_id = s.id
         GROUP BY 1 ORDER BY 1`;
    },

    /** Counts the verdicts of the captcha steps on the days (UTC) of the period. @throws 404 for another's team. */
    async captchaVerdicts(viewer: Viewer, filter: StatisticsFilter): Promise<VerdictCount[]> {
      const scope = await inView(viewer, filter);
      const { from, to } = periodOf(filter);
      return db.orm.$queryRaw<VerdictCount[]>`
        SELECT website_id::text AS "websiteId", link_key AS "stepKey", verdict::text AS verdict,
               sum(count)::int AS count
          FROM ${websitesOf(scope)} w JOIN captcha_counts c ON c.website_id = w.id
         WHERE day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date
           AND day <= (${to}::timestamptz AT TIME ZONE 'UTC')::date
         GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT ${LISTED}`;
    },

    /**
     * Lists the websites that have stopped sending submissions, measured by their own usual pause.
     *
     * The usual pause is the average between the newest submissions of the last sixty days (a hundred at most, five
     * at least). A website is silent when it has had no submission for five usual pauses and for three days.
     * Disabled websites are silent on purpose, so the list leaves them out.
     *
     * @throws 404 for another's team.
     */
    async silentWebsites(viewer: Viewer, teamId: number | undefined): Promise<SilentWebsite[]> {
      const scope = await scopeOf(db, viewer, { teamId, websiteIds: undefined, formIds: undefined });
      const now = clock();
      const since = new Date(now.getTime() - HABIT.days * DAY_MS);
      return db.orm.$queryRaw<SilentWebsite[]>`
        SELECT w.id::text AS "websiteId", w.team_id AS "teamId", w.name, habit.last AS "lastSubmissionAt",
               habit.pause_s::float8 AS "usualPauseS",
               extract(epoch FROM ${now}::timestamptz - habit.last)::float8 AS "silentForS"
          FROM ${websitesOf(scope)} w
          JOIN teams ON teams.id = w.team_id AND teams.active
          CROSS JOIN LATERAL (
            SELECT max(created_at) AS last, count(*) AS count,
                   extract(epoch FROM max(created_at) - min(created_at)) / nullif(count(*) - 1, 0) AS pause_s
              FROM (SELECT s.created_at FROM submissions s
                     WHERE s.website_id = w.id AND s.created_at >= ${since} AND s.created_at <= ${now}
                     ORDER BY s.created_at DESC LIMIT ${HABIT.newest}) newest) habit
         WHERE NOT w.disabled AND habit.count >= ${HABIT.atLeast}
           AND extract(epoch FROM ${now}::timestamptz - habit.last)
               > greatest(${SILENT.pauses}::int * habit.pause_s, ${SILENT.days * 86_400}::int)
         ORDER BY habit.last LIMIT ${LISTED}`;
    },
  };
}
