import { randomBytes } from 'node:crypto';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/cipher.js';
import { createGathering } from '../lib/gather.js';
import { type Database, publicRows } from '../lib/prisma.js';

const KEY_BYTES = 32;

/** Keys of one statement. */
const MAX_BATCH = 200;

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
 * Reads websites with their keys as they stand in the database, never cached. Requests that come at the same time
 * share a statement, which begins after each of them has come.
 *
 * @returns the function that reads the website of an id; null when there is none.
 */
export function createSigningReader(db: Database): (id: string) => Promise<Signing | null> {
  return createGathering({
    maxSize: MAX_BATCH,
    atOnce: 2,
    async work(ids: readonly string[]) {
      const rows = await publicRows<Signing>(
        db,
        Prisma.sql`
          SELECT id::text, signature_key_cipher AS "signatureKeyCipher"
            FROM websites WHERE id = ANY (${ids}::uuid[])`,
        'signature-keys',
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id) ?? null);
    },
  });
}
