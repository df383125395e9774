import type { Db } from '../db/client.js';
import { isLead } from '../db/test-leads.queries.js';

/** A team's usage in a calendar month (UTC). */
export type MonthlyUsage = Readonly<{
  /** The month, as in 2026-11. */
  month: string;
  submissions: number;
  notificationsUsed: number;
}>;

const MONTHS = 12;

type Row = MonthlyUsage & Readonly<{ teamId: number }>;

/** Reads the usage of each team in the last twelve months, the current month first. */
export function readUsage(db: Db, teamIds: readonly number[], current: Date): Promise<Row[]> {
  return db.orm.$queryRaw<Row[]>`
    SELECT teams.id AS "teamId", to_char(months.month, 'YYYY-MM') AS month,
           coalesce(usage.used, 0) AS "notificationsUsed",
           (SELECT count(*)::int FROM submissions
             WHERE team_id = teams.id AND ${isLead('submissions')}
               AND created_at >= months.month AT TIME ZONE 'UTC'
               AND created_at < (months.month + interval '1 month') AT TIME ZONE 'UTC') AS submissions
      FROM unnest(${[...new Set(teamIds)]}::int[]) AS teams (id)
     CROSS JOIN generate_series(0, ${MONTHS - 1}::int) AS past (months)
     CROSS JOIN LATERAL (SELECT ${current.toISOString()}::timestamp - make_interval(months => past.months)
                                AS month) AS months
      LEFT JOIN quota_usages AS usage ON usage.team_id = teams.id AND usage.month = months.month::date
     ORDER BY teams.id, months.month DESC`;
}
