import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  generateRecoveryCodes,
  hashRecoveryCode,
  readRecoveryCode,
} from '../../../src/auth/second-factor/recovery-codes.js';
import {
  describeTotpSecret,
  generateTotpSecret,
  totpCode,
  totpStep,
} from '../../../src/auth/second-factor/totp.js';

/** The secret of RFC 6238, appendix B: the ASCII text 12345678901234567890. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('the code of an authenticator app', () => {
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
  ])('is the one of RFC 6238 at %d s', (seconds, code) => {
    const now = new Date(seconds * 1000);
    expect(totpCode(RFC_SECRET, now)).toBe(code);
    expect(totpStep(RFC_SECRET, code, now)).toBe(Math.floor(seconds / 30));
  });

  test('is accepted a step early and a step late, as its own step, and no further', () => {
    fc.assert(
      fc.property(fc.integer({ min: 60, max: 4e9 }), fc.integer({ min: -1, max: 1 }), (seconds, steps) => {
        const now = new Date(seconds * 1000);
        const code = totpCode(RFC_SECRET, new Date((seconds + 30 * steps) * 1000));
        // A neighbouring step may have the same code by chance.
        fc.pre(
          [-1, 0, 1].filter((at) => totpCode(RFC_SECRET, new Date((seconds + 30 * at) * 1000)) === code)
            .length === 1,
        );
        expect(totpStep(RFC_SECRET, code, now)).toBe(Math.floor(seconds / 30) + steps);
      }),
    );
    const now = new Date(1_234_567_890_000);
    for (const away of [-60_000, 60_000]) {
      expect(totpStep(RFC_SECRET, totpCode(RFC_SECRET, new Date(now.getTime() + away)), now)).toBeNull();
    }
  });

  test('belongs to a secret of 160 bits, whose address names the account', () => {
    const secret = generateTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    const { uri } = describeTotpSecret(secret, 'zoé+a@acme.test');
    const { protocol, searchParams } = new URL(uri);
    expect(protocol).toBe('otpauth:');
    expect(decodeURIComponent(uri)).toContain('Formgate:zoé+a@acme.test?');
    expect(searchParams.get('secret')).toBe(secret);
  });
});

describe('recovery codes', () => {
  test('are ten, all different, and read as typed with other separators and case', () => {
    const codes = generateRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) {
      expect(code).toMatch(/^([2-9a-z]{5}-){3}[2-9a-z]{5}$/);
      const typed = ` ${code.toUpperCase().replaceAll('-', ' ')} `;
      expect(hashRecoveryCode(readRecoveryCode(typed)!)).toEqual(hashRecoveryCode(code));
    }
  });

  test('are told from anything else', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (typed) => {
        fc.pre(!/^[2-9a-z\s-]{20,}$/i.test(typed));
        expect(readRecoveryCode(typed)).toBeNull();
      }),
    );
  });
});
