import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Delivery } from '../../../src/mail/delivery.js';
import type { MailMessage } from '../../../src/mail/message.js';
import { MAX_RETRIES } from '../../../src/notifications/retry.js';
import { attemptUnbatched } from '../../../src/notifications/unbatched-attempt.js';

const ACCEPTED: Delivery = {
  outcome: 'sent',
  smtpCode: 250,
  detail: '250 2.0.0 OK',
  accepted: ['desk@acme.test'],
  refused: [],
  answers: {},
};

const inMs = (ms: number): Date => new Date(Date.now() + ms);

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
    onSlow: () => undefined,
    update: async (change) => changes.push(change),
  });
  expect(delivery).toBeNull();
  expect(changes).toEqual([{ attempts: 0, nextAttemptAt: expect.any(Date) }]);
  expect(changes[0]!.nextAttemptAt!.getTime() - Date.now()).toBeGreaterThan(4_000);
});

const GREYLISTED: Delivery = {
  ...ACCEPTED,
  outcome: 'deferred',
  about: 'message',
  error: null,
  smtpCode: 451,
  detail: '451 4.7.1 Try again later',
  accepted: [],
};

test.each([
  ['the first temporary failure', { attempts: 1 }, undefined],
  ['the last one that is retried', { attempts: MAX_RETRIES }, undefined],
  ['one more', { attempts: MAX_RETRIES + 1 }, 'failed'],
  [
    'one more of a link that is still valid',
    { attempts: MAX_RETRIES + 1, expiresAt: inMs(60_000) },
    undefined,
  ],
  ['the first of an expired link', { attempts: 1, expiresAt: inMs(-1) }, 'failed'],
])(
  'after %s a message is retried or fails by its attempts or the end of its use, not by its age',
  async (_case, claim, state) => {
    const changes: object[] = [];
    await attemptUnbatched(MESSAGE, {
      dispatch: { tryAcquireDomains: () => 0, send: async () => GREYLISTED },
      ...claim,
      unconfirmed: 0,
      takenAt: performance.now(),
      onSlow: () => undefined,
      update: async (change) => changes.push(change),
    });
    expect(changes).toEqual([state ? { state } : { nextAttemptAt: expect.any(Date) }]);
  },
);
