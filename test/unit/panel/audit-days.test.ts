import { expect, test } from '@jest/globals';
import { type AuditDays, withDay } from '../../../web/panel/parts/audit/audit-days.js';

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
