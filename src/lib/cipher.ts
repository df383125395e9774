import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type Cipher = ReturnType<typeof createCipher>;

/**
 * Encrypts secrets at rest under APP_KEY (32 bytes) with AES-256-GCM, as version, nonce, tag, ciphertext. `purpose`
 * is authenticated with it, so a value moved to another column or row does not decrypt.
 */
export function createCipher(key: Buffer) {
  return {
    encrypt(plain: Buffer | string, purpose: string): Uint8Array<ArrayBuffer> {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return new Uint8Array(Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]));
    },

    /** @throws when the bytes were altered, meant for another purpose, or encrypted under another key. */
    decrypt(sealed: Uint8Array, purpose: string): Buffer {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION) throw new Error(`Unknown cipher version ${bytes[0]}.`);
      const nonceEnd = 1 + NONCE_BYTES;
      const tagEnd = nonceEnd + TAG_BYTES;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(1, nonceEnd), {
        authTagLength: TAG_BYTES,
      })
        .setAuthTag(bytes.subarray(nonceEnd, tagEnd))
        .setAAD(Buffer.from(purpose));
      return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
    },
  };
}
