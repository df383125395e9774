import { deriveKey } from './hmac.js';

/** Keys for one purpose: those that are accepted, APP_KEY's first, and the one that encrypts and signs. */
export type Keys = Readonly<{ accepted: readonly Buffer[]; issuing(): Buffer }>;

export type Keyring = ReturnType<typeof createKeyring>;

/**
 * Holds APP_KEY and, while it is rotated, the key before it. Both are accepted; one of them encrypts and signs, APP_KEY
 * unless told otherwise.
 */
export function createKeyring(appKey: Buffer, previous: Buffer | null = null) {
  const accepted = previous ? [appKey, previous] : [appKey];
  let issuing = 0;
  return {
    appKey,
    previous,
    issuing: () => accepted[issuing]!,

    /** Encrypts and signs with this one of the two keys from now on. */
    encryptWith(key: Buffer): void {
      issuing = accepted.indexOf(key);
    },

    /** Derives the keys for one purpose; they follow `encryptWith`. */
    derive(purpose: string): Keys {
      const derived = accepted.map((key) => deriveKey(key, purpose));
      return { accepted: derived, issuing: () => derived[issuing]! };
    },
  };
}
