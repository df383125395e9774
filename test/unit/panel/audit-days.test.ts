import { expect, test } from '@jest/globals';
import { type AuditDays, withDay } from '../../../web/panel/parts/audit/audit-days.js';
import { readDay } from '../../../web/panel/parts/time/day.js';

test.each<[AuditDays, 'from' | 'to', string | undefined, AuditDays]>([
  [{}, 'from', '2026-11-05', { from: '2026-11-05', to: undefined }],
  [{}, 'to', '2026-11-05', { from: undefined, to: '2026-11-05' }],
  [{ from: '2026-11-03', to: '2026-11-07' }, 'from', '2026-11-07', { from: '2026-11-07', to: '2026-11-07' }],
  [{ from: '2026-11-03', to: '2026-11-07' }, 'from', '2026-11-08', { from: '2026-11-08', to: '2026-11-08' }],
  [{ from: '2026-11-03', to: '2026-11-07' }, 'to', '2026-11-03', { from: '2026-11-03', to: '2026-11-03' }],
  [{ from: '2026-11-03', to: '2026-11-07' }, 'to', '2025-12-31', { from: '2025-12-31', to: '2025-12-31' }],
  [{ from: '2026-11-03', to: '2026-11-07' }, 'from', undefined, { from: undefined, to: '2026-11-07' }],
  [{ from: '2026-11-03', to: '2026-11-07' }, 'to', undefined, { from: '2026-11-03', to: undefined }],
])('of %j the end %s is moved to %s', (days, end, day, moved) => {
  expect(withDay(days, end, day)).toEqual(moved);
});

test.each(['2026-02-28', '2028-02-29', '2026-12-31', '1970-01-01'])('%s is a day', (day) => {
  expect(readDay(day)).toBe(day);
});

test.each([
  undefined,
  7,
  '',
  '2026-2-1',
  '2026-02-29',
  '2026-02-31',
  '2026-04-31',
  '2026-13-01',
  '9999-01-01',
])('%j is no day', (value) => expect(readDay(value)).toBeUndefined());
