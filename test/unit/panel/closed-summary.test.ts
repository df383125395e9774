import { expect, test } from '@jest/globals';
import { closedSummary } from '../../../web/panel/parts/closed-summary.js';

test.each([
  ['The certificate has expired', 'The certificate has expired'],
  ['2 tests in a row failed. Correct the DNS', '2 tests in a row failed. Correct the DNS.'],
  ['Is it there? Look', 'Is it there? Look.'],
  [
    'Deliveries to the webhook at hooks.example.com fail',
    'Deliveries to the webhook at hooks.example.com fail',
  ],
])(
  'a summary of several sentences ends with a full stop, one of a single one does not: %s',
  (given, shown) => {
    expect(closedSummary(given)).toBe(shown);
  },
);
