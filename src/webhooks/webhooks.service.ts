import { v7 as uuid } from 'uuid';
import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import type { Page } from '../db/paging.js';
import { lockRow } from '../db/row-lock.js';
import { conflict, invalid, notFound } from '../errors.js';
import type { Prisma, Webhook, WebhookDelivery } from '../generated/prisma/client.js';
import { changes } from '../lib/changes.js';
import type { Clock } from '../lib/clock.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import { inOrderOf } from '../lib/group-by.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Queues } from '../queue/queues.js';
import {
  type Again,
  type DeliveryPlace,
  deleteDeliveriesOf,
  endWaiting,
  listDeliveries,
  lockWebhook,
  reopenDeliveries,
} from './deliveries.queries.js';
import { DELIVERED, type Delivered } from './message.js';
import { generateSecret } from './signing.js';
import type { WebhookSettings } from './webhook.schema.js';
import { webhookDeliveryJob, webhookDeliveryJobs } from './webhook-delivery.job.js';
import { TEST_EVENT } from './webhook-events.js';

/** Maximum endpoints of a team. */
const MAX_WEBHOOKS = 10;

/** For how long the secret before a rotation still signs. */
const OVERLAP_MS = 86_400_000;

/** An endpoint as its team sees it. */
export type ListedWebhook = Omit<Webhook, 'secretCipher' | 'previousCipher'>;

/** A delivery with its attempts, the first one first. */
export type ListedDelivery = Prisma.WebhookDeliveryGetPayload<{ include: typeof WITH_ATTEMPTS }>;

const WITH_ATTEMPTS = {
  ...DELIVERED,
  attemptLog: { orderBy: { number: 'asc' } },
} as const satisfies Prisma.WebhookDeliveryInclude;

const WITHOUT_SECRETS = { secretCipher: true, previousCipher: true } as const;

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

