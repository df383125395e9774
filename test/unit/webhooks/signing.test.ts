import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createCipher } from '../../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../../src/lib/crypto/keyring.js';
import { generateSecret, signedHeaders, signingSecrets } from '../../../src/webhooks/signing.js';

const cipher = createCipher(createKeyring(randomBytes(32), null));
const ID = '018f2b5e-7c1a-7000-8000-000000000001';
const NOW = new Date('2026-11-24T12:00:00Z');

test('the headers of the example of Standard Webhooks have its signature', () => {
  const headers = signedHeaders(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    '{"test": 2432232314}',
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    new Date(1_614_265_330_000),
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

describe('the secrets of an endpoint', () => {
  const now = generateSecret(cipher, ID);
  const before = generateSecret(cipher, ID);
  const stored = { id: ID, secretCipher: now.secretCipher, previousCipher: before.secretCipher };

  test('are 32 random bytes in Base64, and bound to their endpoint', () => {
    expect(now.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(() => signingSecrets(cipher, { ...stored, id: 'another', previousUntil: null }, NOW)).toThrow();
  });

  test('sign together until the end of the overlap, and then the new one alone', () => {
    const secretsAt = (previousUntil: Date) => signingSecrets(cipher, { ...stored, previousUntil }, NOW);
    expect(secretsAt(new Date(NOW.getTime() + 1))).toEqual([now.secret, before.secret]);
    expect(secretsAt(NOW)).toEqual([now.secret]);
  });
});
