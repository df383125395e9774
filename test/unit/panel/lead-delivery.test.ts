import { expect, test } from '@jest/globals';
import { deliveryOf, readDetail } from '../../../web/panel/pages/inbox/lead/lead-delivery.js';

test.each([
  ['failed', ['refused'], 'failed'],
  ['sent', ['bounced', 'bounced'], 'bounced'],
  ['sent', ['bounced', 'refused'], 'failed'],
  ['bounced', ['bounced'], 'bounced'],
  ['sent', ['accepted', 'bounced'], 'partly'],
  ['failed', ['accepted', 'refused'], 'partly'],
  ['sent', ['accepted', 'delayed'], 'unsure'],
  ['failed', ['unknown'], 'unsure'],
  ['sent', ['accepted', 'accepted'], 'sent'],
  ['pending', ['waiting', 'refused'], 'pending'],
  ['no_recipient', [], 'no_recipient'],
] as const)('an e-mail that is %s, its recipients %j, counts as %s', (state, recipients, expected) => {
  expect(deliveryOf({ state, recipients: recipients.map((one) => ({ state: one })) })).toBe(expected);
});

test('the counts of an attempt are told apart from the words of the mail server', () => {
  expect(readDetail('1 of 2 recipients deferred. 451 Greylisted 250 2.0.0 Kept')).toEqual({
    shares: [
      { outcome: 'accepted', count: 1, total: 2 },
      { outcome: 'deferred', count: 1, total: 2 },
    ],
    answer: '451 Greylisted 250 2.0.0 Kept',
  });
  expect(readDetail('1 of 2 recipients refused. 1 of 2 recipients deferred. 550 Gone')).toEqual({
    shares: [
      { outcome: 'refused', count: 1, total: 2 },
      { outcome: 'deferred', count: 1, total: 2 },
    ],
    answer: '550 Gone',
  });
  expect(readDetail('250 2.0.0 Kept')).toEqual({ shares: [], answer: '250 2.0.0 Kept' });
});
