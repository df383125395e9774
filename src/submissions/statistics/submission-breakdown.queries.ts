import type { Scope } from '../../auth/policy.js';
import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import { countedDays, type Period, websitesOf } from './statistics.queries.js';

const { sql } = Prisma;

/** What submissions are broken down by. */
export type SubmissionBreakdownKey = 'website' | 'form';

/** Selects what is counted. */
type Counted = Readonly<{
  by: SubmissionBreakdownKey;
  /** The period with the days before it. */
  span: Period;
  /** The first day of the period itself; null: that of the span. */
  firstDay: string | null;
}>;

type SubmissionBreakdownRow = Readonly<{
  id: string;
  name: string;
  /** How many items there are, listed or not. */
  among: number;
  submissions: number;
  submissionsBefore: number;
}>;

const KEYS = {
  website: { id: sql`w.id`, table: sql`websites` },
  form: { id: sql`days.form_id`, table: sql`forms` },
} as const satisfies Record<SubmissionBreakdownKey, object>;

/** Counts the submissions of each website or form, highest first, without zeros, each beside the days before. */
export function breakSubmissionsDown(
  db: Db,
  scope: Scope,
  { by, span, firstDay }: Counted,
  limit: number,
  now: Date,
): Promise<SubmissionBreakdownRow[]> {
  const { id, table } = KEYS[by];
  const isNow = firstDay === null ? sql`TRUE` : sql`days.day >= ${firstDay}::date`;
  return db.orm.$queryRaw`
    WITH listed AS (
      SELECT ${id} AS id, (count(*) OVER ())::int AS among,
             sum(days.count) FILTER (WHERE ${isNow})::int AS submissions,
             coalesce(sum(days.count) FILTER (WHERE NOT ${isNow}), 0)::int AS before
        FROM ${websitesOf(scope)} w CROSS JOIN ${countedDays(scope, span, now)}
       GROUP BY 1 HAVING sum(days.count) FILTER (WHERE ${isNow}) > 0
       ORDER BY submissions DESC, id LIMIT ${limit}
    )
    SELECT listed.id::text AS id, named.name, among, submissions, before AS "submissionsBefore"
      FROM listed JOIN ${table} named ON named.id = listed.id
     ORDER BY submissions DESC, listed.id`;
}
