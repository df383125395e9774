import { v7 as uuid } from 'uuid';
import type { Actor } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import type { Page } from '../db/paging.js';
import { changeInPortions } from '../db/portions.js';
import { lockRow } from '../db/row-lock.js';
import { retryTransaction } from '../db/transaction-retry.js';
import { conflict, webhookNotFound } from '../errors.js';
import type { Prisma, WebhookDelivery } from '../generated/prisma/client.js';
import { changes } from '../lib/changes.js';
import type { Clock } from '../lib/clock.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import { DAY_MS } from '../lib/durations.js';
import { inOrderOf } from '../lib/group-by.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { jobsOf } from '../queue/define-job.js';
import type { Queues } from '../queue/queues.js';
import {
  type DeliveryPosition,
  deleteDeliveriesOf,
  listDeliveries,
  lockWebhook,
  reopenDeliveries,
} from './deliveries.queries.js';
import { endWaiting, hasWaiting } from './ending.queries.js';
import { DELIVERED, type Delivered } from './message.js';
import { findNarrowings, requireOwn } from './narrowing.js';
import { beginRedelivery } from './redelivery.queries.js';
import { formerSecretsAt, generateSecret, WITH_FORMER_SECRETS } from './signing.js';
import type { Redelivery, WebhookSettings } from './webhook.schema.js';
import { auditWebhook, changeDetailOf, detailOf } from './webhook-audit.js';
import { webhookDeliveryJob } from './webhook-delivery.job.js';
import { type DeliveryType, TEST_EVENT, type WebhookEvent } from './webhook-events.js';
import { MAX_FORMER_SECRETS, MAX_WEBHOOKS } from './webhook-limits.js';

/** For how long the secret before a rotation still signs. */
const OVERLAP_MS = DAY_MS;

/** An endpoint as its team sees it. */
export type ListedWebhook = Omit<WebhookRow, 'events'> & { events: WebhookEvent[] };

type WebhookRow = Prisma.WebhookGetPayload<typeof LISTED>;

/** A delivery with its attempts, the first one first. */
export type ListedDelivery = Omit<DeliveryRow, 'type'> & { type: DeliveryType };

type DeliveryRow = Prisma.WebhookDeliveryGetPayload<{ include: typeof WITH_ATTEMPTS }>;

const WITH_ATTEMPTS = {
  ...DELIVERED,
  attemptLog: { orderBy: { number: 'asc' } },
} as const satisfies Prisma.WebhookDeliveryInclude;

const LISTED = {
  omit: {
    secretCipher: true,
    previousCipher: true,
    redeliverSince: true,
    redeliverBefore: true,
    redeliverBeforeId: true,
  },
  include: { formerSecrets: { select: { signsUntil: true }, orderBy: { signsUntil: 'desc' } } },
} as const satisfies Prisma.WebhookDefaultArgs;

type Services = Readonly<{
  db: Db;
  queues: Pick<Queues, 'enqueue'>;
  cipher: Cipher;
  clock: Clock;
  log: Logger;
  /** Renders the body of a delivery. */
  bodyOf(delivery: Delivered): Promise<string>;
}>;

