import { randomBytes } from 'node:crypto';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';
import { type Database, publicRows } from '../lib/prisma.js';
import { createSharedRead } from '../lib/shared-read.js';

const KEY_BYTES = 32;

/** The key of a website's signatures: as they are made with it, and as PostgreSQL writes what is stored of it. */
export type SignatureKey = Readonly<{ signatureKey: Uint8Array; storedSignatureKey: string }>;

type StoredKey = Readonly<{ id: string; signatureKeyCipher: Uint8Array }>;

const purpose = (websiteId: string): string => `website:${websiteId}:signature-key`;

/** Draws the key of a website's signatures, encrypted as it is stored. */
export const drawSignatureKey = (cipher: Cipher, websiteId: string): Uint8Array<ArrayBuffer> =>
  cipher.encrypt(randomBytes(KEY_BYTES), purpose(websiteId));

/** Decrypts the key of a website's signatures. */
export const openSignatureKey = (cipher: Cipher, { id, signatureKeyCipher }: StoredKey): SignatureKey => ({
  // A copy, because a Buffer that is made of two is a piece of a larger one, which it would keep in memory.
  signatureKey: new Uint8Array(cipher.decrypt(signatureKeyCipher, purpose(id))),
  storedSignatureKey: `\\x${Buffer.from(signatureKeyCipher).toString('hex')}`,
});

/**
 * Reads the keys of websites as they stand in the database, never cached.
 *
 * @returns the function that reads the key of a website; null when there is no such website.
 */
export function createSignatureKeyReader(
  db: Database,
  cipher: Cipher,
): (websiteId: string) => Promise<SignatureKey | null> {
  const read = createSharedRead({
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
  return async (websiteId) => {
    const stored = await read(websiteId);
    return stored && openSignatureKey(cipher, stored);
  };
}
