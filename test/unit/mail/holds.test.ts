import { beforeEach, expect, test } from '@jest/globals';
import { createHolds, type Holds } from '../../../src/mail/holds.js';

let now: number;
let holds: Holds;

beforeEach(() => {
  now = 0;
  holds = createHolds({ firstMs: 100, longestMs: 350, tryMs: 1_000 }, () => now);
});

test('what never failed is free for everyone', () => {
  expect(holds.waitMs(['a'])).toBe(0);
  expect(holds.waitMs(['a'])).toBe(0);
  expect(holds.isHeld('a')).toBe(false);
});

test('pauses double with each failure, up to the longest', () => {
  const pauses: number[] = [];
  for (let failure = 0; failure < 4; failure++) {
    holds.failed('a', now);
    pauses.push(holds.waitMs(['a']));
    now += 10_000;
  }
  expect(pauses).toEqual([100, 200, 350, 350]);
});

test('what was under way at an earlier failure adds nothing', () => {
  now = 50;
  holds.failed('a', 10);
  holds.failed('a', 20);
  holds.failed('a', 49);
  expect(holds.waitMs(['a'])).toBe(100);
});

test('after the pause one caller tries, and the others wait for how it ends', () => {
  holds.failed('a', 0);
  now = 100;
  expect(holds.waitMs(['a'])).toBe(0);
  expect(holds.waitMs(['a'])).toBe(1_000);
  expect(holds.succeeded('a')).toBe(true);
  expect(holds.waitMs(['a'])).toBe(0);
});

test('a try that never tells how it ended does not hold for ever', () => {
  holds.failed('a', 0);
  now = 100;
  holds.waitMs(['a']);
  now = 1_100;
  expect(holds.waitMs(['a'])).toBe(0);
});

test('of several keys the longest wait counts, and nothing is tried before it', () => {
  holds.failed('a', 0);
  now = 50;
  holds.failed('b', 50);
  now = 100;
  expect(holds.waitMs(['a', 'b', 'c'])).toBe(50);
  expect(holds.waitMs(['a'])).toBe(0);
});
