import { expect, test } from '@jest/globals';
import { fetchPage } from '../../../src/probes/page.js';

const EXPIRES_AT = new Date('2026-12-05T10:00:00Z');
const PAGE = new URL('https://www.acme.test/');

test.each([
  [200, 'answered'],
  [403, 'page_status'],
  [503, 'page_status'],
])('the certificate of a page that answers %i is known', async (status, outcome) => {
  let expiresAt: Date | null = null;
  const ended = fetchPage(
    { id: '0198c2a4-7c1a-7000-8000-000000000001', url: PAGE.href, host: PAGE.host },
    {
      outbound: {
        get: async () => ({
          status,
          headers: {},
          body: Buffer.from(''),
          url: PAGE,
          certificateExpiresAt: EXPIRES_AT,
        }),
      },
      userAgent: 'test',
      signal: new AbortController().signal,
      onCertificate: (at) => {
        expiresAt = at;
      },
    },
  );
  expect(
    await ended.then(
      () => 'answered',
      ({ finding }) => finding,
    ),
  ).toBe(outcome);
  expect(expiresAt).toEqual(EXPIRES_AT);
});
