import type { Db, Transaction } from '../db/client.js';
import { type Page, pageSql, type SortKey } from '../db/paging.js';
import { Prisma, type WebhookState } from '../generated/prisma/client.js';
import { TEST_EVENT } from './webhook-events.js';

/** Attempts of one endpoint that are in flight at once, over all workers. */
export const CONCURRENCY_EACH = 5;

/** Seconds that a lease lasts: an attempt is bounded by half of it, so none outlives its lease. */
export const LEASE_S = 30;

/** Days in which everything fails before an endpoint is disabled. */
const FAILING_DAYS = 5;

/** Days for which deliveries that have ended are kept, with their attempts. */
const KEPT_DAYS = 30;

/** Maximum endpoints, or rows, that one statement reads or deletes. */
const BATCH = 5_000;

/** A claim to one attempt at a delivery, which only this process may make. */
export type DeliveryClaim = Readonly<{
  id: string;
  webhookId: string;
  /** Number of the attempt, which is the fencing token: a claim with an outdated one no longer changes the delivery. */
  attempt: number;
  /** Failures before this attempt, since the delivery was last asked for. */
  retries: number;
}>;

/** How an attempt ended. */
export type EndedAttempt = Readonly<{
  claim: DeliveryClaim;
  ok: boolean;
  /** Seconds until the retry; null: there is none. */
  pauseS: number | null;
  /** Whether it tells how the endpoint is: the test of an endpoint does not count. */
  counts: boolean;
  status: number | null;
  fault: string | null;
  answer: string;
  startedAt: Date;
  durationMs: number;
}>;

