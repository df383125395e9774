import { randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256 } from '../lib/crypto/sha256.js';
import { MAX_INT } from '../lib/max-int.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 40;
const VALUE = /^([1-9][0-9]{0,9})\|([0-9A-Za-z]{40})([0-9a-f]{8})$/;

const checksum = (text: string) => crc32(text).toString(16).padStart(8, '0');

/**
 * Generates a secret: 40 base62 characters and their CRC-32 in 8 hex digits.
 *
 * The checksum lets secret scanners recognise a secret, and rejects a typo without a read of the database.
 */
export function generateSecret(): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return random + checksum(random);
}

/** Hashes a secret for storage. It has 238 bits of entropy, so a plain SHA-256 suffices. */
export const hashSecret = (secret: string): Uint8Array<ArrayBuffer> => sha256(secret);

/** Tells whether a secret matches a hash, in constant time. */
export const matchesHash = (secret: string, hash: Uint8Array): boolean =>
  timingSafeEqual(hashSecret(secret), hash);

/** Parses a token's value `<id>|<secret>`; null when it is malformed. */
export function parseToken(value: string): { id: number; secret: string } | null {
  const [, id, random, check] = VALUE.exec(value) ?? [];
  if (!id || !random || check !== checksum(random) || Number(id) > MAX_INT) return null;
  return { id: Number(id), secret: random + check };
}
