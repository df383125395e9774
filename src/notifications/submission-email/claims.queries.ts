import type { Db } from '../../db/client.js';
import { type AttemptOutcome, type NotificationState, Prisma } from '../../generated/prisma/client.js';
import { claimQuotasBelowNotice } from '../../plans/quota.queries.js';
import { insertDeliveries } from '../../webhooks/outbox.queries.js';
import { waitingSince } from '../backlog.queries.js';
import { RETRY_FOR_H, retryPauseS, unconfirmedPauseS } from '../retry.js';
import type { EmailSource } from './email-source.queries.js';
import type { NotifiedSubmission } from './submission-email.js';

/** Seconds that a lease lasts without renewal; then what a dead worker had in flight is due again. */
export const SUBMISSION_EMAIL_LEASE_S = 8;

/** A claim to one attempt at one e-mail, which only this process may make. */
export type Claim = Readonly<{
  /** The e-mail. */
  id: string;
  /** Number of the attempt, which is the fencing token: a claim with an outdated one no longer changes the state. */
  attempt: number;
  /** Earlier temporary failures of this message. */
  retries: number;
  /** Earlier attempts that the mail server never confirmed. */
  unconfirmed: number;
  /** Recipients who have the message. */
  deliveredTo: readonly string[];
  /** Recipients that no retry will address. */
  refused: readonly string[];
}>;

/** An ended attempt, and whether its failure concerns this message rather than the mail server. */
export type Ended = Readonly<{ claim: Claim; record: AttemptRecord; isOwnFailure: boolean }>;

/** A claim with the submission that its e-mail is about. */
export type Taken = Claim &
  NotifiedSubmission &
  Readonly<{
    /** The id of the request that sent the submission; null when an earlier version recorded it. */
    requestId: string | null;
    /** The span of that request; null when it was not traced. */
    traceParent: string | null;
    /** When the submission was recorded, or its e-mail released or sent again, or deferred first. */
    waitingSince: Date;
    /** The recipients of this attempt. */
    addressed: readonly string[];
    /** Whether the notification has its unit of the quota; if not, `claimQuota` may still give it one. */
    isInQuota: boolean;
    /** Notifications per month in the team's plan; null: no limit. */
    quota: number | null;
  }>;

/** The outcome of an attempt, for the log of attempts. */
export type AttemptRecord = Readonly<{
  outcome: AttemptOutcome;
  smtpCode: number | null;
  detail: string;
  /** The recipients that the attempt addressed. */
  recipients: readonly string[];
  /** Of these, the recipients who have the message now, and those that no retry can reach. */
  accepted: readonly string[];
  refused: readonly string[];
  /** The server's words by recipient, where they differ; else `detail` is about every recipient. */
  answers?: Readonly<Record<string, string>> | undefined;
  startedAt: Date;
  finishedAt: Date;
}>;

/** A claim whose lease is to be renewed, and whether its attempt has begun. */
export type Renewal = Claim & Readonly<{ hasBegun: boolean }>;

/** Returns the condition that the e-mail of a submission in this state may go: spam is withheld. */
const mayGo = ({ withholdsSpam }: EmailSource, submissionState: Prisma.Sql): Prisma.Sql =>
  withholdsSpam ? Prisma.sql`(${submissionState} <> 'spam' OR delivered_to <> '{}')` : Prisma.sql`true`;

/**
 * Extends the leases of claims that are current, and returns those claims. It leaves out those that wait to begin while
 * their e-mails are to be withheld.
 *
 * `renewLeases`, `takeEmails` and `recordAttempts` lock e-mails in the order of their ids, so that two cannot deadlock.
 */
export function renewLeases(
  db: Db,
  source: EmailSource,
  claims: readonly Renewal[],
): Promise<{ id: string; attempt: number }[]> {
  const { emails, key } = source;
  const submissionState = Prisma.sql`(SELECT s.state FROM submissions s WHERE s.id = emails.submission_id)`;
  return db.orm.$queryRaw`
    WITH held AS MATERIALIZED (
      SELECT ${key}
        FROM ${emails} emails
        JOIN unnest(${claims.map(({ id }) => id)}::uuid[],
                    ${claims.map(({ attempt }) => attempt)}::int[],
                    ${claims.map(({ hasBegun }) => hasBegun)}::boolean[]) AS claim (id, attempt, has_begun)
          ON ${key} = claim.id AND attempts = claim.attempt AND state = 'pending'
             AND (has_begun OR ${mayGo(source, submissionState)})
       ORDER BY ${key} FOR NO KEY UPDATE OF emails
    )
    -- A lease that was extended meanwhile is not shortened.
    UPDATE ${emails} n
       SET next_attempt_at = greatest(next_attempt_at, now() + make_interval(secs => ${SUBMISSION_EMAIL_LEASE_S}))
      FROM held WHERE n.${key} = held.${key}
    RETURNING n.${key}::text AS id, n.attempts AS attempt`;
}

/**
 * Claims those of the e-mails that are due and not to be withheld for one attempt each, with a unit of the quota where
 * one is left.
 */
