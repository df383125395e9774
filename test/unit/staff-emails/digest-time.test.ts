import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nextDigest } from '../../../src/staff-emails/digest-time.js';

const paris = { at: '07:30', timeZone: 'Europe/Paris' };

test.each([
  ['on the same day before its time', '2026-11-24T06:29:59Z', '2026-11-24T06:30:00.000Z'],
  ['on the next day from its time on', '2026-11-24T06:30:00Z', '2026-11-25T06:30:00.000Z'],
  ['on Monday after Friday’s', '2026-11-27T12:00:00Z', '2026-11-30T06:30:00.000Z'],
  ['on Monday from a Sunday', '2026-11-29T23:30:00Z', '2026-11-30T06:30:00.000Z'],
  ['at the same local time in summer', '2026-07-01T12:00:00Z', '2026-07-02T05:30:00.000Z'],
  ['after the night in which the clocks go forward', '2026-03-27T12:00:00Z', '2026-03-30T05:30:00.000Z'],
])('the digest comes %s', (_, now, expected) => {
  expect(nextDigest(new Date(now), paris).toISOString()).toBe(expected);
});

test('the digest comes at its local time on a working day after now, within four days, in every time zone', () => {
  const zones = ['Europe/Paris', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'UTC'];
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2026-01-01'), max: new Date('2028-01-01'), noInvalidDate: true }),
      fc.constantFrom(...zones),
      (now, timeZone) => {
        const next = nextDigest(now, { at: '09:15', timeZone });
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
