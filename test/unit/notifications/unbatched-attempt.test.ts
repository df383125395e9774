import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Delivery } from '../../../src/mail/delivery.js';
import type { MailMessage } from '../../../src/mail/message.js';
import { attemptUnbatched } from '../../../src/notifications/unbatched-attempt.js';

const ACCEPTED: Delivery = {
  outcome: 'sent',
  smtpCode: 250,
  detail: '250 2.0.0 OK',
  accepted: ['desk@acme.test'],
  refused: [],
  answers: {},
};

const MESSAGE = { to: ['desk@acme.test'] } as unknown as MailMessage;

test('an attempt that cannot be postponed while its confirmation is slow is recorded all the same', async () => {
  const changes: object[] = [];
  const delivery = await attemptUnbatched(MESSAGE, {
    dispatch: {
      tryAcquireDomains: () => 0,
      async send(_message, { onSlow } = {}) {
        onSlow?.();
        // The rejection of the postponement comes before the confirmation.
        await turn();
        return ACCEPTED;
      },
    },
    attempts: 1,
    unconfirmed: 0,
    takenAt: performance.now(),
    retryUntil: new Date(Date.now() + 60_000),
    onSlow: () => undefined,
    async update(change) {
      changes.push(change);
      if (changes.length === 1) throw new Error('The row is locked.');
    },
  });
  expect(delivery).toBe(ACCEPTED);
  expect(changes).toEqual([{ nextAttemptAt: expect.any(Date) }, { state: 'sent', sentAt: expect.any(Date) }]);
});

test('an e-mail to a domain whose circuit is open is due when that admits one, without an attempt', async () => {
  const changes: Parameters<Parameters<typeof attemptUnbatched>[1]['update']>[0][] = [];
  const delivery = await attemptUnbatched(MESSAGE, {
    dispatch: {
      tryAcquireDomains: () => 5_000,
      send: async (_message, { mayBegin } = {}) => (mayBegin?.() ? ACCEPTED : null),
    },
    attempts: 1,
    unconfirmed: 0,
    takenAt: performance.now(),
    retryUntil: new Date(Date.now() + 60_000),
    onSlow: () => undefined,
    update: async (change) => changes.push(change),
  });
  expect(delivery).toBeNull();
  expect(changes).toEqual([{ attempts: 0, nextAttemptAt: expect.any(Date) }]);
  expect(changes[0]!.nextAttemptAt!.getTime() - Date.now()).toBeGreaterThan(4_000);
});
