import { recordAudit, SYSTEM_ACTOR } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { isDatabaseAway } from '../db/database-errors.js';
import { outlastingOutage } from '../db/outage-retry.js';
import { changeInPortions } from '../db/portions.js';
import type { Webhook } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import type { Outbound } from '../lib/outbound/outbound.js';
import { OutboundError } from '../lib/outbound/outbound-error.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { webhookAttempts } from '../lib/telemetry/metrics.js';
import { storableText } from '../lib/text/storable-text.js';
import { jobsOf } from '../queue/define-job.js';
import type { Queues } from '../queue/queues.js';
import {
  claimDeliveries,
  type DeliveryClaim,
  deleteOldDeliveries,
  type EndedAttempt,
  findDueWebhooks,
  recordAttempt,
  releaseClaim,
} from './deliveries.queries.js';
import { endWaiting, findEnding } from './ending.queries.js';
import { DELIVERED, type Delivered, type LabelledValue, renderMessage } from './message.js';
import { continueRedelivery, findRedeliveries } from './redelivery.queries.js';
import { retryAfterS, retryPauseS } from './retry.js';
import { type StoredSecrets, signedHeaders, signingSecrets, WITH_FORMER_SECRETS } from './signing.js';
import { webhookDeliveryJob } from './webhook-delivery.job.js';
import { TEST_EVENT } from './webhook-events.js';

const TIMEOUT_MS = 15_000;

/** Bytes of an answer that are kept. */
const KEPT_BYTES = 1_024;

/** Attempts that a process has in flight at once; what is due beyond them waits for the next hand-over. */
const IN_FLIGHT = 1_000;

const GONE = 410;

type Services = Readonly<{
  db: Db;
  queues: Pick<Queues, 'enqueue'>;
  outbound: Pick<Outbound, 'post'>;
  cipher: Cipher;
  clock: Clock;
  log: Logger;
  /** Labels the values of a submission in its language. */
  labelFields(submission: NonNullable<Delivered['submission']>): Promise<readonly LabelledValue[]>;
}>;

/** The outcome of a call. */
type Outcome = Pick<EndedAttempt, 'ok' | 'status' | 'fault' | 'answer'> & Readonly<{ askedS: number | null }>;

/** The ids by which the log lines about a submission are found; none when the event is about something else. */
const idsOf = ({ submission }: Delivered) =>
  submission && {
    requestId: submission.requestId,
    leadId: submission.id,
    websiteId: submission.websiteId,
  };

