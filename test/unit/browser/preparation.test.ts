import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Answer } from '../../../web/script/gateway.js';
import { createPreparation } from '../../../web/script/preparation.js';

const MINUTE_MS = 60_000;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** A preparation that has been started once, and how often it has asked for a signature. */
function started() {
  let asked = 0;
  const given = async (body: Answer['body']): Promise<Answer> => ({ status: 200, body, waitS: null });
  const preparation = createPreparation({
    gateway: {
      signature: () => given({ number: ++asked }),
      captcha: () => given({ chain: [] }),
      warmUp: () => given({}),
    },
    path: 'forms/contact/submit',
    solve: async () => ({ outcome: 'failed' }),
  });
  preparation.start();
  return { preparation, asked: () => asked };
}

test.each([
  ['is used for eight minutes', 7 * MINUTE_MS, 1],
  ['is made anew after eight minutes', 8 * MINUTE_MS, 2],
  ['is made anew where the clock was set back by a minute', -MINUTE_MS, 2],
  ['is made anew where the clock was set back by hours', -120 * MINUTE_MS, 2],
])('what is prepared %s', async (_case, passedMs, expected) => {
  const { preparation, asked } = started();
  jest.setSystemTime(Date.now() + passedMs);
  preparation.start();
  expect(asked()).toBe(expected);
  const taken = await preparation.take().signature;
  expect(taken.body).toEqual({ number: expected });
});

test('what was prepared before the clock was set back is not sent', async () => {
  const { preparation } = started();
  jest.setSystemTime(Date.now() - 120 * MINUTE_MS);
  expect((await preparation.take().signature).body).toEqual({ number: 2 });
});
