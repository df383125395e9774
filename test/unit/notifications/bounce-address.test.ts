import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createKeyring } from '../../../src/lib/crypto/keyring.js';
import { createBounceAddresses } from '../../../src/notifications/bounces/bounce-address.js';

const domain = 'bounces.agency.test';
const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

const addresses = (key: Buffer, previous: Buffer | null = null) =>
  createBounceAddresses({ keyring: createKeyring(key, previous), domain });

const id = '018f2b5e-7c1a-7000-8000-000000000001';

test('every e-mail has an address from which its id is read, in whatever case it comes back', () => {
  const { senderOf, read } = addresses(one);
  fc.assert(
    fc.property(fc.uuid(), (emailId) => {
      const sender = senderOf(emailId)!;
      expect(read(sender)).toBe(emailId);
      expect(read(sender.toUpperCase())).toBe(emailId);
      expect(sender.indexOf('@')).toBeLessThanOrEqual(64);
    }),
  );
});

test('an address with any other character in its place is not accepted', () => {
  const { senderOf, read } = addresses(one);
  const sender = senderOf(id)!;
  for (let at = 0; at < sender.length; at++) {
    const changed = `${sender.slice(0, at)}${sender[at] === '0' ? '1' : '0'}${sender.slice(at + 1)}`;
    expect(read(changed)).toBeNull();
  }
});

test('what is added to an address, or is missing from it, makes it another', () => {
  const { senderOf, read } = addresses(one);
  const sender = senderOf(id)!;
  const [local] = sender.split('@');
  for (const text of [`x${sender}`, `${sender}.evil.test`, local!, `${local}@agency.test`, '', '@', 'b+.@']) {
    expect(read(text)).toBeNull();
  }
});

test('addresses of the key before APP_KEY are accepted while it is rotated, and no longer afterwards', () => {
  const sender = addresses(one).senderOf(id)!;
  expect(addresses(other, one).read(sender)).toBe(id);
  expect(addresses(other).read(sender)).toBeNull();
});

test('without BOUNCE_DOMAIN an e-mail has no address of its own, and none is accepted', () => {
  const none = createBounceAddresses({ keyring: createKeyring(one), domain: null });
  expect(none.senderOf(id)).toBeUndefined();
  expect(none.read(addresses(one).senderOf(id)!)).toBeNull();
});
