import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { SignatureFault } from '../../../src/errors.js';
import { signatureFault, signWebsite, unixSeconds } from '../../../src/websites/signatures/signature.js';

const KEY = randomBytes(32);
const WEBSITE = '018f2b5e-7c1a-7000-8000-000000000001';
const OTHER = '018f2b5e-7c1a-7000-8000-000000000002';
const NOW = 1_795_000_000;
const TTL_S = 600;

type Given = { key?: Buffer; website?: string; signature?: string; timestamp?: string; now?: number };

function faultOf(given: Given = {}): SignatureFault | null {
  const { key = KEY, website = WEBSITE, now = NOW } = given;
  const { signature = signWebsite(KEY, WEBSITE, NOW), timestamp = String(NOW) } = given;
  return signatureFault(key, website, { signature, timestamp }, { now, ttlS: TTL_S });
}

test('a signature is accepted repeatedly within its lifetime', () => {
  for (const now of [NOW, NOW, NOW + 1, NOW + TTL_S - 1]) expect(faultOf({ now })).toBeNull();
});

test.each([
  ['at the end of its life', TTL_S, 'expired'],
  ['long after', 86_400, 'expired'],
  ['before the gateway’s clock has come so far', -30, null],
  ['too long before', -31, 'from_the_future'],
  ['a day before', -86_400, 'from_the_future'],
])('a signature presented %s, at an age of %d s, has the fault %s', (_case, ageS, expected) => {
  expect(faultOf({ now: NOW + ageS })).toBe(expected);
});

test('a signature with a flipped bit is refused', () => {
  const signature = signWebsite(KEY, WEBSITE, NOW);
  for (let index = 0; index < signature.length; index++) {
    for (let bit = 0; bit < 7; bit++) {
      const flipped = String.fromCharCode(signature.charCodeAt(index) ^ (1 << bit));
      const tampered = signature.slice(0, index) + flipped + signature.slice(index + 1);
      expect(faultOf({ signature: tampered })).toBe('wrong_key');
    }
  }
});

describe('verification refuses', () => {
  test.each<[string, Given]>([
    ['the signature of another website', { signature: signWebsite(KEY, OTHER, NOW) }],
    ['a signature presented for another website', { website: OTHER }],
    ['a signature under another key', { key: randomBytes(32) }],
    ['a signature of another time', { signature: signWebsite(KEY, WEBSITE, NOW - 1) }],
    ['an empty signature', { signature: '' }],
    ['a cut signature', { signature: signWebsite(KEY, WEBSITE, NOW).slice(0, -1) }],
    ['a longer signature', { signature: `${signWebsite(KEY, WEBSITE, NOW)}A` }],
    ['padded Base64', { signature: `${signWebsite(KEY, WEBSITE, NOW)}=` }],
    ['text beyond ASCII', { signature: 'é'.repeat(43) }],
    ...[
      '',
      ' ',
      'NaN',
      '0',
      '-1',
      '1e9',
      `${NOW}.0`,
      `+${NOW}`,
      `0${NOW}`,
      ` ${NOW}`,
      `${NOW}0`,
      '0x6afdb0c0',
    ].map((timestamp): [string, Given] => [
      `the timestamp ${JSON.stringify(timestamp)}, even signed`,
      { timestamp, signature: signWebsite(KEY, WEBSITE, timestamp) },
    ]),
  ])('%s', (_case, given) => {
    expect(faultOf(given)).toEqual(expect.any(String));
  });

  test.each([
    { signature: undefined, timestamp: String(NOW) },
    { signature: signWebsite(KEY, WEBSITE, NOW), timestamp: undefined },
  ])('a missing header', (given) => {
    expect(signatureFault(KEY, WEBSITE, given, { now: NOW, ttlS: TTL_S })).toBe('missing');
  });
});

test('the time is in whole seconds', () => {
  expect(unixSeconds(new Date(1_795_000_000_999))).toBe(1_795_000_000);
});
