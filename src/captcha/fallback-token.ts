import { equalInConstantTime, hmacSha256 } from '../lib/crypto/hmac.js';

/** Lifetime of a fallback token, in milliseconds. */
const TTL_MS = 120_000;

const TOKEN = /^([0-9a-f-]{36}\.([\w:-]{1,200})\.(\d{13}))\.([\w-]{43})$/;

/** Issues the token that lets a visitor present this step next: website, step, expiry (ms) and signature. */
export function issueFallbackToken(key: Uint8Array, websiteId: string, stepKey: string, now: Date): string {
  const text = `${websiteId}.${stepKey}.${now.getTime() + TTL_MS}`;
  return `${text}.${hmacSha256(key, text).toString('base64url')}`;
}

/**
 * Returns the key of the captcha step that a fallback token designates on a website.
 *
 * @returns null when it is missing, altered, of another website or expired.
 */
export function readFallbackToken(
  key: Uint8Array,
  websiteId: string,
  token: string | null,
  now: Date,
): string | null {
  const [, text, stepKey, expires, signature] = TOKEN.exec(token ?? '') ?? [];
  if (!text || !stepKey || !signature) return null;
  const given = Buffer.from(signature, 'base64url');
  if (!equalInConstantTime(hmacSha256(key, text), given)) return null;
  // The last character of the signature has unused bits, so more than one text decodes to the same bytes.
  if (given.toString('base64url') !== signature) return null;
  const isCurrent = text.startsWith(`${websiteId}.`) && now.getTime() < Number(expires);
  return isCurrent ? stepKey : null;
}