/** Delivers events to the endpoints of teams: at least once, in no promised order. */
export function createWebhookDeliveries(services: Services) {
  const { db, queues, outbound, cipher, clock, log, labelFields } = services;
  const warn = limitLog(log);
  const inFlight = new Set<Promise<void>>();
  /** Endpoints for which this process claims just now, and those of them that were asked for meanwhile. */
  const claiming = new Set<string>();
  const askedAgain = new Set<string>();
  const stopping = new AbortController();
  const breakingOff = new AbortController();

  /** Renders the body of a delivery. */
  async function bodyOf(delivery: Delivered): Promise<string> {
    return renderMessage(delivery, delivery.submission ? await labelFields(delivery.submission) : []);
  }

  /**
   * Makes a message and sends it; null when the call was broken off because the process stops.
   *
   * A message that cannot be made, such as one whose secret cannot be decrypted, fails like one that does not arrive:
   * it shows, and has its retries.
   *
   * @throws when PostgreSQL is away.
   */
  async function call(
    delivery: Delivered,
    webhook: Webhook & StoredSecrets,
    at: Date,
  ): Promise<Outcome | null> {
    try {
      const body = await bodyOf(delivery);
      const headers = signedHeaders(delivery.id, body, signingSecrets(cipher, webhook, at), at);
      const answer = await outbound.post(webhook.url, {
        headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Formgate-Webhooks' },
        body,
        timeoutMs: TIMEOUT_MS,
        keptBytes: KEPT_BYTES,
        signal: breakingOff.signal,
      });
      return {
        ok: answer.status >= 200 && answer.status < 300,
        status: answer.status,
        fault: null,
        answer: storableText(answer.body.toString()),
        askedS: retryAfterS(answer.headers['retry-after'], clock()),
      };
    } catch (error) {
      if (breakingOff.signal.aborted) return null;
      const failed = { ok: false, status: null, askedS: null };
      if (error instanceof OutboundError) {
        return { ...failed, fault: error.fault, answer: storableText(error.message) };
      }
      if (isDatabaseAway(error)) throw error;
      warn(error as Error, 'Webhook not sent', { ...idsOf(delivery), deliveryId: delivery.id });
      return { ...failed, fault: 'not_sent', answer: '' };
    }
  }

  /**
   * Disables an endpoint, and records the notice to the owners, unless its address was changed since the attempt. What
   * waits for it is no longer due.
   */
  async function disable({ id, teamId, url }: Webhook, reason: 'gone' | 'failing'): Promise<void> {
    const disabled = await db.orm.$transaction(async (tx) => {
      const { count } = await tx.webhook.updateMany({
        where: { id, url, state: 'active' },
        data: { state: reason, redeliverSince: null },
      });
      if (count === 0) return false;
      await tx.webhook.updateMany({ where: { id, failingSince: null }, data: { failingSince: clock() } });
      await tx.webhookNotice.create({ data: { webhookId: id, reason } });
      await recordAudit(tx, SYSTEM_ACTOR, {
        teamId,
        action: 'webhook.disabled',
        subject: ['webhook', id],
        detail: { reason },
      });
      return true;
    });
    if (disabled) log.warn({ webhookId: id, teamId, host: new URL(url).host, reason }, 'Webhook disabled');
  }

  /** Sends a delivery once, and records how that ended. */
  async function send(
    claim: DeliveryClaim,
    delivery: Delivered,
    webhook: Webhook & StoredSecrets,
  ): Promise<void> {
    const startedAt = clock();
    const began = performance.now();
    const outcome = await call(delivery, webhook, startedAt);
    if (!outcome) return releaseClaim(db, claim);
    const durationMs = Math.round(performance.now() - began);
    const isTest = delivery.type === TEST_EVENT;
    const { ok, status, fault, answer, askedS } = outcome;
    const isGone = status === GONE;
    const pauseS = ok || isTest || isGone ? null : retryPauseS(claim.retries, askedS);
    const ended = { claim, ok, pauseS, isTest, status, fault, answer, startedAt, durationMs };
    const isFailing = await outlastingOutage(() => recordAttempt(db, ended));
    webhookAttempts.inc({ outcome: ok ? 'delivered' : pauseS === null ? 'failed' : 'retried' });
    log.info(
      {
        ...idsOf(delivery),
        deliveryId: claim.id,
        webhookId: webhook.id,
        attempt: claim.attempt,
        status,
        fault,
        durationMs,
      },
      'Webhook attempted',
    );
    if (isGone || isFailing) await disable(webhook, isGone ? 'gone' : 'failing');
  }

  async function attempt(claim: DeliveryClaim): Promise<void> {
    const [delivery, webhook] = await Promise.all([
      db.orm.webhookDelivery.findUnique({ where: { id: claim.id }, include: DELIVERED }),
      db.orm.webhook.findUnique({ where: { id: claim.webhookId }, include: WITH_FORMER_SECRETS }),
    ]);
    // The submission was erased, or the endpoint deleted, and the delivery with it.
    if (!delivery || !webhook) return;
    await send(claim, delivery, webhook).catch((error) =>
      warn(error, 'Webhook attempt failed', { ...idsOf(delivery), deliveryId: claim.id }),
    );
  }

  function begin(claim: DeliveryClaim): void {
    const running = attempt(claim)
      .catch((error: Error) => warn(error, 'Webhook delivery not read', { deliveryId: claim.id }))
      // Its place is free for the next delivery.
      .then(() => deliver(claim.webhookId))
      .catch((error: Error) => warn(error, 'Webhook claim failed'))
      .finally(() => inFlight.delete(running));
    inFlight.add(running);
  }

  async function deliver(webhookId: string): Promise<void> {
    if (claiming.has(webhookId)) return void askedAgain.add(webhookId);
    claiming.add(webhookId);
    try {
      do {
        askedAgain.delete(webhookId);
        const room = IN_FLIGHT - inFlight.size;
        if (stopping.signal.aborted || room <= 0) return;
        for (const claim of await claimDeliveries(db, webhookId, room)) begin(claim);
      } while (askedAgain.has(webhookId));
    } finally {
      claiming.delete(webhookId);
    }
  }

  return {
    bodyOf,

    /**
     * Begins the attempts at what is due for an endpoint, as far as its concurrency allows. It does not wait for their
     * ends; each then begins the next one. A receiver that hangs therefore holds up no job of another.
     */
    deliver,

    /** Hands over the endpoints for which deliveries are due. @returns how many. */
    async reconcile(): Promise<number> {
      const due = await findDueWebhooks(db);
      await queues.enqueue(webhookDeliveryJob, jobsOf(webhookDeliveryJob, due));
      return due.length;
    },

    /** Ends what waits for disabled endpoints, and continues redeliveries, in portions; the next run goes on. */
    async runPortions(): Promise<void> {
      for (const [ids, change] of [
        [await findEnding(db), endWaiting],
        [await findRedeliveries(db), continueRedelivery],
      ] as const) {
        for (const id of ids) {
          if (stopping.signal.aborted) return;
          await changeInPortions((limit) => change(db, id, limit));
        }
      }
    },

    /** Deletes deliveries that are no longer kept, and secrets that no longer sign. */
    async purge(): Promise<void> {
      await db.orm.webhook.updateMany({
        where: { previousUntil: { lt: clock() } },
        data: { previousCipher: null, previousUntil: null },
      });
      await db.orm.webhookFormerSecret.deleteMany({ where: { signsUntil: { lt: clock() } } });
      await changeInPortions((limit) => deleteOldDeliveries(db, limit));
    },

    /** Begins no further attempt. */
    stop: () => stopping.abort(),

    /** Breaks off the attempts in flight; they are due again at once. */
    abort: () => breakingOff.abort(),

    /** Resolves when no attempt is in flight. */
    async drained(): Promise<void> {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
}
