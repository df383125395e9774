import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { usualBy } from '../../../src/attention/today.js';

/** A Monday. */
const NOON = new Date('2026-06-15T12:00:00Z');

const UTC = { begins: new Date('2026-06-15T00:00:00Z'), ends: new Date('2026-06-16T00:00:00Z') };
const PARIS = { begins: new Date('2026-06-14T22:00:00Z'), ends: new Date('2026-06-15T22:00:00Z') };

const mondaysOf = (today: typeof UTC, leads: number) =>
  [7, 14, 21, 28].map((daysAgo) => ({ today, daysAgo, leads }));
const mondays = mondaysOf(UTC, 10);
const hours = Array.from({ length: 168 }, (_, hour) => (hour === 9 || hour === 15 ? 40 : 0));

describe('what is usual by now', () => {
  test('is the share of an average day of the same weekday that has come by this hour', () => {
    expect(usualBy(mondays, 28, hours, NOON)).toBe(5);
    expect(usualBy(mondays, 28, hours, new Date('2026-06-15T09:30:00Z'))).toBe(3);
    expect(usualBy(mondays, 28, hours, new Date('2026-06-15T23:00:00Z'))).toBe(10);
  });

  test('counts weeks without a lead on that weekday, and not today itself', () => {
    const days = [
      { today: UTC, daysAgo: 0, leads: 99 },
      { today: UTC, daysAgo: 7, leads: 20 },
    ];
    expect(usualBy(days, 28, hours, new Date('2026-06-15T23:00:00Z'))).toBe(5);
  });

  test('follows the clock where the hours of the week are not known yet', () => {
    expect(usualBy(mondays, 28, [], NOON)).toBe(5);
  });

  test('is unknown in the first week', () => {
    expect(usualBy([{ today: UTC, daysAgo: 3, leads: 10 }], 6, hours, NOON)).toBeNull();
  });

  test('begins with the day of the websites, not with that of UTC', () => {
    const local = mondaysOf(PARIS, 40);
    expect(usualBy(local, 28, hours, new Date('2026-06-14T22:30:00Z'))).toBe(0);
    expect(usualBy(local, 28, hours, new Date('2026-06-15T09:30:00Z'))).toBe(10);
    expect(usualBy(local, 28, hours, NOON)).toBe(20);
    expect(usualBy(local, 28, [], NOON)).toBe(23);
  });

  test('adds up the shares of time zones, each by its own average', () => {
    const both = [...mondaysOf(PARIS, 40), ...mondaysOf(UTC, 10)];
    expect(usualBy(both, 28, hours, NOON)).toBe(25);
    // Over in Paris, and not in UTC.
    const midnight = new Date('2026-06-15T22:00:00Z');
    const next = { begins: PARIS.ends, ends: new Date('2026-06-16T22:00:00Z') };
    expect(usualBy([...mondaysOf(next, 40), ...mondaysOf(UTC, 10)], 28, hours, midnight)).toBe(10);
  });

  test('grows through a day of any length from nothing to the average of the day', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(50), { minLength: 168, maxLength: 168 }),
        fc.integer({ min: -14 * 4, max: 12 * 4 }),
        fc.constantFrom(23, 24, 25),
        fc.nat(100),
        (anyHours, quarters, length, leads) => {
          const begins = new Date(UTC.begins.getTime() + quarters * 900_000);
          const today = { begins, ends: new Date(begins.getTime() + length * 3_600_000) };
          const at = (share: number) => new Date(begins.getTime() + share * length * 3_600_000);
          const course = [0, 0.2, 0.5, 0.9, 1].map(
            (share) => usualBy(mondaysOf(today, leads), 28, anyHours, at(share))!,
          );
          expect(course[0]).toBe(0);
          expect(course.at(-1)).toBe(leads);
          expect([...course].sort((one, other) => one - other)).toEqual(course);
        },
      ),
    );
  });
});
