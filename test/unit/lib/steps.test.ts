import { afterEach, expect, jest, test } from '@jest/globals';
import { finish, finishInTurns, type Steps } from '../../../src/lib/steps.js';
import { turnsDuring } from '../../support/event-loop.js';

/** Work of so many steps, whose result is their number. */
function* stepsOf(count: number, step: () => void = () => undefined): Steps<number> {
  for (let done = 0; done < count; done++) {
    step();
    yield;
  }
  return count;
}

afterEach(() => {
  jest.restoreAllMocks();
});

test('work in steps is done at once, or in turns, with the same result', async () => {
  expect(finish(stepsOf(3))).toBe(3);
  expect(await finishInTurns(stepsOf(3))).toBe(3);
});

test('quick steps take one turn together', async () => {
  jest.spyOn(performance, 'now').mockReturnValue(0);
  expect(await turnsDuring(finishInTurns(stepsOf(1_000)))).toBe(0);
});

test('others are served after each few milliseconds', async () => {
  let now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const work = stepsOf(30, () => {
    now += 1;
  });
  const turns = await turnsDuring(finishInTurns(work));
  expect(turns).toBeGreaterThanOrEqual(5);
  expect(turns).toBeLessThanOrEqual(7);
});

test('a failing step fails the work', async () => {
  const work = stepsOf(1, () => {
    throw new Error('faulty');
  });
  await expect(finishInTurns(work)).rejects.toThrow('faulty');
});
