import { expect, test } from '@jest/globals';
import { createBatcher } from '../../../src/db/batcher.js';
import { eventually } from '../../support/wait.js';

/** Work that shows its batches and ends when it is told to. */
function controlled() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const work = async (items: readonly string[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => {
      ends.push(resolve);
    });
    return items.map((item) => item.toUpperCase());
  };
  const end = () => ends.shift()!();
  const endInTurns = async (count: number) => {
    for (let i = 0; i < count; i++) {
      await turn();
      end();
    }
  };
  return { batches, work, end, endInTurns };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('what comes in one turn of the event loop is one batch, and what comes later gathers meanwhile', async () => {
  const { batches, work, end } = controlled();
  const gather = createBatcher({ work, maxSize: 3, atOnce: 1 });
  const early = ['a', 'b'].map(gather);
  await turn();
  expect(batches).toEqual([['a', 'b']]);
  const late = ['c', 'd', 'e', 'f'].map(gather);
  await turn();
  expect(batches).toHaveLength(1);
  end();
  expect(await Promise.all(early)).toEqual(['A', 'B']);
  await turn();
  expect(batches.slice(1)).toEqual([['c', 'd', 'e']]);
  end();
  await turn();
  expect(batches.slice(2)).toEqual([['f']]);
  end();
  expect(await Promise.all(late)).toEqual(['C', 'D', 'E', 'F']);
});

test('several batches may be under way', async () => {
  const { batches, work, end } = controlled();
  const gather = createBatcher({ work, maxSize: 9, atOnce: 2 });
  const results = [gather('a')];
  await turn();
  results.push(gather('b'));
  await turn();
  results.push(gather('c'));
  await turn();
  expect(batches).toEqual([['a'], ['b']]);
  end();
  end();
  await turn();
  expect(batches).toEqual([['a'], ['b'], ['c']]);
  end();
  expect(await Promise.all(results)).toEqual(['A', 'B', 'C']);
});

test('a batch that takes long makes room for one more', async () => {
  const { batches, work, end } = controlled();
  const gather = createBatcher({ work, maxSize: 9, atOnce: 1, patienceMs: 10 });
  const results = [gather('a')];
  await turn();
  results.push(gather('b'));
  await turn();
  expect(batches).toEqual([['a']]);
  await eventually(async () => batches.length === 2);
  results.push(gather('c'));
  await turn();
  expect(batches).toEqual([['a'], ['b']]);
  end();
  await eventually(async () => batches.length === 3);
  end();
  end();
  expect(await Promise.all(results)).toEqual(['A', 'B', 'C']);
});

test('those who meet in something exclusive go one after the other, and nobody overtakes them', async () => {
  const { batches, work, endInTurns } = controlled();
  const gather = createBatcher({ work, maxSize: 9, atOnce: 1, exclusiveOf: (item) => [...item] });
  const results = ['ab', 'c', 'bd', 'd', 'e'].map(gather);
  await endInTurns(3);
  await Promise.all(results);
  expect(batches).toEqual([['ab', 'c', 'e'], ['bd'], ['d']]);
});

test('a failure is that of its batch, unless it concerns all who wait', async () => {
  const gather = createBatcher({
    maxSize: 1,
    atOnce: 1,
    failsAll: (error) => (error as Error).message === 'away',
    work: async ([item]: readonly string[]) => {
      if (item === 'bad' || item === 'away') throw new Error(item);
      return ['good'];
    },
  });
  expect(await Promise.allSettled(['bad', 'x'].map(gather))).toMatchObject([
    { reason: { message: 'bad' } },
    { value: 'good' },
  ]);
  expect(await Promise.allSettled(['away', 'x', 'y'].map(gather))).toMatchObject(
    new Array(3).fill({ reason: { message: 'away' } }),
  );
  expect(await gather('x')).toBe('good');
});

test('batches may be spaced, but whoever comes after a pause does not wait', async () => {
  const starts: number[] = [];
  const work = async (items: readonly string[]) => {
    starts.push(performance.now());
    return items;
  };
  const gather = createBatcher({ work, maxSize: 9, atOnce: 1, spacingMs: 50 });
  const askedAt = performance.now();
  await gather('a');
  await Promise.all(['b', 'c'].map(gather));
  expect(starts).toHaveLength(2);
  expect(starts[0]! - askedAt).toBeLessThan(40);
  // Timers may fire a millisecond early.
  expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(49);
});

test('once enough wait nobody waits for the spacing, and all of them go', async () => {
  const batches: string[][] = [];
  const work = async (items: readonly string[]) => {
    batches.push([...items]);
    return items;
  };
  const gather = createBatcher({ work, maxSize: 9, atOnce: 1, spacingMs: 500, enough: 2 });
  await gather('a');
  const waiting = gather('b');
  await turn();
  expect(batches).toEqual([['a']]);
  const others = ['c', 'd'].map(gather);
  await turn();
  expect(batches).toEqual([['a'], ['b', 'c', 'd']]);
  // The spacing has begun anew.
  const last = gather('e');
  await turn();
  expect(batches).toHaveLength(2);
  expect(await Promise.all([waiting, ...others, last])).toEqual(['b', 'c', 'd', 'e']);
});

test('who does not fit into a full batch is not looked at', async () => {
  const looked: string[] = [];
  const exclusiveOf = (item: string) => {
    looked.push(item);
    return [item];
  };
  const { batches, work, endInTurns } = controlled();
  const gather = createBatcher({ work, maxSize: 2, atOnce: 1, exclusiveOf });
  const results = ['a', 'a', 'b', 'c', 'd'].map(gather);
  await turn();
  expect(looked).toEqual(['a', 'a', 'b']);
  await endInTurns(3);
  await Promise.all(results);
  expect(batches).toEqual([['a', 'b'], ['a', 'c'], ['d']]);
});