/** Settings as columns of an endpoint's row; an endpoint that is enabled is active. */
const columnsOf = ({ enabled, ...settings }: WebhookSettings) => ({
  ...settings,
  ...(!enabled && { state: 'paused' as const }),
});

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Manages the endpoints of teams. The caller checks that the viewer may. */
export function createWebhooks({ db, queues, cipher, clock, log, bodyOf }: Services) {
  const warn = limitLog(log);

  /** Hands an endpoint over; when that fails, the reconciler does. */
  function handOver(id: string): void {
    queues
      .enqueue(webhookDeliveryJob, jobsOf(webhookDeliveryJob, [{ webhookId: id }]))
      .catch((error: Error) => warn(error, 'Webhook not handed over', { webhookId: id }));
  }

  async function findDeliveries(ids: readonly string[]): Promise<ListedDelivery[]> {
    const rows = await db.orm.webhookDelivery.findMany({
      where: { id: { in: [...ids] } },
      include: WITH_ATTEMPTS,
    });
    return inOrderOf(ids, rows as ListedDelivery[]).filter((row) => row !== null);
  }

  return {
    /** Finds an endpoint; null when there is none. */
    async find(id: string): Promise<ListedWebhook | null> {
      return (await db.orm.webhook.findUnique({ where: { id }, ...LISTED })) as ListedWebhook | null;
    },

    /** Lists the endpoints of a team, the oldest first. */
    async listOfTeam(teamId: number): Promise<ListedWebhook[]> {
      const rows = await db.orm.webhook.findMany({
        where: { teamId },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        ...LISTED,
      });
      return rows as ListedWebhook[];
    },

    /** Names what endpoints are narrowed to, in the order of the endpoints. */
    narrowedTo: (webhooks: readonly ListedWebhook[]) => findNarrowings(db.orm, webhooks),

    /** Lists until when each former secret of an endpoint signs, the latest first. */
    formerSecretsUntil: ({ previousUntil, formerSecrets }: ListedWebhook): Date[] =>
      [previousUntil, ...formerSecrets.map(({ signsUntil }) => signsUntil)].filter(
        (until): until is Date => until !== null && until > clock(),
      ),

    /**
     * Creates an endpoint.
     *
     * @returns its id, and the secret, which is shown once.
     * @throws 422 for websites or forms of another team, 409 when the team has as many endpoints as it may.
     */
    async create(teamId: number, settings: WebhookSettings, actor: Actor) {
      await requireOwn(db, teamId, settings);
      const id = uuid();
      const { secret, secretCipher } = generateSecret(cipher, id);
      await db.orm.$transaction(async (tx) => {
        await lockRow(tx, 'teams', teamId, 'NO KEY UPDATE');
        const count = await tx.webhook.count({ where: { teamId } });
        if (count >= MAX_WEBHOOKS) throw conflict(`A team has ${MAX_WEBHOOKS} webhooks at most.`);
        const webhook = await tx.webhook.create({
          data: { ...columnsOf(settings), id, teamId, secretCipher, createdAt: clock() },
        });
        await auditWebhook(tx, actor, 'created', webhook, detailOf(settings));
      });
      return { id, secret };
    },

    /**
     * Replaces the settings of an endpoint. Disabling it ends what waits for it, by the worker; enabling it again
     * begins anew.
     *
     * @throws 404, 422 for websites or forms of another team, 409 to enable it while so much waits that it has not
     * ended.
     */
    async update(webhook: ListedWebhook, settings: WebhookSettings, actor: Actor): Promise<void> {
      const { id, teamId } = webhook;
      await requireOwn(db, teamId, settings, webhook);
      if (settings.enabled) await changeInPortions((limit) => endWaiting(db, id, limit));
      await db.orm.$transaction(async (tx) => {
        await lockWebhook(tx, id);
        const before = await tx.webhook.findUnique({ where: { id } });
        if (!before) throw webhookNotFound();
        const isEnabledAgain = settings.enabled && before.state !== 'active';
        if (isEnabledAgain && (await hasWaiting(tx, id))) {
          throw conflict(
            'Deliveries that waited when the webhook was disabled are still being ended. Try again in a moment.',
          );
        }
        const changed = changes(before, {
          ...columnsOf(settings),
          ...(isEnabledAgain && { state: 'active' as const }),
          // A new address, or one that is tried anew, has not failed yet.
          ...((isEnabledAgain || settings.url !== before.url) && { failingSince: null }),
          // Disabled by Formgate stays so, with its reason.
          ...(!settings.enabled && before.state !== 'active' && { state: before.state }),
        });
        if (!changed) return;
        await tx.webhook.update({
          where: { id },
          data: { ...changed, ...(!settings.enabled && { redeliverSince: null }) },
        });
        const detail = { ...detailOf(settings), ...(await changeDetailOf(tx, before, changed)) };
        await auditWebhook(tx, actor, 'updated', before, detail);
      });
    },

    /** Deletes an endpoint with its deliveries. @throws 404. */
    async remove({ id }: ListedWebhook, actor: Actor): Promise<void> {
      await db.orm.$transaction(async (tx) => {
        const webhook = await tx.webhook.findUnique({ where: { id } });
        if (!webhook || (await tx.webhook.deleteMany({ where: { id } })).count === 0) {
          throw webhookNotFound();
        }
        await auditWebhook(tx, actor, 'deleted', webhook, detailOf(webhook));
      });
      while ((await deleteDeliveriesOf(db, id)) > 0);
    },

    /**
     * Draws a new secret for an endpoint; the one before it signs beside it for a day.
     *
     * @throws 404, 409 while as many former secrets sign as may: to end one early would refuse messages.
     */
    async rotateSecret({ id }: ListedWebhook, actor: Actor): Promise<string> {
      const { secret, secretCipher } = generateSecret(cipher, id);
      await db.orm.$transaction(async (tx) => {
        await lockWebhook(tx, id);
        const before = await tx.webhook.findUnique({ where: { id }, include: WITH_FORMER_SECRETS });
        if (!before) throw webhookNotFound();
        const now = clock();
        const former = formerSecretsAt(before, now);
        const first = former.at(-1);
        if (first && former.length >= MAX_FORMER_SECRETS) {
          throw conflict(
            `${MAX_FORMER_SECRETS} former secrets still sign, the first until ${first.signsUntil.toISOString()}.`,
          );
        }
        const { previousCipher, previousUntil } = before;
        // A previous secret that no longer signs is overwritten.
        if (previousCipher && previousUntil && previousUntil > now) {
          await tx.webhookFormerSecret.create({
            data: { webhookId: id, secretCipher: previousCipher, signsUntil: previousUntil },
          });
        }
        const webhook = await tx.webhook.update({
          where: { id },
          data: {
            secretCipher,
            previousCipher: before.secretCipher,
            previousUntil: new Date(now.getTime() + OVERLAP_MS),
          },
        });
        await auditWebhook(tx, actor, 'secret_rotated', webhook);
      });
      return secret;
    },

    /** Writes the delivery of a test, which is sent once. */
    async sendTest({ id, teamId }: ListedWebhook, actor: Actor): Promise<ListedDelivery> {
      const delivery = await db.orm.$transaction(async (tx): Promise<WebhookDelivery> => {
        await auditWebhook(tx, actor, 'tested', { id, teamId });
        return tx.webhookDelivery.create({
          data: { webhookId: id, type: TEST_EVENT, payload: { webhook: { id } }, createdAt: clock() },
        });
      });
      handOver(id);
      const [listed] = await findDeliveries([delivery.id]);
      if (!listed) throw webhookNotFound();
      return listed;
    },

    /**
     * Sends deliveries of an active endpoint again, with their ids: those that have ended or wait for a retry. All
     * since a time are counted, and reopened by the worker.
     *
     * @returns how many.
     * @throws 409 when the endpoint is disabled, or while its redelivery since an earlier time goes on.
     */
    async redeliver({ id, teamId }: ListedWebhook, { deliveryIds, since }: Redelivery, actor: Actor) {
      const reopen = async (tx: Transaction) => {
        await lockWebhook(tx, id);
        const webhook = await tx.webhook.findUnique({ where: { id } });
        if (webhook?.state !== 'active') throw conflict('The webhook is disabled: enable it first.');
        if (since && webhook.redeliverSince) {
          throw conflict('An earlier redelivery of the webhook still goes on: try again in a moment.');
        }
        const reopened = since
          ? await beginRedelivery(tx, id, since)
          : await reopenDeliveries(tx, id, deliveryIds ?? []);
        const detail = { deliveries: reopened, ...(since && { since: since.toISOString() }) };
        await auditWebhook(tx, actor, 'redelivered', { id, teamId }, detail);
        return reopened;
      };
      // Deliveries of submissions that are deleted meanwhile are locked in another order.
      const count = await retryTransaction(() => db.orm.$transaction(reopen));
      if (count > 0) handOver(id);
      return count;
    },

    /** Lists the places of an endpoint's deliveries on a page, the newest first. */
    listDeliveries: (id: string, page: Page): Promise<DeliveryPosition[]> => listDeliveries(db, id, page),

    /** Finds deliveries by their ids, in the same order, without those that are gone. */
    findDeliveries,

    /** Tells when a delivery is tried next; null when it has ended, or while an attempt is in flight. */
    nextAttemptOf: ({ state, claimedUntil, nextAttemptAt }: ListedDelivery): Date | null =>
      state !== 'pending' || (claimedUntil && claimedUntil > clock()) ? null : nextAttemptAt,

    /** Renders the body of a delivery as an attempt would send it now. */
    bodyOf,
  };
}
