import { expect, jest, test } from '@jest/globals';
import { joinInFlight } from '../../../src/lib/join-in-flight.js';

test('calls with equal arguments share the one that is in flight, and no later one', async () => {
  const letGo: (() => void)[] = [];
  const call = jest.fn(
    (name: string, { days }: { days: number }) =>
      new Promise<string>((resolve) => {
        letGo.push(() => resolve(`${name} ${days}`));
      }),
  );
  const joined = joinInFlight(call);
  const asked = [joined('a', { days: 7 }), joined('a', { days: 7 }), joined('a', { days: 30 })];
  expect(call).toHaveBeenCalledTimes(2);
  for (const each of letGo) each();
  expect(await Promise.all(asked)).toEqual(['a 7', 'a 7', 'a 30']);
  const later = joined('a', { days: 7 });
  expect(call).toHaveBeenCalledTimes(3);
  letGo[2]!();
  expect(await later).toBe('a 7');
});

test('a failure is shared too, and the next call is made anew', async () => {
  let isBroken = true;
  const call = jest.fn(async () => {
    if (isBroken) throw new Error('away');
    return 'here';
  });
  const joined = joinInFlight(call);
  const asked = await Promise.allSettled([joined(), joined()]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(call).toHaveBeenCalledTimes(1);
  isBroken = false;
  expect(await joined()).toBe('here');
});
