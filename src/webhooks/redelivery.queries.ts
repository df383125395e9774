import type { Db, Transaction } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import { TEST_EVENT } from './webhook-events.js';

/** Maximum number of endpoints that one statement reads. */
const BATCH = 5_000;

/** The greatest id, so that a redelivery begins with all deliveries of its first time. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Whether a delivery `d` can be sent again: it has ended, or waits for a retry. */
export const IS_REOPENABLE = Prisma.sql`(d.state <> 'pending'
         OR d.attempts > 0 AND d.next_attempt_at > now() AND (d.claimed_until IS NULL OR d.claimed_until <= now()))`;

/** Makes a delivery due now, with all of its retries. */
export const REOPEN = Prisma.sql`SET state = 'pending', retries = 0, next_attempt_at = now()`;

/**
 * Begins to send deliveries of an endpoint again: all since a time, but tests and those to come. It holds its lock.
 *
 * @returns how many there are.
 */
export async function beginRedelivery(tx: Transaction, webhookId: string, since: Date): Promise<number> {
  const [row] = await tx.$queryRaw<[{ count: number }]>`
    WITH begun AS (
      UPDATE webhooks SET redeliver_since = ${since}, redeliver_before = now(), redeliver_before_id = ${LAST_ID}::uuid
       WHERE id = ${webhookId}::uuid
    )
    SELECT count(*)::int AS count FROM webhook_deliveries d
     WHERE d.webhook_id = ${webhookId}::uuid AND d.created_at BETWEEN ${since} AND now() AND d.type <> ${TEST_EVENT}
       AND ${IS_REOPENABLE}`;
  return row.count;
}

/** Finds the endpoints whose redelivery has not ended. */
export async function findRedeliveries(db: Db): Promise<string[]> {
  const rows = await db.orm.webhook.findMany({
    where: { redeliverSince: { not: null } },
    select: { id: true },
    take: BATCH,
  });
  return rows.map(({ id }) => id);
}

/**
 * Reopens the next portion of a redelivery, from the newest to the oldest, and records its position in the same
 * statement: so each delivery is reopened once, also when another worker continues.
 *
 * @returns how many deliveries it has read.
 */
export async function continueRedelivery(db: Db, webhookId: string, limit: number): Promise<number> {
  const [row] = await db.orm.$queryRaw<{ count: number }[]>`
    WITH redelivery AS MATERIALIZED (
      SELECT id, redeliver_since AS since, redeliver_before AS before, redeliver_before_id AS before_id
        FROM webhooks WHERE id = ${webhookId}::uuid AND redeliver_since IS NOT NULL FOR NO KEY UPDATE
    ), portion AS MATERIALIZED (
      SELECT d.id, d.created_at FROM webhook_deliveries d
       WHERE d.webhook_id = (SELECT id FROM redelivery) AND d.created_at >= (SELECT since FROM redelivery)
         AND (d.created_at, d.id) < ((SELECT before FROM redelivery), (SELECT before_id FROM redelivery))
       ORDER BY d.created_at DESC, d.id DESC LIMIT ${limit}
    ), reopened AS (
      UPDATE webhook_deliveries d ${REOPEN}
        FROM portion WHERE d.id = portion.id AND d.type <> ${TEST_EVENT} AND ${IS_REOPENABLE}
    ), last AS (
      SELECT created_at, id FROM portion ORDER BY created_at DESC, id DESC OFFSET ${limit - 1} LIMIT 1
    )
    UPDATE webhooks w
       SET redeliver_since = CASE WHEN last.id IS NOT NULL THEN redelivery.since END,
           redeliver_before = last.created_at, redeliver_before_id = last.id
      FROM redelivery LEFT JOIN last ON TRUE WHERE w.id = redelivery.id
    RETURNING (SELECT count(*)::int FROM portion) AS count`;
  return row?.count ?? 0;
}
