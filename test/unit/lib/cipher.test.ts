import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createCipher } from '../../../src/lib/crypto/cipher.js';
import { createKeyring } from '../../../src/lib/crypto/keyring.js';

const [OLD, NEW, OTHER] = [1, 2, 3].map((fill) => Buffer.alloc(32, fill)) as [Buffer, Buffer, Buffer];

/** Ciphers of a process before, during and after the rotation from OLD to NEW; the first one has not begun issuing. */
function ciphers() {
  const follower = createKeyring(NEW, OLD);
  follower.encryptWith(OLD);
  return {
    before: createCipher(createKeyring(OLD)),
    follower: createCipher(follower),
    rotating: createCipher(createKeyring(NEW, OLD)),
    after: createCipher(createKeyring(NEW)),
  };
}

const { before, follower, rotating, after } = ciphers();
const stranger = createCipher(createKeyring(OTHER));

/** Encrypted under OLD by a release that knew no key ids: 'the secret' for the purpose 'test'. */
const OF_AN_EARLIER_RELEASE = Buffer.from(
  '010af75eb0a91c9666877feab1213b946bf5b25861a1671000a223ebb13c4d77e60f84990a9a9e',
  'hex',
);

const secret = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
const purpose = fc.string({ unit: 'grapheme', maxLength: 60 });

describe('any secret', () => {
  test('is decrypted by each process that has its key, whether its ciphertext names the key or not', () => {
    fc.assert(
      fc.property(secret, purpose, (plain, what) => {
        const readers = [
          [before, [before, follower, rotating]],
          [follower, [before, follower, rotating]],
          [rotating, [follower, rotating, after]],
          [after, [follower, rotating, after]],
        ] as const;
        for (const [writer, able] of readers) {
          const sealed = writer.encrypt(plain, what);
          for (const reader of able) expect(reader.decrypt(sealed, what)).toEqual(plain);
          for (const reader of [before, after, stranger].filter((each) => !able.includes(each as never)))
            expect(() => reader.decrypt(sealed, what)).toThrow();
        }
      }),
    );
  });

  test('is refused once a bit of its ciphertext or its purpose has changed', () => {
    fc.assert(
      fc.property(secret, purpose, fc.nat(), fc.constantFrom(before, rotating), (plain, what, at, writer) => {
        const sealed = writer.encrypt(plain, what);
        expect(() => rotating.decrypt(sealed, `${what}.`)).toThrow();
        const bit = at % (sealed.length * 8);
        sealed[bit >> 3]! ^= 1 << (bit & 7);
        expect(() => rotating.decrypt(sealed, what)).toThrow();
      }),
    );
  });

  test('is refused at any length shorter than its own', () => {
    fc.assert(
      fc.property(secret, fc.nat(), fc.constantFrom(before, rotating), (plain, at, writer) => {
        const sealed = writer.encrypt(plain, 'test');
        expect(() => rotating.decrypt(sealed.subarray(0, at % sealed.length), 'test')).toThrow();
      }),
    );
  });

  test('is encrypted anew under APP_KEY once, and then left alone', () => {
    fc.assert(
      fc.property(secret, purpose, fc.constantFrom(before, follower), (plain, what, writer) => {
        const renewed = rotating.renew(writer.encrypt(plain, what), what)!;
        expect(after.decrypt(renewed, what)).toEqual(plain);
        expect(() => before.decrypt(renewed, what)).toThrow();
        expect(rotating.renew(renewed, what)).toBeNull();
        expect(rotating.renew(after.encrypt(plain, what), what)).toBeNull();
        expect(() => rotating.renew(stranger.encrypt(plain, what), what)).toThrow();
      }),
    );
  });
});

test('a ciphertext that names a key is tried with no other', () => {
  const sealed = rotating.encrypt('the secret', 'test');
  const named = follower.encrypt('the secret', 'test');
  sealed.set(named.subarray(1, 5), 1);
  expect(() => rotating.decrypt(sealed, 'test')).toThrow();
});

test('without a previous key a ciphertext has the format that every release reads', () => {
  expect(before.encrypt('the secret', 'test')[0]).toBe(1);
  expect(before.decrypt(OF_AN_EARLIER_RELEASE, 'test').toString()).toBe('the secret');
  expect(rotating.decrypt(OF_AN_EARLIER_RELEASE, 'test').toString()).toBe('the secret');
});

test('the key of a ciphertext can be told', () => {
  expect(rotating.keyOf(before.encrypt('', 'test'), 'test')).toBe(OLD);
  expect(rotating.keyOf(follower.encrypt('', 'test'), 'test')).toBe(OLD);
  expect(rotating.keyOf(after.encrypt('', 'test'), 'test')).toBe(NEW);
});
