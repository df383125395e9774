import type { Db } from '../../db/client.js';
import type { Page } from '../../db/paging.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { checkReceipt, type ErasureCheck } from './erasure-receipt.js';
import { readReceipt, readReceipts, type StoredReceipt } from './erasure-receipts.queries.js';

export type ErasureReceipts = ReturnType<typeof createErasureReceipts>;

/** Lists and checks the receipts of erasures. The caller has checked that the viewer may see their team. */
export function createErasureReceipts({ db, cipher }: { db: Db; cipher: Cipher }) {
  return {
    /** Reads a receipt; null when there is none. */
    find: (id: string): Promise<StoredReceipt | null> => readReceipt(db, id),

    /** Lists a page of a team's receipts, the latest first. */
    list: (teamId: number, page: Page): Promise<StoredReceipt[]> => readReceipts(db, teamId, page),

    /** Tells whether a receipt is about an address, and unaltered. */
    check: (receipt: StoredReceipt, email: string): ErasureCheck => checkReceipt(cipher, receipt, email),
  };
}
