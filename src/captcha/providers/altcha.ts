import { hash, randomBytes, randomInt } from 'node:crypto';
import { equalInConstantTime, hmacSha256 } from '../../lib/hmac.js';

/** How long a challenge can be solved and presented, in seconds. */
const CHALLENGE_TTL_S = 600;

const ALGORITHM = 'SHA-256';
const SALT = /^[0-9a-f]{24}\?website=([0-9a-f-]{36})&expires=(\d{10})&$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

/** Interface 2.7. */
export type Challenge = Readonly<{
  algorithm: typeof ALGORITHM;
  challenge: string;
  salt: string;
  signature: string;
  maxnumber: number;
}>;

/** A solved challenge: what marks it as used, and until when that must be remembered. */
export type Proof = Readonly<{ challenge: Buffer; expiresAt: Date }>;

type Terms = Readonly<{ key: Uint8Array | string; websiteId: string; maxNumber: number; now: Date }>;

const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Draws a challenge for one website: to find the number in 0…maxNumber that completes the salt. */
export function createChallenge({ key, websiteId, maxNumber, now }: Terms): Challenge {
  const expires = Math.floor(now.getTime() / 1000) + CHALLENGE_TTL_S;
  const salt = `${randomBytes(12).toString('hex')}?website=${websiteId}&expires=${expires}&`;
  const challenge = sha256(`${salt}${randomInt(maxNumber + 1)}`).toString('hex');
  const signature = hmacSha256(key, challenge).toString('hex');
  return { algorithm: ALGORITHM, challenge, salt, signature, maxnumber: maxNumber };
}

function decodePayload(token: string): Readonly<Record<string, unknown>> | null {
  const bytes = Buffer.from(token, 'base64');
  // Node skips what is not Base64; the same bytes must give the same text again.
  if (bytes.toString('base64') !== token) return null;
  try {
    const payload: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof payload === 'object' ? (payload as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

/**
 * Verifies what the widget made of a challenge. The salt must have exactly the form in which we draw it
 * and the number be a number, or an expiry could be moved from the one into the other: the digest does
 * not tell where the salt ends.
 *
 * @returns null when it was not solved, was not ours or this website's, or has expired. Whether it has
 * been used before is not asked here.
 */
export function verifyProof(token: string, { key, websiteId, maxNumber, now }: Terms): Proof | null {
  const payload = decodePayload(token);
  if (!payload || payload.algorithm !== ALGORITHM) return null;
  const { number, salt, challenge, signature } = payload;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return null;
  if (number < 0 || number > maxNumber) return null;
  if (typeof challenge !== 'string' || !HEX_SHA256.test(challenge)) return null;
  if (typeof signature !== 'string' || !HEX_SHA256.test(signature)) return null;

  const [, website, expires] = (typeof salt === 'string' && SALT.exec(salt)) || [];
  const expiresAt = new Date(Number(expires) * 1000);
  if (website !== websiteId || expiresAt <= now) return null;

  const expected = sha256(`${salt}${number}`);
  if (!equalInConstantTime(expected, Buffer.from(challenge, 'hex'))) return null;
  if (!equalInConstantTime(hmacSha256(key, challenge), Buffer.from(signature, 'hex'))) return null;
  return { challenge: expected, expiresAt };
}
