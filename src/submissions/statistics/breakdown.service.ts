import type { Db } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { DAY_MS } from '../../lib/durations.js';
import { joinInFlight } from '../../lib/join-in-flight.js';
import { KEPT_MONTHS } from '../../visits/retention.js';
import type { VisitScope } from '../../visits/visit-statistics.queries.js';
import { type BreakdownKey, type BreakdownScope, breakDown, type Days } from './breakdown.queries.js';
import { dayText, type StepUnit, stepsOf, unitFor } from './steps.js';

/** An item with its counts; null: not counted by this attribute, or not known of the days before. */
export type BreakdownItem = Readonly<{
  value: string | null;
  pageViews: number | null;
  pageViewsBefore: number | null;
  submissions: number | null;
  submissionsBefore: number | null;
  pageViewsPerStep: number[] | null;
  submissionsPerStep: number[] | null;
}>;

export type Breakdown = Readonly<{
  unit: StepUnit;
  /** The first days of the steps. */
  steps: string[];
  /** How many items there are, listed or not. */
  total: number;
  items: BreakdownItem[];
}>;

type Wanted = Readonly<{
  by: BreakdownKey;
  /** The first of the days before, to compare with; null: compared with nothing. */
  before: Date | null;
  limit: number;
}>;

const daysOf = (from: Date, to: Date): Days => ({
  first: dayText(from),
  last: dayText(new Date(to.getTime() - DAY_MS)),
});

export type Breakdowns = ReturnType<typeof createBreakdowns>;

/** Breaks the statistics of a period down by page, source or language. */
export function createBreakdowns({ db, clock }: { db: Db; clock: Clock }) {
  /** Tells whether the visits since an instant have not been deleted for their age. */
  function areVisitsKept(since: Date): boolean {
    const now = clock();
    const kept = new Date(now);
    kept.setUTCMonth(now.getUTCMonth() - KEPT_MONTHS);
    // A month without that day ends before it, as PostgreSQL reckons when it deletes them.
    if (kept.getUTCDate() !== now.getUTCDate()) kept.setUTCDate(0);
    return since >= kept;
  }

  /** Several people of a team look at the same figures, which take the database long to count. */
  const read = joinInFlight((asked: BreakdownScope, limit: number) => breakDown(db, asked, limit));

  return {
    /**
     * Lists the items with the highest counts, each with its course over the period and its counts of the days before.
     *
     * Page views are counted by days in UTC, submissions by those of their website. Deleted ones count no more.
     */
    async of(scope: VisitScope, { by, before, limit }: Wanted): Promise<Breakdown> {
      const { teamId, websiteId, from, to } = scope;
      const unit = unitFor(scope);
      const steps = stepsOf(scope, unit);
      const rows = await read(
        {
          teamId,
          websiteId,
          by,
          unit,
          days: daysOf(from, to),
          before: before && daysOf(before, from),
        },
        limit,
      );
      const [hasViews, hasLeads] = [by !== 'language', by !== 'page'];
      const areViewsKnownBefore = before !== null && areVisitsKept(before);
      const items = rows.map((row) => {
        const course = (counts: readonly number[]) => {
          const byStep = new Map(row.steps.map((step, index) => [step, counts[index]!]));
          return steps.map((step) => byStep.get(step) ?? 0);
        };
        return {
          value: row.value,
          pageViews: hasViews ? row.views : null,
          pageViewsBefore: hasViews && areViewsKnownBefore ? row.viewsBefore : null,
          submissions: hasLeads ? row.leads : null,
          submissionsBefore: hasLeads && before ? row.leadsBefore : null,
          pageViewsPerStep: hasViews ? course(row.stepViews) : null,
          submissionsPerStep: hasLeads ? course(row.stepLeads) : null,
        };
      });
      return { unit, steps, total: rows[0]?.among ?? 0, items };
    },
  };
}
