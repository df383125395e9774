import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureFault } from '../../errors.js';

/** Version of the scheme, part of the signed text, so that a later scheme can never be mistaken for this one. */
const VERSION = 'v1';

/** How far ahead a timestamp may be, in seconds: the clocks of two gateways differ a little. */
const MAX_AHEAD_S = 30;

const TIMESTAMP = /^[1-9]\d{9}$/;

/** Unix time in whole seconds, as signatures carry it. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/**
 * Signs that a website's page requested a signature at this time.
 *
 * @param key The website's signature key.
 * @param timestamp Unix time in seconds.
 */
export const signWebsite = (key: Uint8Array, websiteId: string, timestamp: number | string): string =>
  createHmac('sha256', key).update(`${VERSION}:${websiteId}:${timestamp}`).digest('base64url');

/** Returns how old a signature is in seconds; one of a clock that is ahead counts as new. */
export const signatureAgeS = (timestamp: string, now: Date): number =>
  Math.max(0, unixSeconds(now) - Number(timestamp));

/**
 * Finds what is wrong with a signature of a website, compared in constant time; null when it is valid. A signature may
 * be used any number of times within its lifetime.
 *
 * @param given The headers `X-Website-Signature` and `X-Website-Timestamp` as received.
 * @param now Unix time in seconds.
 * @param ttlS Lifetime of a signature, in seconds.
 */
export function signatureFault(
  key: Uint8Array,
  websiteId: string,
  given: { signature: string | undefined; timestamp: string | undefined },
  { now, ttlS }: { now: number; ttlS: number },
): SignatureFault | null {
  if (!given.signature || !given.timestamp) return 'missing';
  if (!TIMESTAMP.test(given.timestamp)) return 'malformed';
  const age = now - Number(given.timestamp);
  const expected = Buffer.from(signWebsite(key, websiteId, given.timestamp));
  const received = Buffer.from(given.signature);
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return 'wrong_key';
  if (age >= ttlS) return 'expired';
  return age < -MAX_AHEAD_S ? 'from_the_future' : null;
}
