import type { Db } from '../../db/client.js';
import { isDatabaseAway } from '../../db/database-errors.js';
import { outlastingOutage } from '../../db/outage-retry.js';
import { ApiError } from '../../errors.js';
import type { Forms } from '../../forms/serving/forms.service.js';
import type { NotificationState } from '../../generated/prisma/client.js';
import type { Clock } from '../../lib/clock.js';
import type { Semaphore } from '../../lib/semaphore.js';
import { causeOf } from '../../lib/telemetry/cause.js';
import { limitLog } from '../../lib/telemetry/limited-log.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import { mailDelay, notificationOutcomes } from '../../lib/telemetry/metrics.js';
import { activeTraceId, inSpan } from '../../lib/telemetry/tracing.js';
import { type Delivery, isOwnFailure } from '../../mail/delivery.js';
import type { Dispatch } from '../../mail/dispatch.js';
import type { MailMessage } from '../../mail/message.js';
import { claimQuota, quotaMonth } from '../../plans/quota.queries.js';
import type { Judging } from '../../spam/judging.service.js';
import { SLOW_PAUSE_S } from '../retry.js';
import { createClaims } from './claims.js';
import type { AttemptRecord, Claim, Taken } from './claims.queries.js';
import type { EmailSource } from './email-source.queries.js';
import { submissionEmail } from './submission-email.js';

type Services = {
  db: Db;
  dispatch: Dispatch;
  forms: Pick<Forms, 'findForEmail'>;
  clock: Clock;
  log: Logger;
  source: EmailSource;
  /** Returns the envelope's sender of an e-mail; undefined: that of the From header. */
  returnPathOf(id: string): string | undefined;
  /** Takes the end of an e-mail whose recipients may all have bounced. */
  checkUndelivered(submissionId: string): Promise<void>;
  /** Judges what an e-mail is about, before its claim takes a unit of the quota; null: nothing is judged. */
  judging: Pick<Judging, 'withholdIfSpam'> | null;
  /** Bounds how many e-mails are sent and not yet recorded. */
  unrecorded: Semaphore;
};

/**
 * Makes one attempt to send an e-mail, if it is due and within the quota, and records it.
 *
 * It does nothing for an e-mail that another worker has claimed, and withholds that of spam. It waits while the mail
 * server is away.
 *
 * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
 */
export type Send = (id: string, onSlow?: () => void) => Promise<void>;

/** The ids by which the log lines of gateway and worker about a submission are found. */
const idsOf = ({ requestId, submissionId, websiteId }: Taken) => ({
  requestId,
  traceId: activeTraceId(),
  leadId: submissionId,
  websiteId,
});

/** The span of an attempt, which belongs to the trace of the submission's request. */
const spanOf = ({ requestId, submissionId, websiteId, attempt, traceParent }: Taken) => ({
  kind: 'CONSUMER' as const,
  parent: traceParent,
  attributes: {
    'formgate.request_id': requestId ?? undefined,
    'formgate.lead_id': submissionId,
    'formgate.website_id': websiteId,
    'formgate.attempt': attempt,
  },
});

