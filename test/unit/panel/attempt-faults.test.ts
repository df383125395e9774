import { expect, test } from '@jest/globals';
import type { OutboundFault } from '../../../src/lib/outbound/outbound-error.js';
import { ATTEMPT_FAULTS } from '../../../web/panel/pages/team/webhooks/attempt-faults.js';

// An attempt follows no redirect and leaves what is too large unread, so neither is a fault of one.
const POSSIBLE = {
  bad_address: true,
  not_encrypted: true,
  not_public: true,
  unknown_host: true,
  unreachable: true,
  certificate: true,
  timeout: true,
  not_sent: true,
  // Written when a backup is restored (deploy/postgres/set-mail-aside.sql).
  set_aside: true,
} satisfies Record<
  Exclude<OutboundFault, 'too_large' | 'too_many_redirects'> | 'not_sent' | 'set_aside',
  true
>;

test('every fault that an attempt at a delivery can have has a sentence', () => {
  expect([...ATTEMPT_FAULTS].sort()).toEqual(Object.keys(POSSIBLE).sort());
});
