import { type Actor, recordAudits } from '../audit/audit.js';
import { createBatcher } from '../db/batcher.js';
import { type Db, isDatabaseAway, outlastingOutage } from '../db/client.js';
import { ApiError } from '../errors.js';
import type { Forms } from '../forms/serving/forms.service.js';
import type { NotificationState } from '../generated/prisma/client.js';
import type { Background } from '../lib/background.js';
import type { Clock } from '../lib/clock.js';
import { limitLog } from '../lib/limited-log.js';
import type { Logger } from '../lib/logger.js';
import { mailDelay, notificationOutcomes } from '../lib/metrics.js';
import { createSemaphore } from '../lib/semaphore.js';
import type { Delivery } from '../mail/delivery.js';
import type { Dispatch } from '../mail/dispatch.js';
import type { MailMessage } from '../mail/message.js';
import { claimQuota, quotaMonth } from '../plans/quota.js';
import type { Queues } from '../queue/queues.js';
import { createClaims } from './claims.js';
import type { AttemptRecord, Claim, Taken } from './claims.queries.js';
import { SLOW_PAUSE_S } from './retry.js';
import { submissionEmailJob, submissionEmailJobs } from './submission-email.job.js';
import { submissionEmail } from './submission-email.js';

/** Notifications in flight per connection: while one is with the mail server, others are claimed or recorded. */
export const IN_FLIGHT_EACH = 4;

/** Maximum number of notifications handed to the queue in one round trip. */
const MAX_HANDED_OVER_AT_ONCE = 100;

/** Minimum interval between batches: a job costs much more than an id in it, so fewer jobs are worth the delay. */
const HAND_OVER_SPACING_MS = 20;

type Services = {
  db: Db;
  queues: Pick<Queues, 'enqueue'>;
  dispatch: Dispatch;
  forms: Pick<Forms, 'findForEmail'>;
  clock: Clock;
  background: Background;
  log: Logger;
  /** Maximum number of concurrent connections to the mail server. */
  connections: number;
};

export type Notifications = ReturnType<typeof createNotifications>;

