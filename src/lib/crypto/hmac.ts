import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const KEY_BYTES = 32;

/**
 * Derives a key for one purpose from APP_KEY (HKDF-SHA256). A signature for one purpose is invalid for another, and
 * no key reveals anything about APP_KEY.
 */
export const deriveKey = (appKey: Uint8Array, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', appKey, '', purpose, KEY_BYTES));

/** Computes the HMAC-SHA256 of a text. */
export const hmacSha256 = (key: Uint8Array | string, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest();

/** Tells whether two byte strings are equal, in a time that reveals nothing about where they differ. */
export const equalInConstantTime = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);