/** Finds the endpoints for which deliveries are due. */
export async function findDueWebhooks(db: Db): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT w.id FROM webhooks w
     WHERE EXISTS (SELECT FROM webhook_deliveries d
                    WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at <= now())
     LIMIT ${BATCH}`;
  return rows.map(({ id }) => id);
}

/**
 * Claims deliveries of an endpoint that are due, for one attempt each, as many as its concurrency leaves room for.
 *
 * The lock of the endpoint lets one claim come after the other, so that the second sees what the first has in flight.
 * What is due for a disabled endpoint ends here, but for tests.
 */
export function claimDeliveries(db: Db, webhookId: string, limit: number): Promise<DeliveryClaim[]> {
  return db.orm.$transaction(async (tx) => {
    const [webhook] = await lockWebhook(tx, webhookId);
    if (!webhook) return [];
    if (webhook.state !== 'active') await endPending(tx, webhookId, Prisma.sql`next_attempt_at <= now()`);
    return tx.$queryRaw`
      WITH due AS MATERIALIZED (
        SELECT id FROM webhook_deliveries
         WHERE webhook_id = ${webhookId}::uuid AND state = 'pending' AND next_attempt_at <= now()
         ORDER BY next_attempt_at
         LIMIT least(${limit}, (
           SELECT greatest(${CONCURRENCY_EACH} - count(*), 0) FROM webhook_deliveries
            WHERE webhook_id = ${webhookId}::uuid AND claimed_until IS NOT NULL AND claimed_until > now()))
           FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE webhook_deliveries d
         SET attempts = attempts + 1, claimed_until = now() + make_interval(secs => ${LEASE_S}),
             next_attempt_at = now() + make_interval(secs => ${LEASE_S})
        FROM due WHERE d.id = due.id
      RETURNING d.id::text AS id, d.webhook_id::text AS "webhookId", d.attempts AS attempt, d.retries`;
  });
}

/** Locks an endpoint until the transaction ends, and reads its state and secret. */
export const lockWebhook = (
  tx: Transaction,
  id: string,
): Promise<{ state: WebhookState; secretCipher: Uint8Array<ArrayBuffer> }[]> => tx.$queryRaw`
  SELECT state, secret_cipher AS "secretCipher" FROM webhooks WHERE id = ${id}::uuid FOR NO KEY UPDATE`;

/** Ends pending deliveries of an endpoint without an attempt, but for tests. */
const endPending = (tx: Transaction, webhookId: string, which: Prisma.Sql): Promise<number> => tx.$executeRaw`
  UPDATE webhook_deliveries SET state = 'failed', claimed_until = NULL
   WHERE webhook_id = ${webhookId}::uuid AND state = 'pending' AND type <> ${TEST_EVENT} AND ${which}`;

/** Ends the pending deliveries of an endpoint that is disabled; an attempt in flight ends them itself. */
export const endWaiting = (tx: Transaction, webhookId: string): Promise<number> =>
  endPending(tx, webhookId, Prisma.sql`(claimed_until IS NULL OR claimed_until <= now())`);

/**
 * Records an attempt with its consequence, in one statement.
 *
 * @returns whether its endpoint has failed for so long that it is to be disabled.
 */
export async function recordAttempt(db: Db, attempt: EndedAttempt): Promise<boolean> {
  const { claim, ok, pauseS, counts, status, fault, answer, startedAt, durationMs } = attempt;
  const state = ok ? 'delivered' : pauseS === null ? 'failed' : 'pending';
  const [row] = await db.orm.$queryRaw<{ isFailing: boolean }[]>`
    WITH logged AS (
      INSERT INTO webhook_attempts (delivery_id, number, status, fault, answer, started_at, duration_ms)
      SELECT id, ${claim.attempt}, ${status}::int, ${fault}, ${answer}, ${startedAt}, ${durationMs}
        FROM webhook_deliveries WHERE id = ${claim.id}::uuid
      ON CONFLICT DO NOTHING
    ), ended AS (
      UPDATE webhook_deliveries
         SET state = ${state}::webhook_delivery_state, claimed_until = NULL,
             retries = retries + ${ok ? 0 : 1}::int,
             next_attempt_at = now() + make_interval(secs => ${pauseS ?? 0}::float8)
       WHERE id = ${claim.id}::uuid AND attempts = ${claim.attempt} AND state = 'pending'
    ), judged AS (
      UPDATE webhooks SET failing_since = CASE WHEN ${ok} THEN NULL ELSE coalesce(failing_since, ${startedAt}) END
       WHERE id = ${claim.webhookId}::uuid AND ${counts} AND (failing_since IS NULL) <> ${ok}
    )
    SELECT ${counts} AND NOT ${ok} AND state = 'active'
           AND coalesce(failing_since < now() - make_interval(days => ${FAILING_DAYS}), false) AS "isFailing"
      FROM webhooks WHERE id = ${claim.webhookId}::uuid`;
  return row?.isFailing ?? false;
}

/** Gives back a claim whose attempt was broken off: the delivery is due at once. */
export async function releaseClaim(db: Db, { id, attempt }: DeliveryClaim): Promise<void> {
  await db.orm.$executeRaw`
    UPDATE webhook_deliveries SET claimed_until = NULL, next_attempt_at = now()
     WHERE id = ${id}::uuid AND attempts = ${attempt} AND state = 'pending'`;
}

/** Selects deliveries to send again: by their ids, or all since a time. */
export type Again = Readonly<{ deliveryIds: readonly string[] | null; since: Date | null }>;

/** Makes deliveries of an endpoint that have ended pending again, with their ids. @returns how many. */
export const reopenDeliveries = (
  tx: Transaction,
  webhookId: string,
  { deliveryIds, since }: Again,
): Promise<number> => tx.$executeRaw`
  UPDATE webhook_deliveries SET state = 'pending', retries = 0, next_attempt_at = now()
   WHERE webhook_id = ${webhookId}::uuid AND state <> 'pending'
     AND ${deliveryIds ? Prisma.sql`id = ANY (${[...deliveryIds]}::uuid[])` : Prisma.sql`type <> ${TEST_EVENT}`}
     AND ${since ? Prisma.sql`created_at >= ${since}` : Prisma.sql`TRUE`}`;

const NEWEST_FIRST: SortKey = [
  { sql: 'created_at', type: 'timestamptz' },
  { sql: 'id', type: 'uuid' },
];

/** A delivery's place in the list: its time to the microsecond, and its id. */
export type DeliveryPlace = Readonly<{ id: string; at: string }>;

/** Lists the places of an endpoint's deliveries on a page, the newest first. */
export function listDeliveries(db: Db, webhookId: string, page: Page): Promise<DeliveryPlace[]> {
  const { beyond, order, limit } = pageSql(page, NEWEST_FIRST, 'descending');
  return db.orm.$queryRaw`
    SELECT id::text AS id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
      FROM webhook_deliveries WHERE webhook_id = ${webhookId}::uuid AND ${beyond}
     ORDER BY ${order} LIMIT ${limit}`;
}

/** Deletes deliveries of an endpoint that is gone. @returns how many of a portion there were. */
export const deleteDeliveriesOf = (db: Db, webhookId: string): Promise<number> => db.orm.$executeRaw`
  DELETE FROM webhook_deliveries WHERE id IN (
    SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhookId}::uuid LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`;

/** Deletes a portion of the deliveries that are no longer kept. @returns how many there were. */
export const deleteOldDeliveries = (db: Db, limit = BATCH): Promise<number> => db.orm.$executeRaw`
  DELETE FROM webhook_deliveries WHERE id IN (
    SELECT d.id FROM webhook_deliveries d
     WHERE d.created_at < now() - make_interval(days => ${KEPT_DAYS})
       AND (d.state <> 'pending' OR NOT EXISTS (SELECT FROM webhooks w WHERE w.id = d.webhook_id))
     ORDER BY d.created_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED)`;

/** The backlog of deliveries in the whole installation. */
export type DeliveryBacklog = Readonly<{
  /** Deliveries that are neither delivered nor failed. */
  pending: number;
  /** Seconds since the oldest delivery without any failure was written; 0 when there is none. */
  oldestS: number;
  /** Active endpoints whose last attempt failed. */
  failing: number;
}>;

/** Measures the backlog of deliveries. */
export async function readDeliveryBacklog(db: Db): Promise<DeliveryBacklog> {
  const [row] = await db.orm.$queryRaw<[DeliveryBacklog]>`
    SELECT count(*)::int AS pending,
           coalesce(extract(epoch FROM now() - min(d.created_at) FILTER (WHERE d.retries = 0)), 0)::float8 AS "oldestS",
           (SELECT count(*)::int FROM webhooks WHERE state = 'active' AND failing_since IS NOT NULL) AS failing
      FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
     WHERE d.state = 'pending'`;
  return row;
}
