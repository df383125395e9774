import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { createInterner } from '../../../src/lib/interner.js';
import { eventually } from '../../support/wait.js';

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

test('an interner returns the first value of a key', () => {
  const share = createInterner<{ text: string }>();
  const first = { text: 'a' };
  expect(share('a', first)).toBe(first);
  expect(share('a', { text: 'a' })).toBe(first);
  const other = { text: 'b' };
  expect(share('b', other)).toBe(other);
});

test('an interner does not keep values that are no longer referenced', async () => {
  const share = createInterner<{ text: string }>();
  let kept: object | null = share('a', { text: 'first' });
  const later = () => share('a', { text: 'later' });
  collectGarbage();
  expect(later()).toBe(kept);
  kept = null;
  await eventually(async () => {
    collectGarbage();
    return later().text === 'later';
  });
});
