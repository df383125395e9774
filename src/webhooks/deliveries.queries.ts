import type { Db, Transaction } from '../db/client.js';
import { type Page, pageSql, type SortKey } from '../db/paging.js';
import { Prisma, type WebhookState } from '../generated/prisma/client.js';
import { IS_REMEMBERED } from './outbox.queries.js';
import { IS_REOPENABLE, REOPEN } from './redelivery.queries.js';
import { TEST_EVENT } from './webhook-events.js';

/** Attempts of one endpoint that are in flight at once, over all workers. */
const CONCURRENCY_EACH = 5;

/** Seconds that a lease lasts: an attempt is bounded by half of it, so none outlives its lease. */
const DELIVERY_LEASE_S = 30;

/** Days of attempts that all fail before an endpoint is disabled. */
const FAILING_DAYS = 5;

/** Hours without an attempt that count as a silence; longer than the longest pause before a retry, 29. */
const SILENCE_HOURS = 36;

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
  /** Whether it is the test of an endpoint, which may end the failures of one that is enabled and never begins them. */
  isTest: boolean;
  status: number | null;
  fault: string | null;
  answer: string;
  startedAt: Date;
  durationMs: number;
}>;

/** Finds the endpoints for which deliveries are due; those of a disabled one are tests. */
export const findDueWebhooks = (db: Db): Promise<{ webhookId: string }[]> => db.orm.$queryRaw`
  SELECT w.id AS "webhookId" FROM webhooks w
   WHERE EXISTS (SELECT FROM webhook_deliveries d
                  WHERE d.webhook_id = w.id AND d.state = 'pending' AND d.next_attempt_at <= now()
                    AND (w.state = 'active' OR d.type = ${TEST_EVENT}))
   LIMIT ${BATCH}`;

/**
 * Claims deliveries of an endpoint that are due, for one attempt each, as many as its concurrency leaves room for.
 *
 * The lock of the endpoint lets one claim come after the other, so that the second sees what the first has in flight.
 * A disabled endpoint gets tests alone.
 */
export function claimDeliveries(db: Db, webhookId: string, limit: number): Promise<DeliveryClaim[]> {
  return db.orm.$transaction(async (tx) => {
    const [webhook] = await lockWebhook(tx, webhookId);
    if (!webhook) return [];
    const isSent = webhook.state === 'active' ? Prisma.sql`TRUE` : Prisma.sql`type = ${TEST_EVENT}`;
    return tx.$queryRaw`
      WITH due AS MATERIALIZED (
        SELECT id FROM webhook_deliveries
         WHERE webhook_id = ${webhookId}::uuid AND state = 'pending' AND next_attempt_at <= now()
           AND ${isSent}
         ORDER BY next_attempt_at
         LIMIT least(${limit}, (
           SELECT greatest(${CONCURRENCY_EACH} - count(*), 0) FROM webhook_deliveries
            WHERE webhook_id = ${webhookId}::uuid AND claimed_until IS NOT NULL AND claimed_until > now()))
           FOR NO KEY UPDATE SKIP LOCKED
      )
      UPDATE webhook_deliveries d
         SET attempts = attempts + 1, claimed_until = now() + make_interval(secs => ${DELIVERY_LEASE_S}),
             next_attempt_at = now() + make_interval(secs => ${DELIVERY_LEASE_S})
        FROM due WHERE d.id = due.id
      RETURNING d.id::text AS id, d.webhook_id::text AS "webhookId", d.attempts AS attempt, d.retries`;
  });
}

/** Locks an endpoint until the transaction ends, and reads its state. */
export const lockWebhook = (tx: Transaction, id: string): Promise<{ state: WebhookState }[]> => tx.$queryRaw`
  SELECT state FROM webhooks WHERE id = ${id}::uuid FOR NO KEY UPDATE`;

/**
 * Builds the columns that an attempt that counts changes on its endpoint: a success ends the failures.
 *
 * A failure puts off the time of disabling by the silence before it, if there was one: of that time it is unknown how
 * the endpoint was. Columns of failures before the present ones are older than its first and have no effect, so that
 * nothing has to clear them.
 */
function endpointHealth({ ok, startedAt }: EndedAttempt): Prisma.Sql {
  if (ok) return Prisma.sql`failing_since = NULL`;
  const at = Prisma.sql`${startedAt}::timestamptz`;
  const first = Prisma.sql`coalesce(failing_since, ${at})`;
  const silence = Prisma.sql`(${at} - greatest(last_failed_at, ${first}))`;
  return Prisma.sql`
    failing_since = ${first}, last_failed_at = greatest(last_failed_at, ${at}),
    disable_at = greatest(disable_at, ${first} + make_interval(days => ${FAILING_DAYS}))
      + CASE WHEN ${silence} >= make_interval(hours => ${SILENCE_HOURS}) THEN ${silence} ELSE interval '0' END`;
}

