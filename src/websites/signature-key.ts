import { randomBytes } from 'node:crypto';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';
import { type Database, publicRows } from '../lib/prisma.js';
import { createSharedRead } from '../lib/shared-read.js';

const KEY_BYTES = 32;

/** A website with its key as stored. */
export type Signing = Readonly<{ id: string; signatureKeyCipher: Uint8Array }>;

const purpose = (websiteId: string): string => `website:${websiteId}:signature-key`;

/** Draws the key of a website's signatures, encrypted as it is stored. */
export const drawSignatureKey = (cipher: Cipher, websiteId: string): Uint8Array<ArrayBuffer> =>
  cipher.encrypt(randomBytes(KEY_BYTES), purpose(websiteId));

/** Decrypts the key of a website's signatures. */
export const openSignatureKey = (cipher: Cipher, { id, signatureKeyCipher }: Signing): Buffer =>
  cipher.decrypt(signatureKeyCipher, purpose(id));

/**
 * Reads websites with their keys as they stand in the database, never cached.
 *
 * @returns the function that reads the website of an id; null when there is none.
 */
export function createSigningReader(db: Database): (id: string) => Promise<Signing | null> {
  return createSharedRead({
    read: (ids: readonly string[]) =>
      publicRows<Signing>(
        db,
        Prisma.sql`
          SELECT id::text, signature_key_cipher AS "signatureKeyCipher"
            FROM websites WHERE id = ANY (${ids}::uuid[])`,
        'signature-keys',
      ),
    keyOf: ({ id }) => id,
  });
}
