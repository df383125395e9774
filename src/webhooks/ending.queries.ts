import type { Db, Transaction } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import { TEST_EVENT } from './webhook-events.js';

/** Maximum number of endpoints that one statement reads. */
const BATCH = 5_000;

/** Whether a delivery `d` waits for an attempt: a test is sent to a disabled endpoint too. */
const IS_WAITING = Prisma.sql`(d.state = 'pending' AND d.type <> ${TEST_EVENT}
         AND (d.claimed_until IS NULL OR d.claimed_until <= now()))`;

/** Finds the disabled endpoints for which deliveries still wait. */
export async function findEnding(db: Db): Promise<string[]> {
  const rows = await db.orm.$queryRaw<{ id: string }[]>`
    SELECT w.id FROM webhooks w
     WHERE w.state <> 'active' AND EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND ${IS_WAITING})
     LIMIT ${BATCH}`;
  return rows.map(({ id }) => id);
}

/** Tells whether deliveries wait for an endpoint. */
export async function hasWaiting(tx: Transaction, webhookId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = ${webhookId}::uuid AND ${IS_WAITING} LIMIT 1`;
  return rows.length > 0;
}

/**
 * Ends a portion of the deliveries that wait for a disabled endpoint. An attempt in flight ends its delivery itself.
 *
 * The lock of the endpoint comes first, as in each statement that locks both, so that none is ended after the endpoint
 * was enabled again.
 *
 * @returns how many there were.
 */
export const endWaiting = (db: Db, webhookId: string, limit: number): Promise<number> => db.orm.$executeRaw`
  WITH disabled AS MATERIALIZED (
    SELECT id FROM webhooks WHERE id = ${webhookId}::uuid AND state <> 'active' FOR SHARE
  )
  UPDATE webhook_deliveries SET state = 'failed', claimed_until = NULL WHERE id = ANY (ARRAY(
    SELECT d.id FROM webhook_deliveries d WHERE d.webhook_id = (SELECT id FROM disabled) AND ${IS_WAITING}
     LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED))`;
