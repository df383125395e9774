import type { Transaction } from '../../db/client.js';

/** Locks a challenge until the transaction ends. @returns false when there is none. */
export async function lockChallenge(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM login_challenges WHERE id = ${id}::uuid FOR UPDATE`;
  return rows.length > 0;
}
