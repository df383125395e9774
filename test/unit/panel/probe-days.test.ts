import { expect, test } from '@jest/globals';
import { outcomesOf } from '../../../web/panel/pages/website/health/days.js';

const NOW = Date.parse('2026-06-15T12:00:00Z');

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
