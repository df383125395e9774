import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * A key for one purpose, drawn from APP_KEY (HKDF-SHA256): what is signed for one purpose is worth
 * nothing for another, and no key tells anything about APP_KEY.
 */
export const deriveKey = (appKey: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', appKey, '', purpose, KEY_BYTES));

/** HMAC-SHA256 of a text. */
export const hmacSha256 = (key: Uint8Array | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** Whether two byte strings are the same, in a time that tells nothing about where they differ. */
export const equalInConstantTime = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
