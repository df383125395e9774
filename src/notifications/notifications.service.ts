import { type Actor, recordAudits } from '../audit/audit.js';
import { createBatcher } from '../db/batcher.js';
import type { Db, Transaction } from '../db/client.js';
import { markDaysOf } from '../db/stale-days.queries.js';
import { retryTransaction } from '../db/transaction-retry.js';
import type { Forms } from '../forms/serving/forms.service.js';
import type { Background } from '../lib/background.js';
import type { Clock } from '../lib/clock.js';
import { createSemaphore } from '../lib/semaphore.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Dispatch } from '../mail/dispatch.js';
import type { Queues } from '../queue/queues.js';
import type { Judging } from '../spam/judging.service.js';
import { type BeyondQuota, findBeyondQuota } from './held/held-emails.queries.js';
import { NOTIFICATIONS, REQUESTED_EMAILS } from './submission-email/email-source.queries.js';
import { matchAgain } from './submission-email/match-again.js';
import { reopenNotifications } from './submission-email/reopening.queries.js';
import { createSend, type Send } from './submission-email/sending.js';
import {
  type EmailIds,
  submissionEmailJob,
  submissionEmailJobs,
} from './submission-email/submission-email.job.js';

/** Notifications in flight per connection: while one is with the mail server, others are claimed or recorded. */
export const IN_FLIGHT_EACH = 4;

/** Maximum number of notifications handed to the queue in one round trip. */
const HAND_OVER_BATCH_SIZE = 100;

/** Minimum interval between batches: a job costs much more than an id in it, so fewer jobs are worth the delay. */
const HAND_OVER_SPACING_MS = 20;

type Services = {
  db: Db;
  queues: Pick<Queues, 'enqueue'>;
  dispatch: Dispatch;
  forms: Pick<Forms, 'findForEmail'>;
  judging: Pick<Judging, 'withholdIfSpam'>;
  clock: Clock;
  background: Background;
  log: Logger;
  /** Returns the envelope's sender of an e-mail; undefined: that of the From header. */
  returnPathOf(id: string): string | undefined;
  /** Takes the end of an e-mail whose recipients may all have bounced. */
  checkUndelivered(submissionId: string): Promise<void>;
  /** Maximum number of concurrent connections to the mail server. */
  connections: number;
};

export type Notifications = ReturnType<typeof createNotifications>;

/** Sends the e-mails about submissions: those that they cause themselves, and those that accounts request. */
export function createNotifications(services: Services) {
  const {
    db,
    queues,
    dispatch,
    forms,
    judging,
    clock,
    background,
    log,
    returnPathOf,
    checkUndelivered,
    connections,
  } = services;
  // The limit bounds how many e-mails a killed process sends again, since it has not recorded them. It exceeds the
  // number of connections, or they would wait for records.
  const unrecorded = createSemaphore(connections + Math.floor(connections / 2));
  const inFlight = createSemaphore(connections * IN_FLIGHT_EACH);
  const sending = { db, dispatch, forms, clock, log, returnPathOf, checkUndelivered, unrecorded };
  const send = createSend({ ...sending, source: NOTIFICATIONS, judging });
  const sendRequested = createSend({ ...sending, source: REQUESTED_EMAILS, judging: null });
  let lastHandOver = Promise.resolve();
  const handingOver = new Set<Promise<void>>();
  const warn = limitLog(log);

  function warnNotHandedOver(error: Error): void {
    warn(error, 'Queue is away; the reconciler will hand notifications over');
  }

  const enqueue = createBatcher<string, void>({
    async runBatch(ids) {
      await queues.enqueue(submissionEmailJob, submissionEmailJobs(ids));
      return ids.map(() => undefined);
    },
    maxSize: HAND_OVER_BATCH_SIZE,
    maxInFlight: 1,
    minIntervalMs: HAND_OVER_SPACING_MS,
  });

  function handOver(submissionId: string): void {
    lastHandOver = enqueue(submissionId).catch(warnNotHandedOver);
  }

  function handOverJobs(jobs: ReturnType<typeof submissionEmailJobs>): void {
    const work = queues
      .enqueue(submissionEmailJob, jobs)
      .catch(warnNotHandedOver)
      .finally(() => handingOver.delete(work));
    handingOver.add(work);
  }

  /** Begins an attempt in the background, unless the process drains. */
  const begin = (sendOne: Send, id: string): Promise<void> =>
    background.run((detach) =>
      inFlight(async (release) => {
        if (dispatch.isStopping()) return;
        await sendOne(id, () => {
          release();
          detach();
        });
      }),
    );

  /**
   * Sends the e-mails of a job, which does not wait for slow confirmations.
   *
   * It begins no further attempt once the process drains.
   *
   * @throws the first error, when all attempts have ended or wait in the background.
   */
  async function sendJob({ submissionIds = [], requestedIds = [] }: EmailIds): Promise<void> {
    const attempts = [
      ...submissionIds.map((id) => begin(send, id)),
      ...requestedIds.map((id) => begin(sendRequested, id)),
    ];
    const failed = (await Promise.allSettled(attempts)).find(({ status }) => status === 'rejected');
    if (failed) throw (failed as PromiseRejectedResult).reason;
  }

  return {
    /**
     * Hands a recorded submission to the worker. It returns at once and never fails.
     *
     * The reconciler finds a submission that cannot be handed over now.
     */
    handOver,

    /** Hands requested e-mails to the worker, as `handOver` does. */
    handOverRequested(requestedIds: readonly string[]): void {
      handOverJobs(submissionEmailJobs(requestedIds, { of: 'requestedIds' }));
    },

    /** Resolves when every hand-over in flight has ended; those of submissions end in the order in which they began. */
    async settled(): Promise<void> {
      await Promise.all([lastHandOver, ...handingOver]);
    },

    /** Makes one attempt to send the e-mail that a submission causes. */
    send,

    /** Makes one attempt to send a requested e-mail. */
    sendRequested,

    sendJob,

    /**
     * Sends e-mails again for submissions whose notifications no recipient got.
     *
     * Their states are `failed`, `bounced`, `skipped_quota` (which takes a unit of its month's quota, if there is one
     * by now) and `no_recipient`. The recipients are those of today. The same transaction records the actor in the
     * audit trail.
     *
     * @returns the submissions whose e-mails are pending now, and those that stay held since their month has no unit
     * left; the others have no notification, are spam, or their e-mail was sent or was pending already.
     */
    async sendAgain(
      submissionIds: readonly string[],
      actor: Actor,
    ): Promise<Readonly<{ reopened: ReadonlySet<string>; beyondQuota: readonly BeyondQuota[] }>> {
      const reopen = async (tx: Transaction) => {
        const beyondQuota = await findBeyondQuota(tx, submissionIds);
        const held = new Set(beyondQuota.map(({ submissionId }) => submissionId));
        const rows = await reopenNotifications(
          tx,
          submissionIds.filter((id) => !held.has(id)),
        );
        await recordAudits(
          tx,
          actor,
          rows.map(({ submissionId, teamId }) => ({
            teamId,
            action: 'notification.asked_again',
            subject: ['submission', submissionId],
          })),
        );
        const ids = rows.map(({ submissionId }) => submissionId);
        await matchAgain(tx, ids);
        // Days are locked last, as where states are set.
        if (ids.length > 0) await markDaysOf(tx, ids);
        return { reopened: ids, beyondQuota };
      };
      const { reopened, beyondQuota } = await retryTransaction(() => db.orm.$transaction(reopen));
      handOverJobs(submissionEmailJobs(reopened, { hasLowPriority: true }));
      return { reopened: new Set(reopened), beyondQuota };
    },
  };
}
