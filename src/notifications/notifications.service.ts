import { type Actor, recordAudits } from '../accounts/audit.js';
import { ApiError } from '../errors.js';
import type { Forms } from '../forms/forms.service.js';
import type { NotificationState } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { createGathering } from '../lib/gather.js';
import type { Logger } from '../lib/logger.js';
import { notificationOutcomes } from '../lib/metrics.js';
import { type Database, isDatabaseAway, outlastingOutage } from '../lib/prisma.js';
import { createSlots } from '../lib/slots.js';
import type { Dispatch } from '../mail/dispatch.js';
import type { Delivery } from '../mail/mailer.js';
import type { MailMessage } from '../mail/message.js';
import { claimQuota, quotaMonth } from '../plans/quota.js';
import type { Queues } from '../queue/queues.js';
import { type AttemptRecord, type Claim, createClaims, type Taken } from './claims.js';
import { submissionEmailJob, submissionEmailJobs } from './submission-email.job.js';
import { submissionEmail } from './submission-email.js';

/** A queue that is away is told in the log at most this often. */
const HAND_OVER_WARNING_EVERY_MS = 10_000;

/**
 * Notifications in hand for each e-mail under way: while one is with the mail server, another is claimed and written.
 */
export const IN_HAND_EACH = 4;

/** Notifications handed to the queue in one round trip. */
const MAX_HANDED_OVER_AT_ONCE = 100;

/** Under load it is worth some milliseconds to have fewer jobs: each costs much more than an id in it. */
const HAND_OVER_SPACING_MS = 20;

type Services = {
  db: Database;
  queues: Pick<Queues, 'enqueue'>;
  dispatch: Dispatch;
  forms: Pick<Forms, 'findForEmail'>;
  clock: Clock;
  log: Logger;
  /** E-mails that the mail server is given at once. */
  connections: number;
};

export type Notifications = ReturnType<typeof createNotifications>;

