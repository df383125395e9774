import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { daysBefore, localDate, MONDAY, nextTime, WORKING_DAYS } from '../../../src/lib/local-time.js';

const paris = { at: '07:30', timeZone: 'Europe/Paris' };

test.each([
  ['on the same day before its time', '2026-11-24T06:29:59Z', '2026-11-24T06:30:00.000Z'],
  ['on the next day from its time on', '2026-11-24T06:30:00Z', '2026-11-25T06:30:00.000Z'],
  ['on Monday after Friday’s', '2026-11-27T12:00:00Z', '2026-11-30T06:30:00.000Z'],
  ['on Monday from a Sunday', '2026-11-29T23:30:00Z', '2026-11-30T06:30:00.000Z'],
  ['at the same local time in summer', '2026-07-01T12:00:00Z', '2026-07-02T05:30:00.000Z'],
  ['after the night in which the clocks go forward', '2026-03-27T12:00:00Z', '2026-03-30T05:30:00.000Z'],
])('a time of working days comes %s', (_, now, expected) => {
  expect(nextTime(new Date(now), paris, WORKING_DAYS).toISOString()).toBe(expected);
});

test('the next time of working days is that time on such a day, after now and within four days, in every time zone', () => {
  const zones = ['Europe/Paris', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'UTC'];
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true }),
      fc.constantFrom(...zones),
      (now, timeZone) => {
        const next = nextTime(now, { at: '09:15', timeZone }, WORKING_DAYS);
        const format = {
          timeZone,
          weekday: 'short',
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
        } as const;
        const shown = new Intl.DateTimeFormat('en', format).format(next);
        expect(shown).toMatch(/^(Mon|Tue|Wed|Thu|Fri),? 09:15$/);
        expect(next.getTime()).toBeGreaterThan(now.getTime());
        expect(next.getTime() - now.getTime()).toBeLessThan(4 * 86_400_000);
      },
    ),
  );
});

test.each([
  ['2026-11-30T06:30:00Z', '2026-12-07T06:30:00.000Z', '2026-11-30T06:30:00.000Z'],
  // The clocks go back on 25 October, and forward on 28 March.
  ['2026-10-24T12:00:00Z', '2026-10-26T06:30:00.000Z', '2026-10-19T05:30:00.000Z'],
  ['2027-03-27T12:00:00Z', '2027-03-29T05:30:00.000Z', '2027-03-22T06:30:00.000Z'],
])('the Monday after %s and the one before it have the same local time', (now, monday, before) => {
  const next = nextTime(new Date(now), paris, MONDAY);
  expect(next.toISOString()).toBe(monday);
  expect(daysBefore(next, 7, paris.timeZone).toISOString()).toBe(before);
});

test('the date of a moment is that of its time zone', () => {
  const moment = new Date('2026-11-29T23:30:00Z');
  expect(localDate(moment, 'Europe/Paris')).toBe('2026-11-30');
  expect(localDate(moment, 'America/New_York')).toBe('2026-11-29');
});
