import { createBatchedWrite } from '../db/batched-write.js';
import type { Db } from '../db/client.js';
import type { NotificationState } from '../generated/prisma/client.js';
import { limitLog } from '../lib/limited-log.js';
import type { Logger } from '../lib/logger.js';
import {
  type AttemptRecord,
  type Claim,
  type Ended,
  endNotification,
  LEASE_S,
  postponeNotification,
  recordAttempts,
  renewLeases,
  reopenNotifications,
  type Taken,
  takeNotifications,
} from './claims.queries.js';

const RENEW_EVERY_MS = 2_000;

export type Claims = ReturnType<typeof createClaims>;

/** Claims notifications for one attempt each, by a lease in PostgreSQL. Concurrent calls are micro-batched. */
export function createClaims({ db, log }: { db: Db; log: Logger }) {
  const warn = limitLog(log);
  /** Leases to renew, each with its expiry on the monotonic clock. */
  const leases = new Map<string, { claim: Claim; until: number }>();
  let timer: NodeJS.Timeout | undefined;

  /** Adds a claim's lease to those that are renewed. @param since when the statement that took the claim began */
  function startRenewing(claim: Claim, since: number): void {
    leases.set(claim.submissionId, { claim, until: since + LEASE_S * 1000 });
    timer ??= setInterval(renew, RENEW_EVERY_MS).unref();
  }

  function release({ submissionId, attempt }: Claim): void {
    if (leases.get(submissionId)?.claim.attempt === attempt) leases.delete(submissionId);
    if (leases.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  async function renew(): Promise<void> {
    const claims = [...leases.values()].map(({ claim }) => claim);
    const since = performance.now();
    try {
      const rows = await renewLeases(db, claims);
      for (const { id, attempt } of rows) {
        const found = leases.get(id);
        if (found?.claim.attempt === attempt) found.until = since + LEASE_S * 1000;
      }
    } catch (error) {
      warn(error, 'Leases not renewed');
    }
  }

  const take = createBatchedWrite<string, Taken | null>({
    keyOf: (submissionId) => submissionId,
    async run(submissionIds) {
      const since = performance.now();
      const rows = await takeNotifications(db, submissionIds);
      for (const row of rows) startRenewing(row, since);
      const taken = new Map(rows.map((row) => [row.submissionId, row]));
      return submissionIds.map((id) => taken.get(id) ?? null);
    },
  });

  const record = createBatchedWrite<Ended, NotificationState>({
    keyOf: ({ claim }) => claim.submissionId,
    async run(attempts) {
      const rows = await recordAttempts(db, attempts);
      const states = new Map(rows.map(({ id, state }) => [id, state]));
      return attempts.map(({ claim }) => states.get(claim.submissionId) ?? 'pending');
    },
  });

  return {
    /** Claims a due notification for one attempt; null when it is finished, not due, or already claimed. */
    take,

    /**
     * Tells whether a claim's lease lasts long enough to begin an attempt.
     *
     * If the lease could not be renewed, it may expire during the attempt, and another worker might make a second one.
     */
    isHeld({ submissionId, attempt }: Claim): boolean {
      const found = leases.get(submissionId);
      return found?.claim.attempt === attempt && found.until > performance.now() + (LEASE_S * 1000) / 2;
    },

    /** Stops renewing a claim's lease; an unrecorded notification is due again when the lease expires. */
    release,

    /** Ends a notification without an attempt at the mail server. */
    finish: (claim: Claim, state: NotificationState): Promise<void> => endNotification(db, claim, state),

    /** Makes a claimed notification due again after a pause, without any effect on its back-off. */
    postpone: (claim: Claim, pauseMs: number): Promise<void> => postponeNotification(db, claim, pauseMs),

    /**
     * Records an attempt and its consequences; the call is idempotent.
     *
     * If a later claim has overtaken this one, it only records the recipients who have the message, or may have it.
     * When no recipient is left to try, the notification is `sent` if any recipient has it.
     *
     * @param isOwnFailure whether a deferral concerns this message, so that its back-off grows and its retries end
     *   after two days; for a mail server that is away a message waits however long it takes.
     */
    record: (claim: Claim, ended: AttemptRecord, isOwnFailure: boolean): Promise<NotificationState> =>
      record({ claim, record: ended, isOwnFailure }),

    /** Makes finished notifications without an e-mail pending again. @returns those that it has reopened. */
    reopen: reopenNotifications,
  };
}