/** Creates the way of one kind of e-mail from its claim to the record of the attempt. */
export function createSend(services: Services): Send {
  const { db, dispatch, forms, clock, log, source, returnPathOf, checkUndelivered, judging, unrecorded } =
    services;
  const claims = createClaims({ db, log, source });
  const logError = limitLog(log, 'error');

  async function finish(taken: Taken, state: NotificationState): Promise<void> {
    await claims.finish(taken, state);
    await outlastingOutage(() => checkUndelivered(taken.submissionId));
    notificationOutcomes.inc({ outcome: state });
    log.info({ ...idsOf(taken), state }, 'Notification ended without an attempt');
  }

  /** Returns the state of an e-mail that has no recipient left to try. */
  function finalState({ deliveredTo, refused }: Claim): NotificationState {
    if (deliveredTo.length > 0) return 'sent';
    return refused.length > 0 ? 'failed' : 'no_recipient';
  }

  async function recordDelivery(
    taken: Taken,
    delivery: Delivery,
    attempt: Pick<AttemptRecord, 'recipients' | 'startedAt'>,
  ): Promise<void> {
    const { outcome, smtpCode, detail, accepted, refused, answers } = delivery;
    const ended = { outcome, smtpCode, detail, accepted, refused, answers, ...attempt, finishedAt: clock() };
    // A delivery must not go unrecorded, and be repeated, because PostgreSQL is away at that moment.
    const state = await outlastingOutage(() => claims.record(taken, ended, isOwnFailure(delivery)));
    // A first attempt that is accepted has no bounce yet: a report before its record is put off.
    if (state !== 'pending' && (accepted.length === 0 || taken.deliveredTo.length > 0))
      await outlastingOutage(() => checkUndelivered(taken.submissionId));
    if (outcome === 'sent' && !taken.request)
      mailDelay.observe((ended.finishedAt.getTime() - taken.waitingSince.getTime()) / 1000);
    const counted = outcome === 'unknown' ? outcome : 'deferred';
    notificationOutcomes.inc({ outcome: state === 'pending' ? counted : state });
    const cause =
      delivery.outcome === 'deferred' && delivery.error ? causeOf(delivery.error).cause : undefined;
    const { attempt: number } = taken;
    log.info({ ...idsOf(taken), attempt: number, outcome, smtpCode, cause, state }, 'Notification attempted');
  }

  /** Makes a message whose confirmation is slow due again in an hour, so that its lease needs no renewal meanwhile. */
  async function postponeSlow(taken: Taken): Promise<void> {
    log.info({ ...idsOf(taken), attempt: taken.attempt }, 'Mail server is slow to confirm');
    await outlastingOutage(() => claims.postpone(taken, SLOW_PAUSE_S * 1000));
    claims.release(taken);
  }

  /** Makes an attempt, unless the claim's lease is about to expire or a recipient domain's circuit breaker is open. */
  async function deliver(taken: Taken, message: MailMessage, onSlow: () => void): Promise<void> {
    const recipients = taken.addressed;
    let backOffMs: number | undefined;
    const mayBegin = () => {
      if (!claims.isHeld(taken)) return false;
      backOffMs ??= dispatch.tryAcquireDomains({ teamId: taken.teamId, recipients });
      return backOffMs === 0;
    };
    let postponed: Promise<void> | undefined;
    const startedAt = clock();
    const delivery = await dispatch.send(message, {
      teamId: taken.teamId,
      recipients,
      mayBegin,
      onBegin: () => claims.begin(taken),
      onSlow() {
        // If that fails, the lease is renewed until the attempt ends. The delivery must still be recorded.
        postponed = postponeSlow(taken).catch((error) =>
          logError(error, 'Slow message not postponed', idsOf(taken)),
        );
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
    const message = { ...submissionEmail(taken, form), returnPath: returnPathOf(taken.id) };
    await unrecorded((release) =>
      deliver(taken, message, () => {
        release();
        onSlow();
      }),
    );
  }

  async function sendClaimed(claim: Taken, onSlow: () => void): Promise<void> {
    try {
      await attempt(claim, onSlow);
    } catch (error) {
      // Forms come from a cache, which answers 503 when PostgreSQL is silent for too long.
      if (isDatabaseAway(error) || error instanceof ApiError) throw error;
      // A bug that this submission triggers: the log shows it, and the retries back off.
      logError(error, 'Message not prepared', idsOf(claim));
      const detail = 'The message could not be prepared; the log of the worker says why.';
      const now = clock();
      const none = { recipients: [], accepted: [], refused: [] };
      const ended = { outcome: 'deferred', smtpCode: null, detail, ...none } as const;
      const state = await claims.record(claim, { ...ended, startedAt: now, finishedAt: now }, true);
      if (state !== 'pending') await checkUndelivered(claim.submissionId);
      throw error;
    } finally {
      claims.release(claim);
    }
  }

  return async (id, onSlow = () => undefined) => {
    if (await judging?.withholdIfSpam(id)) {
      notificationOutcomes.inc({ outcome: 'withheld' });
      return;
    }
    const claim = await claims.take(id);
    if (claim) await inSpan('notification', spanOf(claim), () => sendClaimed(claim, onSlow));
  };
}
