import { randomBytes } from 'node:crypto';
import { createBatchedRead } from '../db/batched-read.js';
import { byteaText } from '../db/bytea.js';
import type { Db } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';

const KEY_BYTES = 32;

/** A website's signature key: the secret to sign with, and the encrypted key as stored, as text from `storedText`. */
export type SignatureKey = Readonly<{ signatureKey: Uint8Array; storedSignatureKey: string }>;

type StoredKey = Readonly<{ id: string; signatureKeyCipher: Uint8Array }>;

const purpose = (websiteId: string): string => `website:${websiteId}:signature-key`;

/** Generates a signature key for a website, encrypted for storage. */
export const generateSignatureKey = (cipher: Cipher, websiteId: string): Uint8Array<ArrayBuffer> =>
  cipher.encrypt(randomBytes(KEY_BYTES), purpose(websiteId));

/** Converts a stored key to text, in PostgreSQL's format for bytes. */
export const storedText = ({ signatureKeyCipher }: StoredKey): string => byteaText(signatureKeyCipher);

/** Decrypts a website's signature key, and keeps the stored form beside it. */
export const openSignatureKey = (cipher: Cipher, stored: StoredKey): SignatureKey => ({
  // Copy the key, because so short a Buffer is a slice of Node's pool and would keep the whole pool in memory.
  signatureKey: new Uint8Array(cipher.decrypt(stored.signatureKeyCipher, purpose(stored.id))),
  storedSignatureKey: storedText(stored),
});

/**
 * Creates a reader of the websites' keys as they are in the database, never cached.
 *
 * @returns the function that reads the key of a website; it returns null when there is no such website.
 */
export function createSignatureKeyReader(db: Db): (websiteId: string) => Promise<StoredKey | null> {
  return createBatchedRead({
    read: (ids: readonly string[]) =>
      db.sql<StoredKey>(
        Prisma.sql`
          SELECT id::text, signature_key_cipher AS "signatureKeyCipher"
            FROM websites WHERE id = ANY (${ids}::uuid[])`,
        'signature-keys',
      ),
    keyOf: ({ id }) => id,
  });
}
