import { type AttemptOutcome, type NotificationState, Prisma } from '../generated/prisma/client.js';
import type { Logger } from '../lib/logger.js';
import type { Database, Transaction } from '../lib/prisma.js';
import { GIVE_UP_AFTER_H, retryPauseS } from './retry.js';

/** How long a claim holds without being renewed: what a dead worker had in hand is due again after it. */
const LEASE_S = 8;
const RENEW_EVERY_MS = 2_000;

/** A notification that is to be tried once more, with its team. */
export type Reopened = Readonly<{ submissionId: string; teamId: number }>;

/** One attempt at one notification, which this process alone may make. */
export type Claim = Readonly<{
  submissionId: string;
  /** Number of the attempt; a claim that was overtaken by a later one changes nothing any more. */
  attempt: number;
  /** Temporary failures of this message before. */
  retries: number;
  /** Recipients who have the message. */
  deliveredTo: readonly string[];
  /** Recipients who are not tried any more. */
  refused: readonly string[];
}>;

/** How an attempt ended, for the log of attempts. */
export type AttemptRecord = Readonly<{
  outcome: AttemptOutcome;
  smtpCode: number | null;
  detail: string;
  /** Whom it addressed. */
  recipients: readonly string[];
  /** Of these, who has the message now, and whom no later attempt can reach. */
  accepted: readonly string[];
  refused: readonly string[];
  startedAt: Date;
  finishedAt: Date;
}>;

export type Claims = ReturnType<typeof createClaims>;

