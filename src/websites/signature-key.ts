import { randomBytes } from 'node:crypto';
import { createBatchedRead } from '../db/batched-read.js';
import { byteaText } from '../db/bytea.js';
import { type Database, publicRows } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';

const KEY_BYTES = 32;

/** The key of a website's signatures: to sign with, a secret; and as stored, encrypted, in a text as `storedText` gives. */
export type SignatureKey = Readonly<{ signatureKey: Uint8Array; storedSignatureKey: string }>;

type StoredKey = Readonly<{ id: string; signatureKeyCipher: Uint8Array }>;

const purpose = (websiteId: string): string => `website:${websiteId}:signature-key`;

/** Draws the key of a website's signatures, encrypted as it is stored. */
export const drawSignatureKey = (cipher: Cipher, websiteId: string): Uint8Array<ArrayBuffer> =>
  cipher.encrypt(randomBytes(KEY_BYTES), purpose(websiteId));

/** A key as stored, in a text as PostgreSQL reads bytes. */
export const storedText = ({ signatureKeyCipher }: StoredKey): string => byteaText(signatureKeyCipher);

/** Decrypts the key of a website's signatures, to be kept beside what is stored of it. */
export const openSignatureKey = (cipher: Cipher, stored: StoredKey): SignatureKey => ({
  // A copy, because so short a Buffer is a piece of Node's pool, all of which it would keep in memory.
  signatureKey: new Uint8Array(cipher.decrypt(stored.signatureKeyCipher, purpose(stored.id))),
  storedSignatureKey: storedText(stored),
});

/**
 * Reads the keys of websites as they stand in the database, never cached.
 *
 * @returns the function that reads the key of a website; null when there is no such website.
 */
export function createSignatureKeyReader(db: Database): (websiteId: string) => Promise<StoredKey | null> {
  return createBatchedRead({
    read: (ids: readonly string[]) =>
      publicRows<StoredKey>(
        db,
        Prisma.sql`
          SELECT id::text, signature_key_cipher AS "signatureKeyCipher"
            FROM websites WHERE id = ANY (${ids}::uuid[])`,
        'signature-keys',
      ),
    keyOf: ({ id }) => id,
  });
}
