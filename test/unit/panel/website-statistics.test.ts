import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { conversionOf, figuresOf, totalOf } from '../../../web/panel/parts/statistics/figures.js';
import {
  addDays,
  dayIn,
  daysOf,
  listDays,
  MAX_DAYS,
  startOfDay,
  withEnd,
} from '../../../web/panel/parts/statistics/period.js';

/** Zones whose clocks change at midnight, by half an hour, across the date line, or never. */
const ZONES = [
  'UTC',
  'Europe/Paris',
  'Pacific/Auckland',
  'America/New_York',
  'Africa/Cairo',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
];

describe('the days of a period', () => {
  const NOW = new Date('2026-06-15T11:30:00Z');

  test.each<[string, Parameters<typeof daysOf>[0], string, string, string]>([
    ['the last thirty', {}, 'UTC', '2026-05-17', '2026-06-15'],
    ['a week', { period: 'week' }, 'UTC', '2026-06-09', '2026-06-15'],
    ['a year', { period: 'year' }, 'UTC', '2025-06-16', '2026-06-15'],
    [
      'where it is the next day already',
      { period: 'week' },
      'Pacific/Kiritimati',
      '2026-06-10',
      '2026-06-16',
    ],
    ['given ones', { from: '2026-01-30', to: '2026-02-02' }, 'UTC', '2026-01-30', '2026-02-02'],
    ['given in the other order', { from: '2026-02-02', to: '2026-01-30' }, 'UTC', '2026-01-30', '2026-02-02'],
    ['until today', { from: '2026-06-01' }, 'UTC', '2026-06-01', '2026-06-15'],
    ['the thirty before a last one', { to: '2026-03-01' }, 'UTC', '2026-01-31', '2026-03-01'],
    ['no more than a year', { from: '2020-01-01', to: '2026-06-15' }, 'UTC', '2025-06-16', '2026-06-15'],
    ['one day', { from: '2026-06-15', to: '2026-06-15' }, 'UTC', '2026-06-15', '2026-06-15'],
    [
      'the usual period rather than given days',
      { period: 'week', from: '2026-01-01' },
      'UTC',
      '2026-06-09',
      '2026-06-15',
    ],
  ])('are %s', (_what, search, timeZone, from, to) => {
    expect(daysOf(search, timeZone, NOW)).toEqual({ from, to });
  });

  test('are listed one after the other, a year at most', () => {
    expect(listDays({ from: '2024-02-28', to: '2024-03-01' })).toEqual([
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
    ]);
    expect(listDays(daysOf({ period: 'year' }, 'Europe/Paris', NOW)).length).toBe(MAX_DAYS);
  });

  test.each<['from' | 'to', string, string, string]>([
    ['from', '2026-03-01', '2026-03-01', '2026-06-15'],
    ['from', '2024-01-01', '2024-01-01', '2024-12-30'],
    ['from', '2026-07-01', '2026-07-01', '2026-06-15'],
    ['to', '2026-05-20', '2026-05-17', '2026-05-20'],
    ['to', '2028-01-01', '2027-01-02', '2028-01-01'],
  ])('move by their end %s to %s, which the other one follows', (end, day, from, to) => {
    expect(withEnd({ from: '2026-05-17', to: '2026-06-15' }, end, day)).toEqual({ from, to });
  });

  test('begin when the clocks of the time zone say so', () => {
    expect(startOfDay('2026-06-15', 'Europe/Paris').toISOString()).toBe('2026-06-14T22:00:00.000Z');
    expect(startOfDay('2026-12-15', 'Europe/Paris').toISOString()).toBe('2026-12-14T23:00:00.000Z');
    const day = fc.integer({ min: 0, max: 3_000 }).map((days) => addDays('2020-01-01', days));
    fc.assert(
      fc.property(day, fc.constantFrom(...ZONES), (date, timeZone) => {
        const start = startOfDay(date, timeZone);
        expect(dayIn(start, timeZone)).toBe(date);
        expect(dayIn(new Date(start.getTime() - 1), timeZone)).toBe(addDays(date, -1));
      }),
      { numRuns: 500 },
    );
  });
});

describe('the figures of days', () => {
  const figures = figuresOf(
    ['2026-06-14', '2026-06-15', '2026-06-16'],
    [
      { day: '2026-06-13', count: 9 },
      { day: '2026-06-15', count: 2 },
    ],
    [
      { day: '2026-06-14', pageViews: 10, visitors: 4 },
      { day: '2026-06-15', pageViews: 7, visitors: 4 },
    ],
  );

  test('join leads and visits, with zeros where there are none', () => {
    expect(figures).toEqual([
      { day: '2026-06-14', leads: 0, visitors: 4, pageViews: 10 },
      { day: '2026-06-15', leads: 2, visitors: 4, pageViews: 7 },
      { day: '2026-06-16', leads: 0, visitors: 0, pageViews: 0 },
    ]);
    expect(totalOf(figures)).toEqual({ leads: 2, visitors: 8, pageViews: 17 });
  });

  test('have a conversion where there were visitors', () => {
    expect([conversionOf(2, 8), conversionOf(0, 8), conversionOf(2, 0)]).toEqual([0.25, 0, null]);
  });
});
