import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keepOnce } from '../../../src/embedded/kept-file.js';

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'kept-'));
});
afterAll(() => rm(base, { recursive: true }));

const draw = () => randomBytes(32).toString('hex');

test('those that draw a text at once keep one, also with the same process id, as in two containers', async () => {
  for (let round = 0; round < 40; round += 1) {
    const file = join(base, String(round), 'key');
    const kept = await Promise.all(Array.from({ length: 6 }, () => keepOnce(file, draw, /^[0-9a-f]{64}$/)));
    expect(new Set([...kept, await readFile(file, 'utf8')]).size).toBe(1);
    expect(await readdir(join(base, String(round)))).toEqual(['key']);
  }
});

test('a kept text is read again, and a damaged one is said to be so', async () => {
  const file = join(base, 'again', 'key');
  const kept = await keepOnce(file, draw, /./);
  expect(await keepOnce(file, draw, /./)).toBe(kept);
  await writeFile(file, '');
  await expect(keepOnce(file, draw, /./)).rejects.toThrow(`${file} is damaged.`);
});
