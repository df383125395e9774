import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSilent, silenceChance } from '../../../src/attention/silence/silence.js';
import { HOURS_IN_WEEK, weekOf, weightedHours } from '../../../src/attention/silence/week.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LAST = new Date('2026-06-15T12:00:00Z');

const daysBefore = (days: number) => new Date(LAST.getTime() - days * DAY_MS);
const daysAfter = (days: number) => new Date(LAST.getTime() + days * DAY_MS);

const even = weekOf(Array.from({ length: HOURS_IN_WEEK }, () => 100));
/** Leads on weekdays from 8 to 18 h UTC alone. */
const office = weekOf(
  Array.from({ length: HOURS_IN_WEEK }, (_, hour) =>
    hour < 5 * 24 && hour % 24 >= 8 && hour % 24 < 18 ? 200 : 0,
  ),
);

const hoursOfWeek = fc.array(fc.nat(10_000), { minLength: HOURS_IN_WEEK, maxLength: HOURS_IN_WEEK });
const instant = fc.date({
  min: new Date('2020-01-01T00:00:00Z'),
  max: new Date('2040-01-01T00:00:00Z'),
  noInvalidDate: true,
});

describe('the weighted time', () => {
  test('is the plain time where leads come evenly', () => {
    expect(weightedHours(even, daysBefore(3.5), LAST)).toBeCloseTo(84, 6);
  });

  test('runs fast in office hours, slowly at night and at weekends', () => {
    const monday = new Date('2026-06-15T09:00:00Z');
    expect(weightedHours(office, monday, new Date('2026-06-15T10:00:00Z'))).toBeGreaterThan(2.5);
    const friday = new Date('2026-06-19T18:00:00Z');
    expect(weightedHours(office, friday, new Date('2026-06-22T08:00:00Z'))).toBeLessThan(10);
  });

  test('has 168 hours a week, whatever its hours weigh and wherever it begins', () => {
    fc.assert(
      fc.property(hoursOfWeek, instant, (leads, from) => {
        const to = new Date(from.getTime() + 7 * DAY_MS);
        expect(weightedHours(weekOf(leads), from, to)).toBeCloseTo(HOURS_IN_WEEK, 5);
      }),
    );
  });

  test('adds up, and never runs backwards', () => {
    fc.assert(
      fc.property(hoursOfWeek, instant, instant, instant, (leads, one, two, three) => {
        const week = weekOf(leads);
        const [a, b, c] = [one, two, three].sort((x, y) => x.getTime() - y.getTime());
        const [first, second] = [weightedHours(week, a!, b!), weightedHours(week, b!, c!)];
        expect(Math.min(first, second)).toBeGreaterThanOrEqual(0);
        expect(first + second).toBeCloseTo(weightedHours(week, a!, c!), 4);
      }),
    );
  });
});

describe('the chance that a silent website works', () => {
  const habit = { leads: 41, firstAt: daysBefore(20), lastAt: LAST };

  test.each([
    ['40 pauses of 20 days together, silent for half a day', 0.5, (20 / 20.5) ** 40],
    ['40 pauses of 20 days together, silent for 4 days', 4, (20 / 24) ** 40],
    ['silent for no time', 0, 1],
  ])('is (S / (S + t))^n for %s', (_, days, chance) => {
    expect(silenceChance(habit, daysAfter(days), even)).toBeCloseTo(chance, 9);
  });

  test.each([
    ['one lead', { leads: 1, firstAt: LAST, lastAt: LAST }],
    ['the trials of a first day', { leads: 9, firstAt: daysBefore(1), lastAt: LAST }],
  ])('is unknown after %s', (_, young) => {
    expect(silenceChance(young, daysAfter(300), even)).toBe(1);
  });

  test('falls as the silence lasts, and lies between 0 and 1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 5_000 }),
        fc.integer({ min: 8, max: 180 }),
        fc.double({ min: 0.01, max: 400, noNaN: true }),
        (leads, days, silent) => {
          const known = { leads, firstAt: daysBefore(days), lastAt: LAST };
          const [sooner, later] = [
            silenceChance(known, daysAfter(silent), even),
            silenceChance(known, daysAfter(silent * 2), even),
          ];
          expect(sooner).toBeLessThanOrEqual(1);
          expect(later).toBeGreaterThanOrEqual(0);
          expect(later).toBeLessThanOrEqual(sooner);
        },
      ),
    );
  });
});

describe('a website', () => {
  const twiceADay = { leads: 41, firstAt: daysBefore(20), lastAt: LAST };

  test('is silent when its pause is rarer than one in a week of the whole installation', () => {
    const small = { week: even, leadsPerWeek: 100 };
    const large = { week: even, leadsPerWeek: 100_000 };
    expect(isSilent(twiceADay, daysAfter(2), small)).toBe(false);
    expect(isSilent(twiceADay, daysAfter(3), small)).toBe(true);
    expect(isSilent(twiceADay, daysAfter(3), large)).toBe(false);
    expect(isSilent(twiceADay, daysAfter(8), large)).toBe(true);
  });

  test('is not silent over a weekend where leads come in office hours', () => {
    const leads = { leads: 100, firstAt: daysBefore(30), lastAt: new Date('2026-06-19T17:00:00Z') };
    const monday = new Date('2026-06-22T08:00:00Z');
    expect(isSilent(leads, monday, { week: even, leadsPerWeek: 500 })).toBe(true);
    expect(isSilent(leads, monday, { week: office, leadsPerWeek: 500 })).toBe(false);
  });

  test('is not silent at its usual pace in an installation with hardly any leads', () => {
    const weekly = { leads: 26, firstAt: daysBefore(175), lastAt: LAST };
    expect(isSilent(weekly, daysAfter(7), { week: even, leadsPerWeek: 0.5 })).toBe(false);
  });
});