export function takeEmails(db: Db, source: EmailSource, ids: readonly string[]): Promise<Taken[]> {
  const { name, emails, key, recipients, request } = source;
  const statement = Prisma.sql`
    WITH due AS MATERIALIZED (
      -- Found by id, also by a planner that believes that nothing is due: what is due may be very much.
      SELECT ${key} AS id, submission_id, quota_claimed_at, delivered_to, refused FROM ${emails}
       WHERE ${key} = ANY (${[...ids]}::uuid[])
         AND coalesce(state = 'pending' AND next_attempt_at <= now(), false)
       ORDER BY ${key} FOR NO KEY UPDATE
    ), subject AS MATERIALIZED (
      -- Each of these is found by its key; joins would be planned longer than the whole statement takes.
      SELECT due.*, s.team_id, s.website_id, s.form_id, s.request_id, s.trace_parent, s."values", s.undeclared, s.emails,
             s.page_url, s.page_title, s.attribution, s.needs_review, s.created_at,
             date_trunc('month', s.created_at AT TIME ZONE 'UTC')::date AS month,
             (SELECT jsonb_build_object('name', name, 'host', host, 'locale', locale, 'timeZone', time_zone)
                FROM websites WHERE id = s.website_id) AS website,
             (SELECT notifications_per_month FROM plans WHERE id =
               (SELECT plan_id FROM teams WHERE id = s.team_id)) AS quota,
             ${recipients} AS recipients, ${request} AS request
        FROM due JOIN submissions s ON s.id = due.submission_id AND ${mayGo(source, Prisma.sql`s.state`)}
    ), message AS MATERIALIZED (
      SELECT *, ARRAY(SELECT address FROM unnest(recipients) AS address
                       WHERE address ~ '\\S' AND address <> ALL (delivered_to || refused)) AS addressed
        FROM subject
    ), asking AS MATERIALIZED (
      SELECT team_id, month, quota FROM message WHERE quota_claimed_at IS NULL AND addressed <> '{}'
    ), counted AS (${claimQuotasBelowNotice(Prisma.sql`asking`)})
    UPDATE ${emails} n
       SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${SUBMISSION_EMAIL_LEASE_S}),
           quota_claimed_at = coalesce(n.quota_claimed_at,
             CASE WHEN counted.team_id IS NOT NULL AND addressed <> '{}' THEN now() END)
      FROM message m LEFT JOIN counted USING (team_id, month)
     WHERE n.${key} = m.id AND n.${key} = ANY (${[...ids]}::uuid[])
    RETURNING m.id::text AS id, m.submission_id::text AS "submissionId", n.attempts AS attempt, n.retries,
              n.unconfirmed, n.delivered_to AS "deliveredTo", n.refused,
              n.quota_claimed_at IS NOT NULL AS "isInQuota", team_id AS "teamId",
              website_id::text AS "websiteId", form_id AS "formId", request_id AS "requestId",
              trace_parent AS "traceParent", "values", undeclared, emails, page_url AS "pageUrl",
              page_title AS "pageTitle", attribution, needs_review AS "needsReview", m.created_at AS "createdAt",
              ${waitingSince('n')} AS "waitingSince", website, quota, m.recipients, m.request, addressed`;
  return db.sql(statement, `take-${name}`);
}

/** Maps an ended attempt to a row of the statement that records it. */
function rowOf({ claim, record, isOwnFailure }: Ended) {
  const { outcome, smtpCode, detail, recipients, accepted, refused, answers, startedAt, finishedAt } = record;
  return {
    id: claim.id,
    attempt: claim.attempt,
    is_own_failure: isOwnFailure,
    pause_s:
      outcome === 'unknown'
        ? unconfirmedPauseS(claim.unconfirmed)
        : retryPauseS(isOwnFailure ? claim.retries : 0),
    outcome,
    smtp_code: smtpCode,
    detail,
    answers,
    recipients,
    accepted,
    refused,
    unreached: recipients.filter((each) => !accepted.includes(each)),
    started_at: startedAt,
    finished_at: finishedAt,
  };
}

/** The submissions whose e-mail a statement has ended as failed, as subjects of an event; a test lead is none. */
const FAILED = Prisma.sql`(
          SELECT s.team_id, s.website_id, s.form_id, s.id AS submission_id,
                 jsonb_build_object('state', s.state, 'notification', jsonb_build_object(
                   'outcome', outcome, 'detail', detail, 'smtp_code', smtp_code, 'recipients', recipients)) AS payload
            FROM updated JOIN submissions s ON s.id = submission_id
           WHERE updated.state = 'failed' AND is_current AND s.test_recipient IS NULL)`;

