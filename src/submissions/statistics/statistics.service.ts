import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { DAY_MS } from '../../lib/durations.js';
import { groupsOf } from '../../lib/group-by.js';
import {
  countPerDay,
  countPerForm,
  countPerLanguage,
  countPerState,
  countRecent,
  countVerdicts,
  type DayCount,
  type FormCount,
  type LanguageCount,
  listSilentWebsites,
  type OutcomeCount,
  type Period,
  type SilentWebsite,
  type VerdictCount,
} from './statistics.queries.js';
import type { StatisticsFilter } from './statistics.schema.js';
import { breakSubmissionsDown, type SubmissionBreakdownKey } from './submission-breakdown.queries.js';

const USUAL_DAYS = 30;

/** The period of a filter. */
type FilterPeriod = Partial<Pick<StatisticsFilter, 'from' | 'to' | 'firstDay' | 'lastDay'>>;

/** A website or a form; `submissionsBefore` null: compared with nothing. */
export type SubmissionBreakdownItem = Readonly<{
  id: string;
  name: string;
  submissions: number;
  submissionsBefore: number | null;
}>;

export type SubmissionBreakdown = Readonly<{
  /** How many items there are, listed or not. */
  total: number;
  items: SubmissionBreakdownItem[];
}>;

type Wanted = Readonly<{
  by: SubmissionBreakdownKey;
  /** The first of the days before, to compare with; null: compared with nothing. */
  before: string | null;
  limit: number;
}>;

export type Statistics = ReturnType<typeof createStatistics>;

/** Computes statistics about the submissions of a scope. */
export function createStatistics({ db, clock }: { db: Db; clock: Clock }) {
  function periodOf({ from, to, firstDay, lastDay }: FilterPeriod): Period {
    if (firstDay !== undefined && lastDay !== undefined) return { firstDay, lastDay };
    const end = to ?? clock();
    return { from: from ?? new Date(end.getTime() - USUAL_DAYS * DAY_MS), to: end };
  }

  return {
    /** Counts submissions per day in the website's time zone, without empty days. */
    perDay: (scope: Scope, filter: FilterPeriod): Promise<DayCount[]> =>
      countPerDay(db, scope, periodOf(filter), clock()),

    /** Counts the submissions per form and website, highest first, without zeros. */
    perForm: (scope: Scope, filter: FilterPeriod): Promise<FormCount[]> =>
      countPerForm(db, scope, periodOf(filter), clock()),

    /**
     * Lists the websites or forms with the most submissions, each beside its submissions of the days before, which are
     * known for a period of days alone.
     */
    async breakdown(
      scope: Scope,
      filter: FilterPeriod,
      { by, before, limit }: Wanted,
    ): Promise<SubmissionBreakdown> {
      const period = periodOf(filter);
      const compared = before !== null && 'firstDay' in period ? { ...period, firstDay: before } : null;
      const counted = { by, span: compared ?? period, firstDay: compared && (filter.firstDay ?? null) };
      const rows = await breakSubmissionsDown(db, scope, counted, limit, clock());
      const items = rows.map(({ id, name, submissions, submissionsBefore }) => ({
        id,
        name,
        submissions,
        submissionsBefore: compared && submissionsBefore,
      }));
      return { total: rows[0]?.among ?? 0, items };
    },

    /** Counts the submissions per language, highest first. */
    perLanguage: (scope: Scope, filter: FilterPeriod): Promise<LanguageCount[]> =>
      countPerLanguage(db, scope, periodOf(filter)),

    /** Counts the submissions' notifications per state. */
    notificationOutcomes: (scope: Scope, filter: FilterPeriod): Promise<OutcomeCount[]> =>
      countPerState(db, scope, periodOf(filter)),

    /** Counts the verdicts of the captcha steps on the days (UTC) of the period. */
    captchaVerdicts: (scope: Scope, filter: FilterPeriod): Promise<VerdictCount[]> =>
      countVerdicts(db, scope, periodOf(filter)),

    /**
     * Lists the websites from which submissions came and come no more, as workers have found them by their habit. A
     * website is listed until its next submission. Disabled websites are silent on purpose, so the list leaves them
     * out.
     */
    silentWebsites: (scope: Scope): Promise<SilentWebsite[]> => listSilentWebsites(db, scope, clock()),

    /**
     * Counts the submissions of websites on each of the last days in their time zones, oldest first; the last is today.
     */
    async recent(wanted: readonly Readonly<{ websiteId: string; days: number }>[]): Promise<number[][]> {
      const ids = wanted.map(({ websiteId }) => websiteId);
      const most = Math.max(...wanted.map(({ days }) => days));
      const rows = groupsOf(ids, await countRecent(db, ids, most, clock()), ({ websiteId }) => websiteId);
      return wanted.map(({ days }, index) => {
        const counts = Array.from({ length: days }, () => 0);
        for (const { daysAgo, count } of rows[index]!) if (daysAgo < days) counts[days - 1 - daysAgo] = count;
        return counts;
      });
    },
  };
}
