import { expect, test } from '@jest/globals';
import { MAX_RETRIES, RETRY_FOR_H, retryPauseS } from '../../../src/notifications/retry.js';

test('pauses double from five seconds to an hour, with a fifth of jitter', () => {
  expect([0, 1, 2, 9, 10, 1_000].map((retries) => retryPauseS(retries, 0))).toEqual([
    5, 10, 20, 2_560, 3_600, 3_600,
  ]);
  expect(retryPauseS(0, 0.999)).toBeLessThanOrEqual(6);
  expect(retryPauseS(50, 0.999)).toBeLessThanOrEqual(4_320);
});

test('retries last for at least a day', () => {
  expect(RETRY_FOR_H).toBeGreaterThanOrEqual(24);
  const pausesS = Array.from({ length: MAX_RETRIES }, (_, retries) => retryPauseS(retries, 0));
  const hours = pausesS.reduce((sum, pauseS) => sum + pauseS, 0) / 3_600;
  expect(hours).toBeGreaterThanOrEqual(RETRY_FOR_H);
  expect(hours).toBeLessThan(RETRY_FOR_H + 1);
});
