import type { Db, Transaction } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import { UNBATCHED_LEASE_S, type UnbatchedClaim } from '../../notifications/unbatched-claims.queries.js';
import type { Recorded } from '../inbox/submission-fields.js';

/** Maximum e-mails that one run sends. */
const BATCH = 100;

/**
 * Seconds after its end in which a week may still get verdicts: one has the time at which its statement began, and may
 * wait for the lock of a transaction, of a minute at most.
 */
const SETTLING_S = 120;

/** Days for which what has ended is kept. */
const KEPT_DAYS = 90;

/** A week: the day on which it ended, as in 2026-11-30, and its instants. */
export type Week = Readonly<{ week: string; since: Date; until: Date }>;

/** The key of a digest: there is one for each owner of a team and week. */
export type SpamDigestKey = Readonly<{ teamId: number; week: string; userId: number }>;

/** A digest that is about to be sent. */
type ClaimedDigest = UnbatchedClaim &
  Readonly<{
    createdAt: Date;
    since: Date;
    until: Date;
    teamName: string;
    /** Null: the account no longer owns the team or is disabled, or the team is suspended. */
    recipient: string | null;
    /** The language of the account, else of the team's oldest website; null where there is neither. */
    locale: string | null;
  }>;

/** A submission whose e-mail is withheld, with the names of where it came from. */
export type WithheldSubmission = Recorded &
  Readonly<{
    id: string;
    formId: number;
    emails: readonly string[];
    createdAt: Date;
    form: string;
    website: string;
    timeZone: string;
  }>;

/**
 * Selects the submissions `s` of a team that were judged in a period and are withheld still, by the filter and no
 * account.
 */
const withheldOf = (teamId: Prisma.Sql | number, since: Date, until: Date) => Prisma.sql`
  FROM spam_verdicts v
  JOIN submissions s ON s.id = v.submission_id AND s.state = 'spam' AND s.state_changed_by_id IS NULL
   AND s.test_recipient IS NULL
  JOIN notifications n ON n.submission_id = s.id AND n.state = 'withheld'
 WHERE v.team_id = ${teamId} AND v.judged_at >= ${since} AND v.judged_at < ${until}`;

/** Whether no verdict will be dated before a time any more, by PostgreSQL's clock, which may be behind a worker's. */
export async function isSettled(db: Db, until: Date): Promise<boolean> {
  const [row] = await db.orm.$queryRaw<[{ isPast: boolean }]>`
    SELECT now() >= ${until}::timestamptz + make_interval(secs => ${SETTLING_S}) AS "isPast"`;
  return row.isPast;
}

/** Records the digests of a week: one for each owner of the active teams that have something withheld. */
export async function recordSpamDigests(tx: Transaction, { week, since, until }: Week): Promise<number> {
  return tx.$executeRaw`
    INSERT INTO spam_digests (team_id, week, user_id, since, until)
    SELECT t.id, ${week}::date, u.id, ${since}, ${until}
      FROM teams t
      JOIN memberships m ON m.team_id = t.id AND m.role = 'owner'
      JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL
     WHERE t.active AND EXISTS (SELECT 1 ${withheldOf(Prisma.sql`t.id`, since, until)})
     ORDER BY t.id, u.id
    ON CONFLICT DO NOTHING`;
}

/** Deletes the digests that have ended and are no longer kept. */
export async function deleteOldDigests(tx: Transaction, now: Date): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM spam_digests
     WHERE state <> 'pending' AND until < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS}::int)`;
}

/** Finds the digests that are due. */
export const findDueDigests = (db: Db): Promise<SpamDigestKey[]> => db.orm.$queryRaw`
  SELECT team_id AS "teamId", to_char(week, 'YYYY-MM-DD') AS week, user_id AS "userId" FROM spam_digests
   WHERE state = 'pending' AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT ${BATCH}`;

/** Claims a digest for one attempt; null when it is not due. */
export async function takeSpamDigest(
  db: Db,
  { teamId, week, userId }: SpamDigestKey,
): Promise<ClaimedDigest | null> {
  const [row] = await db.orm.$queryRaw<ClaimedDigest[]>`
    WITH claimed AS (
      UPDATE spam_digests
         SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${UNBATCHED_LEASE_S})
       WHERE team_id = ${teamId} AND week = ${week}::date AND user_id = ${userId}
         AND state = 'pending' AND next_attempt_at <= now()
      RETURNING *
    )
    SELECT claimed.attempts, claimed.unconfirmed, claimed.created_at AS "createdAt", claimed.since, claimed.until,
           t.name AS "teamName",
           CASE WHEN t.active AND m.user_id IS NOT NULL AND u.disabled_at IS NULL THEN u.email END AS recipient,
           coalesce(u.language::text, (SELECT locale FROM websites WHERE team_id = t.id
                                        ORDER BY created_at, id LIMIT 1)) AS locale
      FROM claimed
      JOIN teams t ON t.id = claimed.team_id
      JOIN users u ON u.id = claimed.user_id
      LEFT JOIN memberships m ON m.team_id = t.id AND m.user_id = u.id AND m.role = 'owner'`;
  return row ?? null;
}

/** Reads the newest submissions of a team that are withheld since a period, and counts all of them. */
export async function readWithheld(
  db: Db,
  teamId: number,
  { since, until, limit }: Readonly<{ since: Date; until: Date; limit: number }>,
): Promise<{ total: number; newest: WithheldSubmission[] }> {
  const rows = await db.orm.$queryRaw<(WithheldSubmission & { total: number })[]>`
    WITH withheld AS (SELECT s.* ${withheldOf(teamId, since, until)})
    SELECT s.id::text AS id, s.form_id AS "formId", s.locale, s."values", s.consents, s.emails,
           s.created_at AS "createdAt", f.name AS form, w.name AS website, w.time_zone AS "timeZone",
           (SELECT count(*)::int FROM withheld) AS total
      FROM withheld s JOIN forms f ON f.id = s.form_id JOIN websites w ON w.id = s.website_id
     ORDER BY s.created_at DESC, s.id DESC LIMIT ${limit}`;
  return { total: rows[0]?.total ?? 0, newest: rows };
}
