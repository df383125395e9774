import { expect, test } from '@jest/globals';
import { createSemaphore } from '../../../src/lib/semaphore.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends, fails or releases its permit when told, under a semaphore of two permits. */
function startWork(names: readonly string[]) {
  const semaphore = createSemaphore(2);
  const begun: string[] = [];
  const controls = new Map<string, { end: () => void; fail: (error: Error) => void; release: () => void }>();
  const results = names.map((name) =>
    semaphore(async (release) => {
      begun.push(name);
      await new Promise<void>((end, fail) => controls.set(name, { end, fail, release }));
      return name;
    }),
  );
  return { begun, controls, results };
}

test('a semaphore admits further work in its order, also after a failure', async () => {
  const { begun, controls, results } = startWork(['a', 'b', 'c', 'd']);
  const [a, ...others] = results;
  await turn();
  expect(begun).toEqual(['a', 'b']);
  controls.get('a')!.fail(new Error('a fails'));
  await expect(a).rejects.toThrow('a fails');
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const name of ['b', 'c']) controls.get(name)!.end();
  await turn();
  controls.get('d')!.end();
  expect(await Promise.all(others)).toEqual(['b', 'c', 'd']);
});

test('work that releases its permit early admits one more, and still returns its result', async () => {
  const { begun, controls, results } = startWork(['a', 'b', 'c', 'd']);
  await turn();
  controls.get('a')!.release();
  controls.get('a')!.release();
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
  controls.get('a')!.end();
  await expect(results[0]).resolves.toBe('a');
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('work that fails before it returns a promise rejects, and frees its permit', async () => {
  const semaphore = createSemaphore(1);
  const fail = () => {
    throw new Error('at once');
  };
  await expect(semaphore(fail)).rejects.toThrow('at once');
  await expect(semaphore(async () => 'next')).resolves.toBe('next');
});
