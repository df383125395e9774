import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { forecast } from '../../../web/panel/pages/team/usage/forecast.js';

const at = (text: string) => new Date(text);

describe('the forecast of a month', () => {
  test.each([
    ['goes on at the average pace', 100, 500, '2026-11-16T00:00:00Z', 200, null],
    [
      'names the day on which the quota is used up',
      400,
      500,
      '2026-11-16T00:00:00Z',
      800,
      '2026-11-19T18:00:00.000Z',
    ],
    ['names no day when the quota is used up already', 500, 500, '2026-11-16T00:00:00Z', 1000, null],
    ['names no day when there is no quota', 400, null, '2026-11-16T00:00:00Z', 800, null],
    ['expects nothing where nothing was used', 0, 500, '2026-11-16T00:00:00Z', 0, null],
    ['knows the length of February in a leap year', 14, 500, '2028-02-15T00:00:00Z', 29, null],
  ])('%s', (_title, used, limit, now, expected, reachedOn) => {
    const found = forecast(used, limit, at(now));
    expect([found?.expected, found?.reachedOn?.toISOString() ?? null]).toEqual([expected, reachedOn]);
  });

  test('is not made on the first day', () => {
    expect(forecast(400, 500, at('2026-11-01T23:59:59Z'))).toBeNull();
    expect(forecast(400, 500, at('2026-11-02T00:00:00Z'))).not.toBeNull();
  });

  test('names a day between now and the end of the month, or none', () => {
    const start = Date.parse('2026-11-02T00:00:00Z');
    const end = Date.parse('2026-12-01T00:00:00Z');
    fc.assert(
      fc.property(
        fc.nat(100_000),
        fc.nat(100_000),
        fc.integer({ min: start, max: end - 1 }),
        (used, limit, now) => {
          const { expected, reachedOn } = forecast(used, limit, new Date(now))!;
          expect(expected).toBeGreaterThanOrEqual(used);
          if (reachedOn === null) return;
          expect(reachedOn.getTime()).toBeGreaterThanOrEqual(now);
          expect(reachedOn.getTime()).toBeLessThanOrEqual(end);
        },
      ),
    );
  });
});
