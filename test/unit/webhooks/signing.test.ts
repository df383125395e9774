import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createCipher } from '../../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../../src/lib/crypto/keyring.js';
import { generateSecret, signingSecrets } from '../../../src/webhooks/signing.js';

const cipher = createCipher(createKeyring(randomBytes(32), null));
const ID = '018f2b5e-7c1a-7000-8000-000000000001';
const NOW = new Date('2026-11-24T12:00:00Z');

describe('the secrets of an endpoint', () => {
  const now = generateSecret(cipher, ID);
  const [last, first] = [generateSecret(cipher, ID), generateSecret(cipher, ID)];

  /** The secrets as stored after two rotations, of which each ends at a time. */
  const stored = (previousUntil: Date | null, signsUntil: Date) => ({
    id: ID,
    secretCipher: now.secretCipher,
    previousCipher: last.secretCipher,
    previousUntil,
    formerSecrets: [{ secretCipher: first.secretCipher, signsUntil }],
  });
  const later = new Date(NOW.getTime() + 1);

  test('are 32 random bytes in Base64, and bound to their endpoint', () => {
    expect(now.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(() => signingSecrets(cipher, { ...stored(null, NOW), id: 'another' }, NOW)).toThrow();
  });

  test('sign together, each former one until the end of its own overlap', () => {
    const secretsAt = (...until: [Date, Date]) => signingSecrets(cipher, stored(...until), NOW);
    expect(secretsAt(later, later)).toEqual([now.secret, last.secret, first.secret]);
    expect(secretsAt(later, NOW)).toEqual([now.secret, last.secret]);
    expect(secretsAt(NOW, later)).toEqual([now.secret, first.secret]);
    expect(secretsAt(NOW, NOW)).toEqual([now.secret]);
  });
});
