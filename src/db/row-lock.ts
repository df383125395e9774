import { Prisma } from '../generated/prisma/client.js';
import type { Transaction } from './client.js';

/** Timeouts of a transaction that waits for the lock of a membership, and before that for a connection. */
export const LOCK_TIMEOUTS = { maxWait: 10_000, timeout: 10_000 };

/**
 * Locks a row, if there is one of this id, so that concurrent changes of it wait until the transaction ends.
 *
 * @param strength `NO KEY UPDATE` lets rows that refer to it be written meanwhile.
 */
export async function lockRow(
  tx: Transaction,
  table: 'plans' | 'teams' | 'users',
  id: number,
  strength: 'UPDATE' | 'NO KEY UPDATE' = 'UPDATE',
): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM ${Prisma.raw(table)} WHERE id = ${id} FOR ${Prisma.raw(strength)}`;
}