/**
 * Records an attempt with its consequence, in one statement.
 *
 * @returns whether its endpoint has failed for so long that it is to be disabled.
 */
export async function recordAttempt(db: Db, attempt: EndedAttempt): Promise<boolean> {
  const { claim, ok, pauseS, isTest, status, fault, answer, startedAt, durationMs } = attempt;
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
    )
    UPDATE webhooks SET ${endpointHealth(attempt)}
     WHERE id = ${claim.webhookId}::uuid AND (NOT ${ok} OR failing_since IS NOT NULL)
       AND (NOT ${isTest} OR ${ok} AND state = 'active')
    RETURNING NOT ${ok} AND state = 'active' AND disable_at <= ${startedAt}::timestamptz AS "isFailing"`;
  return row?.isFailing ?? false;
}

/** Gives back a claim whose attempt was broken off: the delivery is due at once. */
export async function releaseClaim(db: Db, { id, attempt }: DeliveryClaim): Promise<void> {
  await db.orm.$executeRaw`
    UPDATE webhook_deliveries SET claimed_until = now(), next_attempt_at = now()
     WHERE id = ${id}::uuid AND attempts = ${attempt} AND state = 'pending'`;
}

/**
 * Makes named deliveries of an endpoint due now, with their ids and all of their retries: those that have ended, and
 * those that wait for a retry. A delivery in flight, or before its first attempt, is left as it is.
 *
 * @returns how many.
 */
export const reopenDeliveries = (
  tx: Transaction,
  webhookId: string,
  ids: readonly string[],
): Promise<number> => tx.$executeRaw`
  UPDATE webhook_deliveries d ${REOPEN}
   WHERE d.webhook_id = ${webhookId}::uuid AND d.id = ANY (${[...ids]}::uuid[]) AND ${IS_REOPENABLE}`;

const NEWEST_FIRST: SortKey = [
  { sql: 'created_at', type: 'timestamptz' },
  { sql: 'id', type: 'uuid' },
];

/** A delivery's place in the list: its time to the microsecond, and its id. */
export type DeliveryPosition = Readonly<{ id: string; at: string }>;

/** Lists the places of an endpoint's deliveries on a page, the newest first. */
export function listDeliveries(db: Db, webhookId: string, page: Page): Promise<DeliveryPosition[]> {
  const { beyond, order, limit } = pageSql(page, NEWEST_FIRST, 'descending');
  return db.orm.$queryRaw`
    SELECT id::text AS id, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
      FROM webhook_deliveries WHERE webhook_id = ${webhookId}::uuid AND ${beyond}
     ORDER BY ${order} LIMIT ${limit}`;
}

/** Deletes deliveries of an endpoint that is gone. @returns how many of a portion there were. */
export const deleteDeliveriesOf = (db: Db, webhookId: string): Promise<number> => db.orm.$executeRaw`
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhookId}::uuid LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`;

/** Deletes a portion of the deliveries that are no longer kept. @returns how many there were. */
export const deleteOldDeliveries = (db: Db, limit: number): Promise<number> => db.orm.$executeRaw`
  DELETE FROM webhook_deliveries WHERE id = ANY (ARRAY(
    SELECT d.id FROM webhook_deliveries d
     WHERE d.created_at < now() - make_interval(days => ${KEPT_DAYS})
       AND (d.state <> 'pending' AND NOT ${IS_REMEMBERED}
            OR NOT EXISTS (SELECT FROM webhooks w WHERE w.id = d.webhook_id))
     ORDER BY d.created_at LIMIT ${limit} FOR UPDATE OF d SKIP LOCKED))`;

/** The backlog of deliveries in the whole installation. */
type DeliveryBacklog = Readonly<{
  /** Deliveries that are neither delivered nor failed. */
  pending: number;
  /** Seconds that the oldest delivery whose first attempt has not ended has waited; 0 when there is none. */
  oldestS: number;
  /** Active endpoints whose last attempt failed. */
  failing: number;
}>;

/** Measures the backlog of deliveries. */
export async function readDeliveryBacklog(db: Db): Promise<DeliveryBacklog> {
  const [row] = await db.orm.$queryRaw<[DeliveryBacklog]>`
    SELECT count(*)::int AS pending,
           -- One that was ended without an attempt and is sent again is due since then. A worker that was stopped or
           -- killed leaves its claim, whose attempt has not ended.
           coalesce(extract(epoch FROM now() - min(
             CASE WHEN d.next_attempt_at > now() THEN d.created_at ELSE d.next_attempt_at END
           ) FILTER (WHERE d.attempts = 0 OR (d.retries = 0 AND d.claimed_until <= now()))), 0)::float8 AS "oldestS",
           (SELECT count(*)::int FROM webhooks WHERE state = 'active' AND failing_since IS NOT NULL) AS failing
      FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
     WHERE d.state = 'pending'`;
  return row;
}