/** What the audit trail says of an endpoint: the host alone, since a path may be a secret. */
const detailOf = ({ url, events }: Pick<Webhook, 'url' | 'events'>) => ({
  host: new URL(url).host,
  events: [...events],
});

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Manages the endpoints of teams. The caller checks that the viewer may. */
export function createWebhooks({ db, queues, cipher, clock, log, bodyOf }: Services) {
  /** Hands an endpoint over; when that fails, the reconciler does. */
  function handOver(id: string): void {
    queues.enqueue(webhookDeliveryJob, webhookDeliveryJobs([id])).catch((error: Error) => {
      log.warn({ err: error, webhookId: id }, 'Webhook not handed over');
    });
  }

  /** Requires that websites and forms are the team's. @throws 422. */
  async function requireOwn(teamId: number, { websiteIds, formIds }: WebhookSettings): Promise<void> {
    const [websites, forms] = await Promise.all([
      db.orm.website.count({ where: { teamId, id: { in: websiteIds } } }),
      db.orm.form.count({ where: { teamId, id: { in: formIds } } }),
    ]);
    const fault = ['is not of this team'];
    if (websites < websiteIds.length) throw invalid({ 'input.websiteIds': fault });
    if (forms < formIds.length) throw invalid({ 'input.formIds': fault });
  }

  const audit = (tx: Transaction, actor: Actor, action: string, { id, teamId }: Webhook, detail = {}) =>
    recordAudit(tx, actor, {
      ...{ teamId, action: `webhook.${action}`, subject: ['webhook', id], detail },
    });

  async function findDeliveries(ids: readonly string[]): Promise<ListedDelivery[]> {
    const rows = await db.orm.webhookDelivery.findMany({
      where: { id: { in: [...ids] } },
      include: WITH_ATTEMPTS,
    });
    return inOrderOf(ids, rows).filter((row) => row !== null);
  }

  return {
    /** Finds an endpoint; null when there is none. */
    find: (id: string): Promise<ListedWebhook | null> =>
      db.orm.webhook.findUnique({ where: { id }, omit: WITHOUT_SECRETS }),

    /** Lists the endpoints of a team, the oldest first. */
    listOfTeam: (teamId: number): Promise<ListedWebhook[]> =>
      db.orm.webhook.findMany({
        where: { teamId },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
        omit: WITHOUT_SECRETS,
      }),

    /**
     * Creates an endpoint.
     *
     * @returns its id, and the secret, which is shown once.
     * @throws 422 for websites or forms of another team, 409 when the team has as many endpoints as it may.
     */
    async create(teamId: number, settings: WebhookSettings, actor: Actor) {
      await requireOwn(teamId, settings);
      const id = uuid();
      const { secret, secretCipher } = generateSecret(cipher, id);
      await db.orm.$transaction(async (tx) => {
        await lockRow(tx, 'teams', teamId, 'NO KEY UPDATE');
        const count = await tx.webhook.count({ where: { teamId } });
        if (count >= MAX_WEBHOOKS) throw conflict(`A team has ${MAX_WEBHOOKS} webhooks at most.`);
        const webhook = await tx.webhook.create({
          data: { ...columnsOf(settings), id, teamId, secretCipher, createdAt: clock() },
        });
        await audit(tx, actor, 'created', webhook, detailOf(settings));
      });
      return { id, secret };
    },

    /**
     * Replaces the settings of an endpoint. Disabling it ends what waits for it; enabling it again begins anew.
     *
     * @throws 404, 422 for websites or forms of another team.
     */
    async update({ id, teamId }: ListedWebhook, settings: WebhookSettings, actor: Actor): Promise<void> {
      await requireOwn(teamId, settings);
      await db.orm.$transaction(async (tx) => {
        const before = await tx.webhook.findUnique({ where: { id } });
        if (!before) throw notFound('Webhook not found.');
        const isEnabledAgain = settings.enabled && before.state !== 'active';
        const changed = changes(before, {
          ...columnsOf(settings),
          ...(isEnabledAgain && { state: 'active' as const, failingSince: null }),
          // Disabled by Formgate stays so, with its reason.
          ...(!settings.enabled && before.state !== 'active' && { state: before.state }),
        });
        if (!changed) return;
        await tx.webhook.update({ where: { id }, data: changed });
        if (!settings.enabled) await endWaiting(tx, id);
        await audit(tx, actor, 'updated', before, {
          ...detailOf(settings),
          changed: Object.keys(changed).filter((key) => key !== 'failingSince'),
        });
      });
    },

    /** Deletes an endpoint with its deliveries. @throws 404. */
    async remove({ id }: ListedWebhook, actor: Actor): Promise<void> {
      await db.orm.$transaction(async (tx) => {
        const webhook = await tx.webhook.findUnique({ where: { id } });
        if (!webhook || (await tx.webhook.deleteMany({ where: { id } })).count === 0) {
          throw notFound('Webhook not found.');
        }
        await audit(tx, actor, 'deleted', webhook, detailOf(webhook));
      });
      while ((await deleteDeliveriesOf(db, id)) > 0);
    },

    /** Draws a new secret for an endpoint; the one before it signs beside it for a day. @throws 404. */
    async rotateSecret({ id }: ListedWebhook, actor: Actor): Promise<string> {
      const { secret, secretCipher } = generateSecret(cipher, id);
      await db.orm.$transaction(async (tx) => {
        const [before] = await lockWebhook(tx, id);
        if (!before) throw notFound('Webhook not found.');
        const webhook = await tx.webhook.update({
          where: { id },
          data: {
            ...{ secretCipher, previousCipher: before.secretCipher },
            previousUntil: new Date(clock().getTime() + OVERLAP_MS),
          },
        });
        await audit(tx, actor, 'secret_rotated', webhook);
      });
      return secret;
    },

    /** Writes the delivery of a test, which is sent once. */
    async sendTest({ id, teamId }: ListedWebhook, actor: Actor): Promise<ListedDelivery> {
      const delivery = await db.orm.$transaction(async (tx): Promise<WebhookDelivery> => {
        await recordAudit(tx, actor, { teamId, action: 'webhook.tested', subject: ['webhook', id] });
        return tx.webhookDelivery.create({
          data: { webhookId: id, type: TEST_EVENT, payload: { webhook: { id } }, createdAt: clock() },
        });
      });
      handOver(id);
      const [listed] = await findDeliveries([delivery.id]);
      return listed!;
    },

    /**
     * Makes deliveries of an active endpoint that have ended pending again, with their ids.
     *
     * @returns how many.
     * @throws 409 when the endpoint is disabled.
     */
    async redeliver({ id, teamId }: ListedWebhook, which: Again, actor: Actor): Promise<number> {
      const count = await db.orm.$transaction(async (tx) => {
        const [webhook] = await lockWebhook(tx, id);
        if (webhook?.state !== 'active') throw conflict('The webhook is disabled: enable it first.');
        const reopened = await reopenDeliveries(tx, id, which);
        await recordAudit(tx, actor, {
          ...{ teamId, action: 'webhook.redelivered', subject: ['webhook', id] },
          detail: { deliveries: reopened, ...(which.since && { since: which.since.toISOString() }) },
        });
        return reopened;
      });
      if (count > 0) handOver(id);
      return count;
    },

    /** Lists the places of an endpoint's deliveries on a page, the newest first. */
    listDeliveries: (id: string, page: Page): Promise<DeliveryPlace[]> => listDeliveries(db, id, page),

    /** Finds deliveries by their ids, in the same order, without those that are gone. */
    findDeliveries,

    /** Renders the body of a delivery as an attempt would send it now. */
    bodyOf,
  };
}
