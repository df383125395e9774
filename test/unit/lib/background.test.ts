import { expect, test } from '@jest/globals';
import pino from 'pino';
import { createBackground } from '../../../src/lib/background.js';

test('detached work does not delay its caller, and draining waits for it', async () => {
  const background = createBackground({ log: pino({ level: 'silent' }) });
  let end: () => void = () => undefined;
  await background.run(async (detach) => {
    detach();
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  let isDrained = false;
  const drained = background.drained().then(() => {
    isDrained = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isDrained).toBe(false);
  end();
  await drained;
});

test('a failure rejects before the work detaches, and is logged afterwards', async () => {
  const lines: string[] = [];
  const background = createBackground({ log: pino({}, { write: (line: string) => void lines.push(line) }) });
  await expect(background.run(() => Promise.reject(new Error('early')))).rejects.toThrow('early');
  expect(lines).toEqual([]);
  await background.run(async (detach) => {
    detach();
    throw new Error('late');
  });
  await background.drained();
  expect(lines).toEqual([expect.stringContaining('late')]);
});
