import { describe, expect, test } from '@jest/globals';
import { usualBy } from '../../../src/attention/today.js';

/** A Monday. */
const NOON = new Date('2026-06-15T12:00:00Z');

const mondays = [7, 14, 21, 28].map((daysAgo) => ({ daysAgo, leads: 10 }));
const hours = Array.from({ length: 168 }, (_, hour) => (hour === 9 || hour === 15 ? 40 : 0));

describe('what is usual by now', () => {
  test('is the share of an average day of the same weekday that has come by this hour', () => {
    expect(usualBy(mondays, 28, hours, NOON)).toBe(5);
    expect(usualBy(mondays, 28, hours, new Date('2026-06-15T09:30:00Z'))).toBe(3);
    expect(usualBy(mondays, 28, hours, new Date('2026-06-15T23:00:00Z'))).toBe(10);
  });

  test('counts weeks without a lead on that weekday, and not today itself', () => {
    const days = [
      { daysAgo: 0, leads: 99 },
      { daysAgo: 7, leads: 20 },
    ];
    expect(usualBy(days, 28, hours, new Date('2026-06-15T23:00:00Z'))).toBe(5);
  });

  test('follows the clock where the hours of the week are not known yet', () => {
    expect(usualBy(mondays, 28, [], NOON)).toBe(5);
  });

  test('is unknown in the first week', () => {
    expect(usualBy([{ daysAgo: 3, leads: 10 }], 6, hours, NOON)).toBeNull();
  });
});
