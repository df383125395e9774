import { beforeEach, expect, test } from '@jest/globals';
import { type CircuitBreaker, createCircuitBreaker } from '../../../src/mail/circuit-breaker.js';

let now: number;
let breaker: CircuitBreaker;

beforeEach(() => {
  now = 0;
  breaker = createCircuitBreaker({ initialMs: 100, maxMs: 350, halfOpenTimeoutMs: 1_000 }, () => now);
});

test('a circuit that never failed admits every attempt', () => {
  expect(breaker.tryAcquire(['a'])).toBe(0);
  expect(breaker.tryAcquire(['a'])).toBe(0);
  expect(breaker.isOpen('a')).toBe(false);
});

test('pauses double with each failure, up to the longest', () => {
  const pauses: number[] = [];
  for (let failure = 0; failure < 4; failure++) {
    breaker.recordFailure('a', now);
    pauses.push(breaker.tryAcquire(['a']));
    now += 10_000;
  }
  expect(pauses).toEqual([100, 200, 350, 350]);
});

test('an attempt that began before an earlier failure adds nothing', () => {
  now = 50;
  breaker.recordFailure('a', 10);
  breaker.recordFailure('a', 20);
  breaker.recordFailure('a', 49);
  expect(breaker.tryAcquire(['a'])).toBe(100);
});

test('after the pause one attempt is admitted, and the others wait for its outcome', () => {
  breaker.recordFailure('a', 0);
  now = 100;
  expect(breaker.tryAcquire(['a'])).toBe(0);
  expect(breaker.tryAcquire(['a'])).toBe(1_000);
  expect(breaker.recordSuccess('a')).toBe(true);
  expect(breaker.tryAcquire(['a'])).toBe(0);
});

test('a half-open circuit admits another attempt when the first never reports its outcome', () => {
  breaker.recordFailure('a', 0);
  now = 100;
  breaker.tryAcquire(['a']);
  now = 1_100;
  expect(breaker.tryAcquire(['a'])).toBe(0);
});

test('of several keys the longest wait counts, and no attempt is admitted before it', () => {
  breaker.recordFailure('a', 0);
  now = 50;
  breaker.recordFailure('b', 50);
  now = 100;
  expect(breaker.tryAcquire(['a', 'b', 'c'])).toBe(50);
  expect(breaker.tryAcquire(['a'])).toBe(0);
});
