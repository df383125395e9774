import { randomBytes } from 'node:crypto';
import type { Cipher } from '../lib/cipher.js';

const KEY_BYTES = 32;

const purpose = (websiteId: string): string => `website:${websiteId}:signature-key`;

/** Draws the key of a website's signatures, encrypted as it is stored. */
export const drawSignatureKey = (cipher: Cipher, websiteId: string): Uint8Array<ArrayBuffer> =>
  cipher.encrypt(randomBytes(KEY_BYTES), purpose(websiteId));

/** Decrypts the key of a website's signatures. */
export const openSignatureKey = (
  cipher: Cipher,
  website: { id: string; signatureKeyCipher: Uint8Array },
): Buffer => cipher.decrypt(website.signatureKeyCipher, purpose(website.id));
