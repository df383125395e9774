import type { Db, Transaction } from '../../db/client.js';
import { UNBATCHED_LEASE_S, type UnbatchedClaim } from '../../notifications/unbatched-claims.queries.js';
import type { MonthlyReportKey } from './monthly-report.job.js';

/** Maximum number of reports that are handed over at once. */
const BATCH = 500;

/** The language and the time zone of a team without a website. */
const DEFAULTS = { locale: 'fr', timeZone: 'Europe/Paris' } as const;

/** A report that is about to be sent: its claim, its team and its owner. */
type ClaimedReport = UnbatchedClaim &
  Readonly<{
    createdAt: Date;
    teamName: string;
    /** Null: the account no longer owns the team or is disabled, or the team is suspended. */
    recipient: string | null;
    locale: string;
  }>;

/** What a team has chosen about its reports, and a time zone of its websites in which the day is the latest. */
export type ReportSetting = Readonly<{ teamId: number; isSent: boolean; timeZone: string }>;

/**
 * Records a month's reports: one for each owner of the teams that get them.
 *
 * A team gets them from the month on in which it has chosen so. It has its reports of a month at once or not at all: a
 * process of an earlier version, or `set-mail-aside.sql`, may have recorded them.
 */
export async function recordReports(tx: Transaction, month: string): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO monthly_reports (team_id, month, user_id)
    SELECT teams.id, ${`${month}-01`}::date, memberships.user_id
      FROM teams JOIN memberships ON memberships.team_id = teams.id AND memberships.role = 'owner'
      JOIN users ON users.id = memberships.user_id AND users.disabled_at IS NULL
     WHERE teams.active
       AND teams.monthly_report_since < (${`${month}-01`}::date + interval '1 month') AT TIME ZONE 'UTC'
       AND NOT EXISTS (SELECT FROM monthly_reports known
                        WHERE known.team_id = teams.id AND known.month = ${`${month}-01`}::date)
     ORDER BY teams.id, memberships.user_id
    ON CONFLICT DO NOTHING`;
}

/** Finds reports that are due. */
export const findDueReports = (db: Db): Promise<MonthlyReportKey[]> => db.orm.$queryRaw`
  SELECT team_id AS "teamId", to_char(month, 'YYYY-MM') AS month, user_id AS "userId" FROM monthly_reports
   WHERE state = 'pending' AND next_attempt_at <= now() LIMIT ${BATCH}`;

/** Claims a report; null when it is not due. */
export async function takeReport(
  db: Db,
  { teamId, month, userId }: MonthlyReportKey,
): Promise<ClaimedReport | null> {
  const [row] = await db.orm.$queryRaw<ClaimedReport[]>`
    WITH claimed AS (
      UPDATE monthly_reports
         SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${UNBATCHED_LEASE_S})
       WHERE team_id = ${teamId} AND month = ${`${month}-01`}::date AND user_id = ${userId}
         AND state = 'pending' AND next_attempt_at <= now()
      RETURNING *
    )
    SELECT claimed.attempts, claimed.unconfirmed, claimed.created_at AS "createdAt", teams.name AS "teamName",
           CASE WHEN owner.user_id IS NOT NULL AND users.disabled_at IS NULL AND teams.active
                THEN users.email END AS recipient,
           coalesce(users.language::text, (SELECT locale FROM websites WHERE team_id = teams.id
                                            ORDER BY created_at, id LIMIT 1), ${DEFAULTS.locale}) AS locale
      FROM claimed
      JOIN teams ON teams.id = claimed.team_id
      JOIN users ON users.id = claimed.user_id
      LEFT JOIN memberships owner ON owner.team_id = teams.id AND owner.user_id = users.id AND owner.role = 'owner'`;
  return row ?? null;
}

/**
 * Reads what teams have chosen, and a time zone of their websites in which the day is the latest: figures end with it.
 */
export const readSettings = (db: Db, teamIds: readonly number[], now: Date): Promise<ReportSetting[]> => db
  .orm.$queryRaw`
  SELECT teams.id AS "teamId", monthly_report_since IS NOT NULL AS "isSent",
         coalesce((SELECT time_zone FROM websites WHERE team_id = teams.id
                    ORDER BY (${now}::timestamptz AT TIME ZONE time_zone)::date DESC, created_at, id LIMIT 1),
                  ${DEFAULTS.timeZone}) AS "timeZone"
    FROM teams WHERE id = ANY (${[...teamIds]}::int[])`;