export function createNotifications({ db, queues, dispatch, forms, clock, log, connections }: Services) {
  const claims = createClaims({ db, log });
  const sending = createSlots(connections);
  // Bounded, because a process that is killed sends again what it has not recorded. More than are sent at once, or
  // connections would wait for records.
  const unrecorded = createSlots(connections + Math.floor(connections / 2));
  const inHand = createSlots(connections * IN_HAND_EACH);
  let lastHandOver = Promise.resolve();
  let lastWarningAt = 0;

  function warnNotHandedOver(error: Error): void {
    if (Date.now() - lastWarningAt < HAND_OVER_WARNING_EVERY_MS) return;
    lastWarningAt = Date.now();
    log.warn({ reason: error.message }, 'Queue is away; the reconciler will hand notifications over');
  }

  const enqueue = createGathering<string, void>({
    async work(ids) {
      await queues.enqueue(submissionEmailJob, submissionEmailJobs(ids));
      return ids.map(() => undefined);
    },
    maxSize: MAX_HANDED_OVER_AT_ONCE,
    atOnce: 1,
    spacingMs: HAND_OVER_SPACING_MS,
  });

  function handOver(submissionId: string): void {
    lastHandOver = enqueue(submissionId).catch(warnNotHandedOver);
  }

  async function finish(claim: Claim, state: NotificationState): Promise<void> {
    await claims.finish(claim, state);
    notificationOutcomes.inc({ outcome: state });
    log.info({ leadId: claim.submissionId, state }, 'Notification ended without an attempt');
  }

  /** How it stands with a notification of whose recipients nobody is left to try. */
  function finalState({ deliveredTo, refused }: Claim): NotificationState {
    if (deliveredTo.length > 0) return 'sent';
    return refused.length > 0 ? 'failed' : 'no_recipient';
  }

  async function recordDelivery(
    claim: Claim,
    delivery: Delivery,
    attempt: Pick<AttemptRecord, 'recipients' | 'startedAt'>,
  ): Promise<void> {
    const { outcome, smtpCode, detail, accepted, refused } = delivery;
    const isOwnFailure = delivery.outcome === 'deferred' && delivery.about !== 'server';
    const ended = { outcome, smtpCode, detail, accepted, refused, ...attempt, finishedAt: clock() };
    // What the mail server has accepted must not be forgotten because PostgreSQL is away just then.
    const state = await outlastingOutage(() => claims.record(claim, ended, isOwnFailure));
    notificationOutcomes.inc({ outcome: state === 'pending' ? 'deferred' : state });
    log.info(
      { leadId: claim.submissionId, attempt: claim.attempt, outcome, smtpCode, state },
      'Notification attempted',
    );
  }

  /** Makes an attempt under a claim that is still held. @returns `null` as delivery when none was made. */
  async function tryNow(taken: Taken, message: MailMessage) {
    const recipients = taken.addressed;
    const mayBegin = () => claims.isHeld(taken);
    const heldForMs = mayBegin() ? dispatch.heldForMs(recipients) : 0;
    const startedAt = clock();
    const delivery = heldForMs > 0 ? null : await dispatch.send(message, { recipients, mayBegin });
    return { delivery, heldForMs, attempt: { recipients, startedAt } };
  }

  async function attempt(taken: Taken): Promise<void> {
    const { submissionId, teamId, createdAt, quota: limit } = taken;
    if (taken.addressed.length === 0) return finish(taken, finalState(taken));
    if (!taken.isInQuota) {
      const claim = { submissionId, teamId, month: quotaMonth(createdAt), limit };
      if ((await claimQuota(db, claim)) === 'exceeded') return finish(taken, 'skipped_quota');
    }
    const form = await forms.findForEmail(taken.formId);
    await unrecorded(async () => {
      const message = submissionEmail(taken, form);
      const { delivery, heldForMs, attempt } = await sending(() => tryNow(taken, message));
      if (delivery) await recordDelivery(taken, delivery, attempt);
      else if (claims.isHeld(taken)) await claims.postpone(taken, heldForMs);
    });
  }

  /**
   * Makes one attempt to send the e-mail about a submission, if it is due and within the plan's quota,
   * and records how it ended. Does nothing for a notification that another worker has taken. Waits while
   * the mail server is away.
   */
  async function send(submissionId: string): Promise<void> {
    const claim = await claims.take(submissionId);
    if (!claim) return;
    try {
      await attempt(claim);
    } catch (error) {
      // Forms are read from memory, which answers 503 when PostgreSQL is silent for too long.
      if (isDatabaseAway(error) || error instanceof ApiError) throw error;
      // A fault of ours that this submission provokes: visible, and tried ever more seldom.
      log.error({ leadId: submissionId, err: error }, 'Message not prepared');
      const detail = 'The message could not be prepared; the log of the worker says why.';
      const now = clock();
      const nobody = { recipients: [], accepted: [], refused: [] };
      const ended = { outcome: 'deferred', smtpCode: null, detail, ...nobody } as const;
      await claims.record(claim, { ...ended, startedAt: now, finishedAt: now }, true);
      throw error;
    } finally {
      claims.letGo(claim);
    }
  }

  return {
    /**
     * Hands a recorded submission to the worker. Returns at once and never fails: what cannot be handed
     * over now is found by the reconciler.
     */
    handOver,

    /** Resolves when every hand-over begun has ended: they end in the order in which they began. */
    settled: (): Promise<void> => lastHandOver,

    send,

    /**
     * As `send` does, for the submissions of a job. Begins none any more when the process is to stop.
     *
     * @throws the first fault of any, when all have ended.
     */
    async sendEach(submissionIds: readonly string[]): Promise<void> {
      const sending = submissionIds.map((id) =>
        inHand(async () => {
          if (!dispatch.isStopping()) await send(id);
        }),
      );
      const failed = (await Promise.allSettled(sending)).find(({ status }) => status === 'rejected');
      if (failed) throw (failed as PromiseRejectedResult).reason;
    },

    /**
     * Sends the e-mails of submissions again whose notifications have ended without one: `failed`,
     * `skipped_quota` (which takes a unit of its month's quota, if there is one by now) or `no_recipient`. Who asked
     * is recorded in the same transaction.
     *
     * @returns those whose e-mails are on their way; of the others there is none, or its e-mail was sent or still
     * is to be.
     */
    async sendAgain(submissionIds: readonly string[], actor: Actor): Promise<ReadonlySet<string>> {
      const reopened = await db.$transaction(async (tx) => {
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
