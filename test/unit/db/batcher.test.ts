import { expect, test } from '@jest/globals';
import { createBatcher, fitTogether } from '../../../src/db/batcher.js';

/** A batch function that shows its batches, each of which ends when the test says so. */
function controlled() {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const runBatch = async (items: readonly string[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => {
      ends.push(resolve);
    });
    return items.map((item) => item.toUpperCase());
  };
  return { batches, runBatch, end: () => ends.shift()!() };
}

/** A batch function that shows its batches and ends at once. */
function immediate() {
  const batches: { items: readonly string[]; at: number }[] = [];
  const runBatch = async (items: readonly string[]) => {
    batches.push({ items, at: performance.now() });
    return items;
  };
  return { batches, runBatch };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('calls of one tick are one batch, and calls while it is in flight form the next batches', async () => {
  const { batches, runBatch, end } = controlled();
  const add = createBatcher({ runBatch, maxSize: 3, maxInFlight: 1 });
  const early = ['a', 'b'].map(add);
  await turn();
  expect(batches).toEqual([['a', 'b']]);
  const late = ['c', 'd', 'e', 'f'].map(add);
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

test('as many batches are in flight as may be, and a further one waits', async () => {
  const { batches, runBatch, end } = controlled();
  const add = createBatcher({ runBatch, maxSize: 9, maxInFlight: 2 });
  const results = [add('a')];
  await turn();
  results.push(add('b'));
  await turn();
  results.push(add('c'));
  await turn();
  expect(batches).toEqual([['a'], ['b']]);
  end();
  end();
  await turn();
  expect(batches).toEqual([['a'], ['b'], ['c']]);
  end();
  expect(await Promise.all(results)).toEqual(['A', 'B', 'C']);
});

test('a failure fails its batch only, unless PostgreSQL is away', async () => {
  let attempts = 0;
  const add = createBatcher({
    maxSize: 1,
    maxInFlight: 1,
    async runBatch([item]: readonly string[]) {
      attempts += 1;
      if (item === 'good') return ['good'];
      throw new Error(item === 'away' ? 'read ECONNREFUSED' : item);
    },
  });
  expect(await Promise.allSettled(['bad', 'good'].map(add))).toMatchObject([
    { reason: { message: 'bad' } },
    { value: 'good' },
  ]);
  attempts = 0;
  expect(await Promise.allSettled(['away', 'good', 'good'].map(add))).toMatchObject(
    new Array(3).fill({ reason: { message: 'read ECONNREFUSED' } }),
  );
  expect(attempts).toBe(1);
  expect(await add('good')).toBe('good');
});

test('a batch may leave the result of an item for later, and the next batch does not wait for it', async () => {
  let settle: (() => void) | undefined;
  const add = createBatcher<string, string>({
    maxSize: 1,
    maxInFlight: 1,
    runBatch: async ([item]) => {
      if (item === 'now') return ['now'];
      return [
        new Promise<string>((_resolve, reject) => {
          settle = () => reject(new Error('later'));
        }),
      ];
    },
  });
  const late = add('late');
  expect(await add('now')).toBe('now');
  settle!();
  await expect(late).rejects.toThrow('later');
});

test('batches keep their minimum interval, and a call after a pause does not wait', async () => {
  const { batches, runBatch } = immediate();
  const add = createBatcher({ runBatch, maxSize: 9, maxInFlight: 1, minIntervalMs: 50 });
  const addedAt = performance.now();
  await add('a');
  await Promise.all(['b', 'c'].map(add));
  expect(batches).toHaveLength(2);
  expect(batches[0]!.at - addedAt).toBeLessThan(40);
  // Timers may fire a millisecond early.
  expect(batches[1]!.at - batches[0]!.at).toBeGreaterThanOrEqual(49);
});

test('a full batch does not wait for the interval, which begins anew with it', async () => {
  const { batches, runBatch } = immediate();
  const add = createBatcher({ runBatch, maxSize: 2, maxInFlight: 1, minIntervalMs: 500 });
  await add('a');
  const waiting = add('b');
  await turn();
  expect(batches).toHaveLength(1);
  expect(await Promise.all([waiting, add('c')])).toEqual(['b', 'c']);
  const last = add('d');
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([['a'], ['b', 'c']]);
  expect(await last).toBe('d');
});

test('of items that share a key the first fits into a statement', () => {
  const fits = fitTogether(['ab', 'c', 'bd', 'd', 'c', 'e'], (item) => [...item]);
  expect(fits).toEqual([true, true, false, true, false, true]);
});