/** The right to make an attempt at a notification, held in PostgreSQL as a lease. */
export function createClaims({ db, log }: { db: Database; log: Logger }) {
  const held = new Map<string, Claim>();
  let timer: NodeJS.Timeout | undefined;

  function hold(claim: Claim): void {
    held.set(claim.submissionId, claim);
    timer ??= setInterval(renew, RENEW_EVERY_MS).unref();
  }

  function letGo({ submissionId }: Claim): void {
    held.delete(submissionId);
    if (held.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function renew(): void {
    const claims = [...held.values()];
    db.$executeRaw`
      UPDATE notifications SET next_attempt_at = now() + make_interval(secs => ${LEASE_S})
        FROM unnest(${claims.map(({ submissionId }) => submissionId)}::uuid[],
                    ${claims.map(({ attempt }) => attempt)}::int[]) AS held (id, attempt)
       WHERE submission_id = held.id AND attempts = held.attempt AND state = 'pending'`.catch(
      (error: Error) => log.warn({ reason: error.message }, 'Claims not renewed'),
    );
  }

  return {
    /** Takes a due notification for one attempt. Null when it is finished, not due, or taken. */
    async take(submissionId: string): Promise<Claim | null> {
      const [row] = await db.$queryRaw<Omit<Claim, 'submissionId'>[]>`
        UPDATE notifications
           SET attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => ${LEASE_S})
         WHERE submission_id = ${submissionId}::uuid AND state = 'pending' AND next_attempt_at <= now()
        RETURNING attempts AS attempt, retries, delivered_to AS "deliveredTo", refused`;
      if (!row) return null;
      const claim = { submissionId, ...row };
      hold(claim);
      return claim;
    },

    /** Stops renewing a claim; what was not recorded is due again when the lease lapses. */
    letGo,

    /** Ends a notification without an attempt at the mail server. */
    async finish({ submissionId, attempt }: Claim, state: NotificationState): Promise<void> {
      await db.$executeRaw`
        UPDATE notifications SET state = ${state}::notification_state
         WHERE submission_id = ${submissionId}::uuid AND attempts = ${attempt} AND state = 'pending'`;
    },

    /** Puts a notification off without an attempt; its pauses do not grow. */
    async postpone({ submissionId, attempt }: Claim, pauseMs: number): Promise<void> {
      await db.$executeRaw`
        UPDATE notifications SET next_attempt_at = now() + make_interval(secs => ${pauseMs / 1000})
         WHERE submission_id = ${submissionId}::uuid AND attempts = ${attempt} AND state = 'pending'`;
    },

    /**
     * Records an attempt and what follows from it, in one statement that may be repeated. Who has the message
     * is remembered even if the claim was overtaken meanwhile; nothing else is, then. When nobody is left to
     * try, the notification is `sent` if anybody has it.
     *
     * @param isOwnFailure whether a deferral was about this message, so that its pauses grow and it ends
     *   after two days; a mail server that is away is waited for however long it takes.
     */
    async record(claim: Claim, ended: AttemptRecord, isOwnFailure: boolean): Promise<NotificationState> {
      const { submissionId, attempt, retries } = claim;
      const { outcome, recipients, accepted, refused } = ended;
      const pauseS = retryPauseS(isOwnFailure ? retries : 0);
      const isCurrent = Prisma.sql`(attempts = ${attempt} AND state = 'pending')`;
      const isRetried = Prisma.sql`(${outcome} = 'deferred' AND NOT (${isOwnFailure} AND
        retrying_since < now() - make_interval(hours => ${GIVE_UP_AFTER_H})))`;
      const unreached = recipients.filter((each) => !accepted.includes(each));
      const [row] = await db.$queryRaw<{ state: NotificationState }[]>`
        WITH logged AS (
          INSERT INTO notification_attempts
            (submission_id, number, outcome, smtp_code, detail, recipients, started_at, finished_at)
          SELECT submission_id, ${attempt}, ${outcome}::attempt_outcome, ${ended.smtpCode}::int, ${ended.detail},
                 ${[...recipients]}::text[], ${ended.startedAt}, ${ended.finishedAt}
            FROM notifications WHERE submission_id = ${submissionId}::uuid
          ON CONFLICT DO NOTHING
        )
        UPDATE notifications SET
          delivered_to = ARRAY(SELECT unnest(delivered_to) UNION SELECT unnest(${[...accepted]}::text[]) ORDER BY 1),
          refused = CASE WHEN ${isCurrent} THEN ARRAY(
            SELECT unnest(refused) UNION
            SELECT unnest(CASE WHEN ${isRetried} THEN ${[...refused]}::text[] ELSE ${unreached}::text[] END) ORDER BY 1)
            ELSE refused END,
          state = CASE
            WHEN state = 'sent' OR ${outcome} = 'sent' THEN 'sent'
            WHEN NOT ${isCurrent} THEN state
            WHEN ${isRetried} THEN 'pending'
            WHEN delivered_to <> '{}' OR ${accepted.length > 0} THEN 'sent'
            ELSE 'failed' END::notification_state,
          sent_at = CASE WHEN ${accepted.length > 0} THEN ${ended.finishedAt} ELSE sent_at END,
          retries = retries + CASE WHEN ${isCurrent} AND ${outcome === 'deferred' && isOwnFailure} THEN 1 ELSE 0 END,
          next_attempt_at = CASE WHEN ${isCurrent}
            THEN now() + make_interval(secs => ${pauseS}) ELSE next_attempt_at END
         WHERE submission_id = ${submissionId}::uuid
        RETURNING state`;
      return row?.state ?? 'pending';
    },

    /** Asks for the e-mails of finished notifications again. @returns those for which there is something to repeat. */
    reopen(tx: Transaction, submissionIds: readonly string[]): Promise<Reopened[]> {
      return tx.$queryRaw<Reopened[]>`
        WITH finished AS (
          SELECT submission_id FROM notifications
           WHERE submission_id = ANY (${[...submissionIds]}::uuid[])
             AND state IN ('failed', 'skipped_quota', 'no_recipient')
           ORDER BY submission_id FOR UPDATE
        )
        UPDATE notifications n
           SET state = 'pending', refused = '{}', retries = 0, retrying_since = now(), next_attempt_at = now()
          FROM finished JOIN submissions s ON s.id = finished.submission_id
         WHERE n.submission_id = finished.submission_id
        RETURNING n.submission_id::text AS "submissionId", s.team_id AS "teamId"`;
    },
  };
}
