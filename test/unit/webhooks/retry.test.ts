import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RETRY_PAUSES_S, retryAfterS, retryPauseS } from '../../../src/webhooks/retry.js';

const NOW = new Date('2026-11-24T12:00:00Z');

describe('the pause before a retry', () => {
  test('grows from five seconds to a day, and after the ninth retry there is none', () => {
    const pauses = Array.from({ length: 10 }, (_, retries) => retryPauseS(retries, null, 0));
    expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
  });

  test('is never shorter than its step or than what is asked for, and a fifth longer at most', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: RETRY_PAUSES_S.length - 1 }),
        fc.option(fc.integer({ min: 0, max: 86_400 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (retries, askedS, chance) => {
          const least = Math.max(RETRY_PAUSES_S[retries]!, askedS ?? 0);
          const pause = retryPauseS(retries, askedS, chance)!;
          expect(pause).toBeGreaterThanOrEqual(least);
          expect(pause).toBeLessThanOrEqual(least * 1.2);
        },
      ),
    );
  });
});

test.each([
  [undefined, null],
  ['120', 120],
  ['0', 0],
  ['999999999', 86_400],
  ['9223372036854775807', 86_400],
  ['Tue, 24 Nov 2026 12:01:00 GMT', 60],
  ['Tue, 24 Nov 2026 11:00:00 GMT', 0],
  ['Tuesday, 24-Nov-26 12:01:00 GMT', 60],
  ['Tue Nov 24 12:01:00 2026', 60],
  ['Wed Nov  4 12:00:00 2026', 0],
  ['Sat Dec  5 12:00:00 2026', 86_400],
  ['Tue Nov 24 2026', null],
  ['Sun, 24 Nov 2090 11:00:00 GMT', 86_400],
  ['soon', null],
  ['-5', null],
  ['', null],
])('Retry-After %j asks for %j seconds', (header, expected) => {
  expect(retryAfterS(header, NOW)).toBe(expected);
});