/** Records attempts and their consequences, and returns the states that result. */
export function recordAttempts(
  db: Db,
  { name, emails, attempts: log, key }: EmailSource,
  attempts: readonly Ended[],
): Promise<{ id: string; state: NotificationState }[]> {
  const ids = attempts.map(({ claim }) => claim.id);
  const statement = Prisma.sql`
    WITH ended AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(attempts.map(rowOf))}::json) AS ended(
        id uuid, attempt int, is_own_failure boolean, pause_s float8, outcome attempt_outcome,
        smtp_code int, detail text, answers jsonb, recipients text[], accepted text[], refused text[],
        unreached text[], started_at timestamptz, finished_at timestamptz
      )
    ), locked AS MATERIALIZED (
      SELECT ${key} AS id, attempts, state, retries, retrying_since FROM ${emails}
       WHERE ${key} = ANY (${ids}::uuid[])
       ORDER BY ${key} FOR NO KEY UPDATE
    ), judged AS MATERIALIZED (
      SELECT ended.*, attempts = attempt AND state = 'pending' AS is_current,
             CASE outcome
               WHEN 'unknown' THEN pause_s IS NOT NULL
               WHEN 'deferred' THEN NOT (is_own_failure AND retries > 0 AND
                 retrying_since < now() - make_interval(hours => ${RETRY_FOR_H}))
               ELSE false END AS is_retried
        FROM ended JOIN locked USING (id)
    ), logged AS (
      INSERT INTO ${log}
        (${key}, number, outcome, smtp_code, detail, answers, recipients, started_at, finished_at)
      SELECT id, attempt, outcome, smtp_code, detail, answers, recipients, started_at, finished_at
        FROM judged
      ON CONFLICT DO NOTHING
    ), updated AS (
    UPDATE ${emails} n SET
      delivered_to = ARRAY(SELECT unnest(n.delivered_to) UNION SELECT unnest(accepted) ORDER BY 1),
      refused = CASE WHEN is_current THEN ARRAY(
        SELECT unnest(n.refused) UNION
        SELECT unnest(CASE WHEN is_retried THEN judged.refused ELSE unreached END) ORDER BY 1)
        ELSE n.refused END,
      state = CASE
        WHEN n.state = 'sent' OR outcome = 'sent' THEN 'sent'
        WHEN NOT is_current THEN n.state
        WHEN is_retried THEN 'pending'
        WHEN n.delivered_to <> '{}' OR accepted <> '{}' THEN 'sent'
        ELSE 'failed' END::notification_state,
      sent_at = CASE WHEN accepted <> '{}' THEN finished_at ELSE sent_at END,
      retries = retries + CASE WHEN is_current AND outcome = 'deferred' AND is_own_failure THEN 1 ELSE 0 END,
      -- From the first failure of its own: an outage of the mail server brings no e-mail nearer to its end.
      retrying_since = CASE WHEN is_current AND outcome = 'deferred' AND is_own_failure AND n.retries = 0
        THEN now() ELSE n.retrying_since END,
      unconfirmed = unconfirmed + CASE WHEN outcome = 'unknown' THEN 1 ELSE 0 END,
      next_attempt_at = CASE WHEN is_current AND is_retried
        THEN now() + make_interval(secs => pause_s) ELSE next_attempt_at END
      FROM judged
     WHERE n.${key} = judged.id AND n.${key} = ANY (${ids}::uuid[])
    RETURNING n.${key} AS id, n.submission_id, n.state, outcome, judged.detail, judged.smtp_code,
              judged.recipients, is_current
    ), webhook AS (${insertDeliveries('notification.failed', FAILED)}
    )
    SELECT id::text, state FROM updated`;
  return db.sql(statement, `record-${name}`);
}

/** Ends an e-mail that is claimed, without an attempt. One that fails does so with the words of its last attempt. */
export async function endEmail(
  db: Db,
  { emails, attempts: log, key }: EmailSource,
  { id, attempt }: Claim,
  state: NotificationState,
): Promise<void> {
  await db.orm.$executeRaw`
    WITH ended AS (
      UPDATE ${emails} SET state = ${state}::notification_state
       WHERE ${key} = ${id}::uuid AND attempts = ${attempt} AND state = 'pending'
      RETURNING submission_id
    ), updated AS (
      SELECT ended.submission_id, ${state} AS state, true AS is_current, 'failed' AS outcome, last.*
        FROM ended CROSS JOIN LATERAL (
          SELECT detail, smtp_code, recipients FROM ${log}
           WHERE ${key} = ${id}::uuid ORDER BY number DESC LIMIT 1) last
    ), webhook AS (${insertDeliveries('notification.failed', FAILED)}
    )
    SELECT FROM ended`;
}

/** Makes a claimed e-mail due again after a pause, for which a recipient holds it back, or at once. */
export async function postponeEmail(
  db: Db,
  { emails, key }: EmailSource,
  { id, attempt }: Claim,
  pauseMs: number,
): Promise<void> {
  const pauseS = pauseMs / 1000;
  await db.orm.$executeRaw`
    UPDATE ${emails}
       SET next_attempt_at = now() + make_interval(secs => ${pauseS}),
           held_back_until = now() + make_interval(secs => nullif(${pauseS}::float8, 0))
     WHERE ${key} = ${id}::uuid AND attempts = ${attempt} AND state = 'pending'`;
}
