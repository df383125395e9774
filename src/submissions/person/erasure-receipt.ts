import { randomBytes } from 'node:crypto';
import type { SecretColumn } from '../../db/secrets.queries.js';
import type { ErasureReceipt } from '../../generated/prisma/client.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { equalInConstantTime, hmacSha256 } from '../../lib/crypto/hmac.js';

const KEY_BYTES = 32;

/** How many rows of each kind an erasure has deleted. */
export type ErasureCounts = Readonly<{
  submissions: number;
  /** E-mails about them: one for each submission, and those that accounts requested. */
  notifications: number;
  requestedEmails: number;
  attempts: number;
  notes: number;
  idempotencyKeys: number;
  /** What mail servers reported of those e-mails; absent, as the next five, in a receipt of 0.2.0. */
  bounces?: number;
  webhookDeliveries?: number;
  webhookAttempts?: number;
  spamVerdicts?: number;
  /** What the spam filter was taught by them. */
  spamSamples?: number;
  /** Rules about spam that named the address. */
  spamRules?: number;
  /** Visits in whose page address or title the address stood, and was masked. */
  visits: number;
  /** Submissions under legal hold, which stay. */
  held: number;
}>;

export const NOTHING_ERASED: ErasureCounts = {
  submissions: 0,
  notifications: 0,
  requestedEmails: 0,
  attempts: 0,
  notes: 0,
  idempotencyKeys: 0,
  bounces: 0,
  webhookDeliveries: 0,
  webhookAttempts: 0,
  spamVerdicts: 0,
  spamSamples: 0,
  spamRules: 0,
  visits: 0,
  held: 0,
};

/** What a receipt's seal covers. */
type Sealed = Pick<
  ErasureReceipt,
  'id' | 'teamId' | 'erasedByName' | 'addressHash' | 'startedAt' | 'finishedAt'
> & {
  counts: ErasureCounts;
  websites: Readonly<Record<string, number>>;
};

/** The result of checking a receipt. */
export type ErasureCheck = Readonly<{
  /** Whether the receipt is about the address. */
  matches: boolean;
  /** Whether the receipt is complete and says what it said when the erasure ended. */
  isIntact: boolean;
}>;

const purpose = (receiptId: string): string => `erasure-receipt:${receiptId}:key`;

/** The column of the receipts' keys, for `formgate rekey`. */
export const receiptKeys: SecretColumn = {
  kind: 'key of erasure receipt',
  table: 'erasure_receipts',
  idType: 'uuid',
  column: 'key_cipher',
  properties: '',
  purposeOf: ({ id }) => purpose(id),
};

/** Generates the key of a receipt, encrypted for storage. */
export const generateReceiptKey = (cipher: Cipher, receiptId: string): Uint8Array<ArrayBuffer> =>
  cipher.encrypt(randomBytes(KEY_BYTES), purpose(receiptId));

/** Computes the hash by which a receipt knows an address again. */
export const hashAddress = (
  cipher: Cipher,
  { id, keyCipher }: Pick<ErasureReceipt, 'id' | 'keyCipher'>,
  email: string,
): Uint8Array<ArrayBuffer> =>
  new Uint8Array(hmacSha256(cipher.decrypt(keyCipher, purpose(id)), `address\n${email.toLowerCase()}`));

/** Writes what a seal covers, whatever the order in which the database returns the keys of JSON. */
function sealedText({ id, teamId, erasedByName, addressHash, ...rest }: Sealed): string {
  const { counts, websites, startedAt, finishedAt } = rest;
  const inOrder = (numbers: object) => Object.entries(numbers).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    'receipt',
    id,
    teamId,
    erasedByName,
    Buffer.from(addressHash).toString('hex'),
    inOrder(counts),
    inOrder(websites),
    startedAt.toISOString(),
    finishedAt?.toISOString(),
  ]);
}

/** Computes the seal of a receipt, which tells later whether it was altered. */
export const sealOf = (
  cipher: Cipher,
  receipt: Sealed & Pick<ErasureReceipt, 'keyCipher'>,
): Uint8Array<ArrayBuffer> =>
  new Uint8Array(hmacSha256(cipher.decrypt(receipt.keyCipher, purpose(receipt.id)), sealedText(receipt)));

/** Checks whether a stored receipt is about an address, and unaltered. */
export function checkReceipt(
  cipher: Cipher,
  receipt: Sealed & Pick<ErasureReceipt, 'keyCipher' | 'seal'>,
  email: string,
): ErasureCheck {
  return {
    matches: equalInConstantTime(receipt.addressHash, hashAddress(cipher, receipt, email)),
    isIntact: receipt.seal !== null && equalInConstantTime(receipt.seal, sealOf(cipher, receipt)),
  };
}
