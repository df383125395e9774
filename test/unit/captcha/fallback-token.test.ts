import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { issueFallbackToken, readFallbackToken } from '../../../src/captcha/fallback-token.js';
import { deriveKey } from '../../../src/lib/crypto/hmac.js';

const KEY = deriveKey(Buffer.alloc(32, 1), 'test');
const WEBSITE = '018f2b5e-7c1a-7000-8000-000000000001';
const OTHER_WEBSITE = '018f2b5e-7c1a-7000-8000-000000000002';
const NOW = new Date('2026-11-20T12:00:00.000Z');
const at = (ms: number) => new Date(NOW.getTime() + ms);

const issue = (step = 'hcaptcha:eu') => issueFallbackToken(KEY, WEBSITE, step, NOW);
const read = (token: string | null, { website = WEBSITE, now = NOW, key = KEY } = {}) =>
  readFallbackToken(key, website, token, now);

describe('a fallback token', () => {
  test.each(['altcha', 'hcaptcha:eu', `recaptcha_enterprise:${'x'.repeat(100)}`])('designates %s', (step) => {
    expect(read(issue(step))).toBe(step);
  });

  test('is valid for two minutes to the millisecond', () => {
    expect(read(issue(), { now: at(119_999) })).toBe('hcaptcha:eu');
    expect(read(issue(), { now: at(120_000) })).toBeNull();
  });

  test('is refused on another website and under another key', () => {
    expect(read(issue(), { website: OTHER_WEBSITE })).toBeNull();
    expect(read(issue(), { key: deriveKey(Buffer.alloc(32, 1), 'another purpose') })).toBeNull();
    expect(read(issue().replace(WEBSITE, OTHER_WEBSITE), { website: OTHER_WEBSITE })).toBeNull();
  });

  test('cannot be altered to designate another step or a later expiry', () => {
    const [website, step, expires, signature] = issue().split('.') as [string, string, string, string];
    expect(read([website, 'turnstile:main', expires, signature].join('.'))).toBeNull();
    expect(read([website, step, String(Number(expires) + 1), signature].join('.'))).toBeNull();
  });

  test('with any character changed, added or left out is refused', () => {
    const token = issue();
    const character = fc.constantFrom(...'abcdefgh0189._:-ABYZ+/= \n\u00e9');
    fc.assert(
      fc.property(fc.nat(token.length - 1), character, fc.constantFrom(0, 1, 2), (index, other, how) => {
        const inserted = how === 2 ? '' : other;
        const altered = token.slice(0, index) + inserted + token.slice(index + (how === 1 ? 0 : 1));
        expect(read(altered)).toBe(altered === token ? 'hcaptcha:eu' : null);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([null, '', '.', '...', 'x'.repeat(4096), `${'.'.repeat(3)}${'A'.repeat(43)}`])(
    'is refused when it is %p',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );
});
