import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { waitOut } from '../../../web/panel/pages/inbox/changes/wait-out.js';

const pauses: string[] = [];
const waiting = {
  pauseOf: (refusal: unknown) => (typeof refusal === 'number' ? refusal : null),
  onPause: (until: Date) => pauses.push(until.toISOString()),
};

beforeEach(() => {
  pauses.length = 0;
  jest.useFakeTimers({ now: new Date('2026-11-23T09:41:00Z') });
});
afterEach(() => {
  jest.useRealTimers();
});

test('a call is made again after each pause that its refusal asks for', async () => {
  const call = jest
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(200)
    .mockRejectedValueOnce(1)
    .mockResolvedValueOnce('done');
  const answer = waitOut(call, waiting);
  await jest.advanceTimersByTimeAsync(199_999);
  expect(call).toHaveBeenCalledTimes(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(call).toHaveBeenCalledTimes(2);
  await jest.advanceTimersByTimeAsync(1_000);
  expect(await answer).toBe('done');
  expect(pauses).toEqual(['2026-11-23T09:44:20.000Z', '2026-11-23T09:44:21.000Z']);
});

test('a final refusal is thrown, at once or after a pause', async () => {
  const final = new Error('Forbidden.');
  await expect(waitOut(() => Promise.reject(final), waiting)).rejects.toBe(final);
  expect(pauses).toEqual([]);

  const call = jest.fn<() => Promise<string>>().mockRejectedValueOnce(1).mockRejectedValueOnce(final);
  const answer = expect(waitOut(call, waiting)).rejects.toBe(final);
  await jest.advanceTimersByTimeAsync(1_000);
  await answer;
});

test('an abort ends a pause at once', async () => {
  const controller = new AbortController();
  const call = jest.fn<() => Promise<string>>().mockRejectedValueOnce(200).mockResolvedValueOnce('done');
  const answer = waitOut(call, { ...waiting, signal: controller.signal });
  await jest.advanceTimersByTimeAsync(1_000);
  expect(call).toHaveBeenCalledTimes(1);
  controller.abort();
  expect(await answer).toBe('done');
});

test('an abort before a refusal has come begins no pause', async () => {
  const controller = new AbortController();
  let refuse = (_refusal: number) => {};
  const call = jest
    .fn<() => Promise<string>>()
    .mockImplementationOnce(() => new Promise((_, reject) => (refuse = reject)))
    .mockResolvedValueOnce('done');
  const answer = waitOut(call, { ...waiting, signal: controller.signal });
  controller.abort();
  refuse(200);
  await jest.advanceTimersByTimeAsync(0);
  expect(call).toHaveBeenCalledTimes(2);
  expect(await answer).toBe('done');
  expect(pauses).toEqual([]);
});
