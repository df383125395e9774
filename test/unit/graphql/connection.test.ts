import 'reflect-metadata';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Page } from '../../../src/db/paging.js';
import { readCursor, toConnection } from '../../../src/graphql/connection.js';

/** Reads a list of numbers page by page, of which some have gone before a second statement reads them. */
function readAll(
  list: readonly number[],
  gone: ReadonlySet<number>,
  limit: number,
  direction: Page['direction'],
) {
  const rows = direction === 'forward' ? list : [...list].reverse();
  const read: number[] = [];
  let cursor: Page['cursor'] = null;
  for (;;) {
    const from: number = cursor ? rows.indexOf(Number(cursor[0])) + 1 : 0;
    const { edges, pageInfo } = toConnection(
      rows.slice(from, from + limit + 1),
      { limit, direction, cursor },
      (row) => [row],
      (row) => row,
      (row) => !gone.has(row),
    );
    const nodes = [...edges].map(({ node }) => node);
    expect(nodes).toHaveLength(edges.length);
    const isForward = direction === 'forward';
    read.push(...(isForward ? nodes : nodes.reverse()));
    if (!(isForward ? pageInfo.hasNextPage : pageInfo.hasPreviousPage))
      return isForward ? read : read.reverse();
    cursor = readCursor((isForward ? pageInfo.endCursor : pageInfo.startCursor)!, ['int'], 'after');
  }
}

describe('the pages of a list', () => {
  test('have every entry that is there once, whichever have gone between the statements that read them', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 0, max: 30 })),
        fc.array(fc.integer({ min: 0, max: 30 })),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('forward' as const, 'backward' as const),
        (list, deleted, limit, direction) => {
          const gone = new Set(deleted);
          expect(readAll(list, gone, limit, direction)).toEqual(list.filter((entry) => !gone.has(entry)));
        },
      ),
    );
  });
});
