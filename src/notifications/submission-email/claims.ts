import { createBatchedWrite } from '../../db/batched-write.js';
import type { Db } from '../../db/client.js';
import type { NotificationState } from '../../generated/prisma/client.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import {
  type AttemptRecord,
  type Claim,
  type Ended,
  endEmail,
  postponeEmail,
  recordAttempts,
  renewLeases,
  SUBMISSION_EMAIL_LEASE_S,
  type Taken,
  takeEmails,
} from './claims.queries.js';
import type { EmailSource } from './email-source.queries.js';
import { withholdDueSpam } from './reopening.queries.js';

const RENEW_EVERY_MS = 2_000;

export type Claims = ReturnType<typeof createClaims>;

type Services = { db: Db; log: Logger; source: EmailSource };

/** Claims e-mails of a kind for one attempt each, by a lease in PostgreSQL. Concurrent calls are micro-batched. */
export function createClaims({ db, log, source }: Services) {
  const warn = limitLog(log);
  /** Leases to renew, each with its expiry on the monotonic clock. */
  const leases = new Map<string, { claim: Claim; until: number; hasBegun: boolean }>();
  let timer: NodeJS.Timeout | undefined;

  /** Adds a claim's lease to those that are renewed. @param since when the statement that took the claim began */
  function startRenewing(claim: Claim, since: number): void {
    leases.set(claim.id, { claim, until: since + SUBMISSION_EMAIL_LEASE_S * 1000, hasBegun: false });
    timer ??= setInterval(renew, RENEW_EVERY_MS).unref();
  }

  function release({ id, attempt }: Claim): void {
    if (leases.get(id)?.claim.attempt === attempt) leases.delete(id);
    if (leases.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  async function renew(): Promise<void> {
    const claims = [...leases.values()].map(({ claim, hasBegun }) => ({ ...claim, hasBegun }));
    const since = performance.now();
    try {
      const rows = await renewLeases(db, source, claims);
      for (const { id, attempt } of rows) {
        const found = leases.get(id);
        if (found?.claim.attempt === attempt) found.until = since + SUBMISSION_EMAIL_LEASE_S * 1000;
      }
    } catch (error) {
      warn(error, 'Leases not renewed');
    }
  }

  const takeDue = createBatchedWrite<string, Taken | null>({
    keyOf: (id) => id,
    async run(ids) {
      const since = performance.now();
      const rows = await takeEmails(db, source, ids);
      for (const row of rows) startRenewing(row, since);
      const taken = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => taken.get(id) ?? null);
    },
  });

  const withholdSpam = createBatchedWrite<string, undefined>({
    keyOf: (id) => id,
    async run(ids) {
      await withholdDueSpam(db, ids);
      return ids.map(() => undefined);
    },
  });

  const record = createBatchedWrite<Ended, NotificationState>({
    keyOf: ({ claim }) => claim.id,
    async run(attempts) {
      const rows = await recordAttempts(db, source, attempts);
      const states = new Map(rows.map(({ id, state }) => [id, state]));
      return attempts.map(({ claim }) => states.get(claim.id) ?? 'pending');
    },
  });

  return {
    /** Claims a due e-mail for one attempt; null when it is finished, not due, already claimed, or withheld as spam. */
    async take(id: string): Promise<Taken | null> {
      const taken = await takeDue(id);
      if (!taken && source.withholdsSpam) await withholdSpam(id);
      return taken;
    },

    /** Notes that the attempt begins, after which its lease is renewed also when the submission becomes spam. */
    begin({ id, attempt }: Claim): void {
      const found = leases.get(id);
      if (found?.claim.attempt === attempt) found.hasBegun = true;
    },

    /**
     * Tells whether a claim's lease lasts long enough to begin an attempt.
     *
     * If the lease could not be renewed, it may expire during the attempt, and another worker might make a second one.
     * It is not renewed either once the submission is spam, so that its e-mail does not go when the wait is over.
     */
    isHeld({ id, attempt }: Claim): boolean {
      const found = leases.get(id);
      return (
        found?.claim.attempt === attempt &&
        found.until > performance.now() + (SUBMISSION_EMAIL_LEASE_S * 1000) / 2
      );
    },

    /** Stops renewing a claim's lease; an unrecorded e-mail is due again when the lease expires. */
    release,

    /** Ends an e-mail without an attempt at the mail server. */
    finish: (claim: Claim, state: NotificationState): Promise<void> => endEmail(db, source, claim, state),

    /**
     * Makes a claimed e-mail due again after a pause, without any effect on its back-off.
     *
     * @param pauseMs How long a recipient's domain or a slow confirmation holds it back; 0: nothing does.
     */
    postpone: (claim: Claim, pauseMs: number): Promise<void> => postponeEmail(db, source, claim, pauseMs),

    /**
     * Records an attempt and its consequences; the call is idempotent.
     *
     * If a later claim has overtaken this one, it only records the recipients who have the message, or may have it.
     * When no recipient is left to try, the e-mail is `sent` if any recipient has it.
     *
     * @param isOwnFailure whether a deferral concerns this message, so that its back-off grows and its retries end
     *   after two days; for a mail server that is away a message waits however long it takes.
     */
    record: (claim: Claim, ended: AttemptRecord, isOwnFailure: boolean): Promise<NotificationState> =>
      record({ claim, record: ended, isOwnFailure }),
  };
}
