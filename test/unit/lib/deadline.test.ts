import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { untilAborted, withDeadline } from '../../../src/lib/deadline.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const never = () => new Promise<never>(() => undefined);

const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('aborted')));

test('a deadline aborts its signal in time, although garbage is collected before', async () => {
  const ended = withDeadline(200, new AbortController().signal, aborted);
  await nextTurn();
  collectGarbage();
  expect(await ended).toBe('aborted');
});

test('a deadline aborts its signal with the given one, also when that is aborted already', async () => {
  const stopping = new AbortController();
  const ended = withDeadline(60_000, stopping.signal, aborted);
  stopping.abort();
  expect(await ended).toBe('aborted');
  expect(await withDeadline(60_000, stopping.signal, async ({ aborted }) => aborted)).toBe(true);
});

test('a deadline gives what the work comes to, and keeps no timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  expect(await withDeadline(60_000, undefined, async () => 'done')).toBe('done');
  await expect(withDeadline(60_000, undefined, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(timers()).toBe(before);
});

test('work that never ends is left as soon as the signal is aborted, and is not begun afterwards', async () => {
  const stopping = new AbortController();
  const ended = untilAborted(stopping.signal, never);
  stopping.abort(new Error('stopped'));
  await expect(ended).rejects.toThrow('stopped');
  let hasBegun = false;
  const late = untilAborted(stopping.signal, async () => {
    hasBegun = true;
  });
  await expect(late).rejects.toThrow('stopped');
  expect(hasBegun).toBe(false);
});

test('work that ends before the signal is aborted gives its result or its error', async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(signal, async () => 'done')).toBe('done');
  await expect(untilAborted(signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
