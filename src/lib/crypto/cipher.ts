import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKey } from './hmac.js';
import type { Keyring } from './keyring.js';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The format without a key id: version, nonce, tag, ciphertext. */
const WITHOUT_ID = 1;

/** The format that names its key: version, id of the key (four bytes), nonce, tag, ciphertext. */
const WITH_ID = 2;
const HEADER_BYTES = { [WITHOUT_ID]: 1, [WITH_ID]: 5 };

/** Computes the id of a key, which tells keys apart and reveals nothing about them. */
const idOf = (key: Buffer): number => deriveKey(key, 'cipher: key id').readUInt32BE();

type Opened = Readonly<{ key: Buffer; plain: Buffer }>;

export type Cipher = ReturnType<typeof createCipher>;

/**
 * Encrypts secrets at rest under the keys of a keyring (32 bytes each) with AES-256-GCM. `purpose` is authenticated
 * with a secret, so a value moved to another column or row does not decrypt.
 *
 * While there is a previous key, a ciphertext names its key, and only that one is tried. Otherwise it names none: a
 * release that does not know the second format may still run beside this one, or be restored.
 */
export function createCipher({ appKey, previous, issuing }: Keyring) {
  const byId = new Map([appKey, ...(previous ? [previous] : [])].map((key) => [idOf(key), key]));

  function headerOf(key: Buffer): Buffer {
    if (!previous) return Buffer.from([WITHOUT_ID]);
    const header = Buffer.alloc(HEADER_BYTES[WITH_ID], WITH_ID);
    header.writeUInt32BE(idOf(key), 1);
    return header;
  }

  function encryptUnder(key: Buffer, plain: Buffer | string, purpose: string): Uint8Array<ArrayBuffer> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(plain), cipher.final()]);
    return new Uint8Array(Buffer.concat([headerOf(key), nonce, cipher.getAuthTag(), body]));
  }

  function decryptUnder(key: Buffer, bytes: Buffer, header: number, purpose: string): Opened {
    const nonceEnd = header + NONCE_BYTES;
    const tagEnd = nonceEnd + TAG_BYTES;
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(header, nonceEnd), {
      authTagLength: TAG_BYTES,
    })
      .setAuthTag(bytes.subarray(nonceEnd, tagEnd))
      .setAAD(Buffer.from(purpose));
    return { key, plain: Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]) };
  }

  function open(sealed: Uint8Array, purpose: string): Opened {
    const bytes = Buffer.from(sealed);
    switch (bytes[0]) {
      case WITH_ID: {
        const key = byId.get(bytes.readUInt32BE(1));
        if (!key) throw new Error('Encrypted under a key that is neither APP_KEY nor APP_KEY_PREVIOUS.');
        return decryptUnder(key, bytes, HEADER_BYTES[WITH_ID], purpose);
      }
      case WITHOUT_ID:
        if (previous) {
          try {
            // A process with two keys has not written it, so most likely it is older than APP_KEY.
            return decryptUnder(previous, bytes, HEADER_BYTES[WITHOUT_ID], purpose);
          } catch {}
        }
        return decryptUnder(appKey, bytes, HEADER_BYTES[WITHOUT_ID], purpose);
      default:
        throw new Error(`Unknown cipher version ${bytes[0]}.`);
    }
  }

  return {
    encrypt: (plain: Buffer | string, purpose: string): Uint8Array<ArrayBuffer> =>
      encryptUnder(issuing(), plain, purpose),

    /** @throws when the bytes were altered, meant for another purpose, or encrypted under another key. */
    decrypt: (sealed: Uint8Array, purpose: string): Buffer => open(sealed, purpose).plain,

    /** Returns the key that a ciphertext is under. @throws as `decrypt` does. */
    keyOf: (sealed: Uint8Array, purpose: string): Buffer => open(sealed, purpose).key,

    /** Encrypts a secret anew under APP_KEY; null when it is under APP_KEY already. @throws as `decrypt` does. */
    renew(sealed: Uint8Array, purpose: string): Uint8Array<ArrayBuffer> | null {
      const { key, plain } = open(sealed, purpose);
      return key === appKey ? null : encryptUnder(appKey, plain, purpose);
    },
  };
}