export function createNotifications(services: Services) {
  const { db, queues, dispatch, forms, clock, background, log, connections } = services;
  const claims = createClaims({ db, log });
  // The limit bounds how many e-mails a killed process sends again, since it has not recorded them. It exceeds the
  // number of connections, or they would wait for records.
  const unrecorded = createSemaphore(connections + Math.floor(connections / 2));
  const inFlight = createSemaphore(connections * IN_FLIGHT_EACH);
  let lastHandOver = Promise.resolve();
  const warn = limitLog(log);

  function warnNotHandedOver(error: Error): void {
    warn(error, 'Queue is away; the reconciler will hand notifications over');
  }

  const enqueue = createBatcher<string, void>({
    async runBatch(ids) {
      await queues.enqueue(submissionEmailJob, submissionEmailJobs(ids));
      return ids.map(() => undefined);
    },
    maxSize: MAX_HANDED_OVER_AT_ONCE,
    maxInFlight: 1,
    minIntervalMs: HAND_OVER_SPACING_MS,
  });

  function handOver(submissionId: string): void {
    lastHandOver = enqueue(submissionId).catch(warnNotHandedOver);
  }

  async function finish(claim: Claim, state: NotificationState): Promise<void> {
    await claims.finish(claim, state);
    notificationOutcomes.inc({ outcome: state });
    log.info({ leadId: claim.submissionId, state }, 'Notification ended without an attempt');
  }

  /** Returns the state of a notification that has no recipient left to try. */
  function finalState({ deliveredTo, refused }: Claim): NotificationState {
    if (deliveredTo.length > 0) return 'sent';
    return refused.length > 0 ? 'failed' : 'no_recipient';
  }

  async function recordDelivery(
    claim: Taken,
    delivery: Delivery,
    attempt: Pick<AttemptRecord, 'recipients' | 'startedAt'>,
  ): Promise<void> {
    const { outcome, smtpCode, detail, accepted, refused } = delivery;
    const isOwnFailure = delivery.outcome === 'deferred' && delivery.about !== 'server';
    const ended = { outcome, smtpCode, detail, accepted, refused, ...attempt, finishedAt: clock() };
    // A delivery must not go unrecorded, and be repeated, because PostgreSQL is away at that moment.
    const state = await outlastingOutage(() => claims.record(claim, ended, isOwnFailure));
    const counted = outcome === 'unknown' ? outcome : 'deferred';
    if (outcome === 'sent')
      mailDelay.observe((ended.finishedAt.getTime() - claim.createdAt.getTime()) / 1000);
    notificationOutcomes.inc({ outcome: state === 'pending' ? counted : state });
    log.info(
      { leadId: claim.submissionId, attempt: claim.attempt, outcome, smtpCode, state },
      'Notification attempted',
    );
  }

  /** Makes a message whose confirmation is slow due again in an hour, so that its lease needs no renewal meanwhile. */
  async function postponeSlow(claim: Claim): Promise<void> {
    log.info({ leadId: claim.submissionId, attempt: claim.attempt }, 'Mail server is slow to confirm');
    await outlastingOutage(() => claims.postpone(claim, SLOW_PAUSE_S * 1000));
    claims.release(claim);
  }

  /** Makes an attempt, unless the claim's lease is about to expire or a recipient domain's circuit breaker is open. */
  async function deliver(taken: Taken, message: MailMessage, onSlow: () => void): Promise<void> {
    const recipients = taken.addressed;
    let backOffMs: number | undefined;
    const mayBegin = () => {
      if (!claims.isHeld(taken)) return false;
      backOffMs ??= dispatch.backOffMs(recipients);
      return backOffMs === 0;
    };
    let postponed: Promise<void> | undefined;
    const startedAt = clock();
    const delivery = await dispatch.send(message, {
      ...{ recipients, mayBegin },
      onSlow() {
        postponed = postponeSlow(taken);
        onSlow();
      },
    });
    await postponed;
    if (delivery) await recordDelivery(taken, delivery, { recipients, startedAt });
    else if (claims.isHeld(taken)) await claims.postpone(taken, backOffMs ?? 0);
  }

  async function attempt(taken: Taken, onSlow: () => void): Promise<void> {
    const { submissionId, teamId, createdAt, quota: limit } = taken;
    if (taken.addressed.length === 0) return finish(taken, finalState(taken));
    if (!taken.isInQuota) {
      const claim = { submissionId, teamId, month: quotaMonth(createdAt), limit };
      if ((await claimQuota(db, claim)) === 'exceeded') return finish(taken, 'skipped_quota');
    }
    const form = await forms.findForEmail(taken.formId);
    await unrecorded((release) =>
      deliver(taken, submissionEmail(taken, form), () => {
        release();
        onSlow();
      }),
    );
  }

  /**
   * Makes one attempt to send the e-mail about a submission, if it is due and within the quota, and records it.
   *
   * It does nothing for a notification that another worker has claimed. It waits while the mail server is away.
   *
   * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
   */
  async function send(submissionId: string, onSlow: () => void = () => undefined): Promise<void> {
    const claim = await claims.take(submissionId);
    if (!claim) return;
    try {
      await attempt(claim, onSlow);
    } catch (error) {
      // Forms come from a cache, which answers 503 when PostgreSQL is silent for too long.
      if (isDatabaseAway(error) || error instanceof ApiError) throw error;
      // A bug that this submission triggers: the log shows it, and the retries back off.
      log.error({ leadId: submissionId, err: error }, 'Message not prepared');
      const detail = 'The message could not be prepared; the log of the worker says why.';
      const now = clock();
      const none = { recipients: [], accepted: [], refused: [] };
      const ended = { outcome: 'deferred', smtpCode: null, detail, ...none } as const;
      await claims.record(claim, { ...ended, startedAt: now, finishedAt: now }, true);
      throw error;
    } finally {
      claims.release(claim);
    }
  }

  return {
    /**
     * Hands a recorded submission to the worker. It returns at once and never fails.
     *
     * The reconciler finds a submission that cannot be handed over now.
     */
    handOver,

    /** Resolves when every hand-over in flight has ended; they end in the order in which they began. */
    settled: (): Promise<void> => lastHandOver,

    send,

    /**
     * Runs `send` for the submissions of a job, which does not wait for slow confirmations.
     *
     * It begins no further attempt once the process drains.
     *
     * @throws the first error, when all attempts have ended or wait in the background.
     */
    async sendEach(submissionIds: readonly string[]): Promise<void> {
      const sending = submissionIds.map((id) =>
        background.run((detach) =>
          inFlight(async (release) => {
            if (dispatch.isStopping()) return;
            await send(id, () => {
              release();
              detach();
            });
          }),
        ),
      );
      const failed = (await Promise.allSettled(sending)).find(({ status }) => status === 'rejected');
      if (failed) throw (failed as PromiseRejectedResult).reason;
    },

    /**
     * Sends e-mails again for submissions whose notifications have ended without one.
     *
     * Their states are `failed`, `skipped_quota` (which takes a unit of its month's quota, if there is one by now) and
     * `no_recipient`. The same transaction records the actor in the audit trail.
     *
     * @returns the submissions whose e-mails are pending now; the others have no notification, or their e-mail was sent
     * or was pending already.
     */
    async sendAgain(submissionIds: readonly string[], actor: Actor): Promise<ReadonlySet<string>> {
      const reopened = await db.orm.$transaction(async (tx) => {
        const rows = await claims.reopen(tx, submissionIds);
        await recordAudits(
          tx,
          actor,
          rows.map(({ submissionId, teamId }) => ({
            ...{ teamId, action: 'notification.asked_again', subject: ['submission', submissionId] },
          })),
        );
        return rows.map(({ submissionId }) => submissionId);
      });
      for (const id of reopened) handOver(id);
      return new Set(reopened);
    },
  };
}
