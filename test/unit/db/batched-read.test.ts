import { expect, test } from '@jest/globals';
import { createBatchedRead } from '../../../src/db/batched-read.js';

/** Reads of two known rows, whose statements end when the test says so. */
function controlled() {
  const statements: { keys: readonly string[]; end(): void; fail(error: Error): void }[] = [];
  const read = createBatchedRead({
    read: (keys: readonly string[]) =>
      new Promise<{ key: string }[]>((resolve, reject) => {
        const rows = keys.filter((key) => key !== 'unknown').map((key) => ({ key }));
        statements.push({ keys, end: () => resolve(rows.reverse()), fail: reject });
      }),
    keyOf: ({ key }) => key,
  });
  return { statements, read };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('concurrent reads are one statement, and each returns its own row', async () => {
  const { statements, read } = controlled();
  const rows = Promise.all(['a', 'unknown', 'b', 'a'].map(read));
  await turn();
  expect(statements.map(({ keys }) => keys)).toEqual([['a', 'unknown', 'b', 'a']]);
  statements[0]!.end();
  expect(await rows).toEqual([{ key: 'a' }, null, { key: 'b' }, { key: 'a' }]);
});

test('a read during a statement in flight does not return its rows', async () => {
  const { statements, read } = controlled();
  const first = read('a');
  await turn();
  const second = read('a');
  await turn();
  expect(statements).toHaveLength(2);
  for (const { end } of statements) end();
  expect([await first, await second]).toEqual([{ key: 'a' }, { key: 'a' }]);
});

test('with PostgreSQL away waiting reads fail with those in flight', async () => {
  const { statements, read } = controlled();
  const asked: Promise<unknown>[] = [];
  for (const key of ['a', 'b', 'c', 'd']) {
    asked.push(read(key));
    await turn();
  }
  expect(statements).toHaveLength(2);
  statements[0]!.fail(new Error('Query read timeout'));
  statements[1]!.fail(new Error('Query read timeout'));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
  expect(statements).toHaveLength(2);
});
