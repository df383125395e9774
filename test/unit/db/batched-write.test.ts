import { expect, test } from '@jest/globals';
import { createBatchedWrite } from '../../../src/db/batched-write.js';

/** A statement that fails with any item that is named after its fault. */
function recorded() {
  const batches: string[][] = [];
  const ask = createBatchedWrite<string, string>({
    keyOf: (item) => item,
    async run(items) {
      batches.push([...items]);
      if (items.includes('away')) throw new Error('read ECONNREFUSED');
      if (items.includes('poison')) throw new Error('invalid input');
      return items.map((item) => item.toUpperCase());
    },
  });
  return { batches, ask };
}

test('concurrent items are one statement, and one whose key was in it runs alone after it', async () => {
  const { batches, ask } = recorded();
  expect(await Promise.all(['a', 'b', 'a'].map(ask))).toEqual(['A', 'B', 'A']);
  expect(batches).toEqual([['a', 'b'], ['a']]);
});

test('when a statement fails each item is retried alone, and only the faulty one fails', async () => {
  const { batches, ask } = recorded();
  const ends = await Promise.allSettled(['a', 'poison', 'b'].map(ask));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toHaveLength(4);
});

test('when PostgreSQL is away all items fail, and none is retried', async () => {
  const { batches, ask } = recorded();
  const ends = await Promise.allSettled(['a', 'away'].map(ask));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(batches).toHaveLength(1);
});
