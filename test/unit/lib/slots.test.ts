import { expect, test } from '@jest/globals';
import { createSlots } from '../../../src/lib/slots.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('only so many work at once, the others in the order in which they came, also after a failure', async () => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const withSlot = createSlots(2);
  const work = (name: string) =>
    withSlot(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      if (name === 'a') throw new Error('a fails');
      return name;
    });
  const [a, ...others] = ['a', 'b', 'c', 'd'].map(work);
  await turn();
  expect(begun).toEqual(['a', 'b']);
  ends.get('a')!();
  await expect(a).rejects.toThrow('a fails');
  await turn();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const name of ['b', 'c']) ends.get(name)!();
  await turn();
  ends.get('d')!();
  expect(await Promise.all(others)).toEqual(['b', 'c', 'd']);
});
