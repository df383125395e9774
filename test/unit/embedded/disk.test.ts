import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, jest, test } from '@jest/globals';
import { watchDisk } from '../../../src/embedded/postgres/disk.js';

const LOTS = Number.MAX_SAFE_INTEGER;

/** Watches a folder with these bounds, and returns what the log says at once and whether the disk is full. */
async function seen(bounds: { scarceBytes: number; fullBytes: number }, directory = tmpdir()) {
  const warn = jest.fn();
  const disk = await watchDisk({ directory, log: { warn } as never }, bounds);
  const isFull = await disk.isFull();
  disk.stop();
  return { warnings: warn.mock.calls, isFull };
}

test('a disk with more than the bounds free gives no warning and is not full', async () => {
  expect(await seen({ scarceBytes: 1, fullBytes: 1 })).toEqual({ warnings: [], isFull: false });
});

test('a disk with less free than is scarce is warned of with the free megabytes, and is not full yet', async () => {
  const { warnings, isFull } = await seen({ scarceBytes: LOTS, fullBytes: 1 });
  expect(isFull).toBe(false);
  const reason = expect.stringMatching(new RegExp(`^\\d+ MB are free for ${tmpdir()}$`));
  expect(warnings).toEqual([
    [{ cause: 'disk_nearly_full', reason }, 'The disk of the data folder is nearly full'],
  ]);
  const { bavail, bsize } = await statfs(tmpdir());
  const freeMb = Number.parseInt((warnings[0] as [{ reason: string }])[0].reason, 10);
  expect(Math.abs(freeMb - (bavail * bsize) / 1024 ** 2)).toBeLessThan(1_000);
});

test('a disk with less free than the lower bound is full', async () => {
  expect(await seen({ scarceBytes: LOTS, fullBytes: LOTS })).toMatchObject({ isFull: true });
});

test('a folder whose disk cannot be read gives no warning', async () => {
  const bounds = { scarceBytes: LOTS, fullBytes: LOTS };
  expect(await seen(bounds, '/nowhere')).toEqual({ warnings: [], isFull: false });
});
