import { expect, test } from '@jest/globals';
import { chunksOf } from '../../../src/http/downloads.js';

async function* batchesOf(...batches: string[][]) {
  yield* batches;
}

test('an export yields long rows one by one, and short ones together', async () => {
  const long = 'x'.repeat(200_000);
  const texts: string[] = [];
  for await (const text of chunksOf(batchesOf([long, long, 'a', 'b'], ['c']), (row) => `${row}\n`)) {
    texts.push(text);
  }
  expect(texts).toEqual([`${long}\n`, `${long}\n`, 'a\nb\n', 'c\n']);
});

test('an export yields an empty text for a batch without rows, after which it can be ended', async () => {
  const texts: string[] = [];
  for await (const text of chunksOf(batchesOf(['a'], [], ['b']), (row) => row)) texts.push(text);
  expect(texts).toEqual(['a', '', 'b']);
});

test('an export yields to the event loop between two long texts', async () => {
  const rows = Array.from({ length: 5 }, () => 'x'.repeat(200_000));
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  for await (const text of chunksOf(batchesOf(rows), (row) => row)) expect(text).toHaveLength(200_000);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(4);
});
