import { describe, expect, test } from '@jest/globals';
import { warningOf } from '../../../src/tokens/token-warning.js';
import { curlOf } from '../../../web/panel/pages/team/tokens/curl.js';

const NOW = new Date('2026-11-24T12:00:00Z');
const LONG_AGO = '2026-01-01T00:00:00Z';
const YESTERDAY = '2026-11-23T12:00:00Z';

describe('the warning about a token', () => {
  test.each([
    ['is none for one in use', LONG_AGO, YESTERDAY, null, null],
    ['is none for a new one that was never used', YESTERDAY, null, null, null],
    ['says that it was not used for 90 days', LONG_AGO, '2026-08-26T12:00:00Z', null, 'unused'],
    ['is none a minute before the 90 days are over', LONG_AGO, '2026-08-26T12:01:00Z', null, null],
    ['says that one was never used since its creation', LONG_AGO, null, null, 'unused'],
    ['says that it ends within 14 days', LONG_AGO, YESTERDAY, '2026-12-08T12:00:00Z', 'ending'],
    ['is none a minute before', LONG_AGO, YESTERDAY, '2026-12-08T12:01:00Z', null],
    ['says that it has ended', LONG_AGO, YESTERDAY, '2026-11-24T12:00:00Z', 'expired'],
    ['puts the end before the want of use', LONG_AGO, null, '2026-11-25T12:00:00Z', 'ending'],
  ])('%s', (_title, createdAt, lastUsedAt, expiresAt, expected) => {
    expect(warningOf({ createdAt, lastUsedAt, expiresAt }, NOW)).toBe(expected);
  });
});

test('the command for a token calls what the token opens', () => {
  const value = '12|abc';
  expect(curlOf('https://forms.agency.test', value, ['team_read', 'team_submit'])).toBe(
    "curl -sS 'https://forms.agency.test/api/websites' \\\n" +
      "  -H 'Authorization: Bearer 12|abc' -H 'Accept: application/json'",
  );
  expect(curlOf('https://forms.agency.test', value, [])).toContain('/api/tokens');
});
