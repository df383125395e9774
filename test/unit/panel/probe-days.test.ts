import { expect, test } from '@jest/globals';
import { outcomesOf } from '../../../web/panel/pages/website/health/days.js';

const NOW = new Date('2026-06-15T12:00:00Z');

test('the tests of each day are told in the time zone of the website, and one failure counts for its day', () => {
  const outcomes = outcomesOf(
    [
      { ok: null, startedAt: '2026-06-15T11:00:00Z' },
      { ok: true, startedAt: '2026-06-14T22:30:00Z' },
      { ok: true, startedAt: '2026-06-14T10:00:00Z' },
      { ok: false, startedAt: '2026-06-14T09:00:00Z' },
      { ok: true, startedAt: '2026-06-14T08:00:00Z' },
      { ok: true, startedAt: '2020-01-01T08:00:00Z' },
    ],
    'Europe/Paris',
    NOW,
  );
  expect(outcomes).toHaveLength(90);
  expect(outcomes.slice(-3)).toEqual(['none', 'failed', 'passed']);
  expect(outcomes.filter((outcome) => outcome !== 'none')).toHaveLength(2);
});

test.each([
  ['spring', '2026-03-30T22:30:00Z', '2026-03-29T10:00:00Z'],
  ['autumn', '2026-10-26T22:30:00Z', '2026-10-25T10:00:00Z'],
])('each day is told once after the clocks have changed in %s', (_when, now, changed) => {
  const startedAt = (days: number) => new Date(Date.parse(changed) + days * 86_400_000).toISOString();
  const outcomes = outcomesOf(
    [
      { ok: true, startedAt: startedAt(-1) },
      { ok: false, startedAt: startedAt(0) },
      { ok: true, startedAt: startedAt(1) },
    ],
    'Europe/Paris',
    new Date(now),
  );
  expect(outcomes.filter((outcome) => outcome !== 'none')).toEqual(['passed', 'failed', 'passed']);
});
