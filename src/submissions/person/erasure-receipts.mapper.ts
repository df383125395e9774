import type { ErasureReceiptType } from './erasure-receipt.type.js';
import type { StoredReceipt } from './erasure-receipts.queries.js';

/** Maps a stored receipt to what the panel's API shows of it: its key stays out. */
export const shownReceipt = (receipt: StoredReceipt): ErasureReceiptType => ({
  id: receipt.id,
  teamId: receipt.teamId,
  erasedByName: receipt.erasedByName,
  startedAt: receipt.startedAt,
  finishedAt: receipt.finishedAt,
  counts: receipt.counts,
  addressHash: Buffer.from(receipt.addressHash).toString('hex'),
  websites: Object.entries(receipt.websites)
    .map(([websiteId, submissions]) => ({ websiteId, submissions }))
    .sort((a, b) => b.submissions - a.submissions),
});
