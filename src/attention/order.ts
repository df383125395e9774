import type { Page } from '../db/paging.js';
import { type AttentionItem, comparePositions, sortKey } from './attention-item.js';

/**
 * Sorts items, the most urgent first. Each position is read once: a comparison would write the keys of two items, and
 * there are many times more comparisons than items.
 */
export function inOrder<Item extends AttentionItem>(items: readonly Item[]): Item[] {
  const placed = items.map((item) => ({ item, position: sortKey(item) }));
  placed.sort((one, other) => comparePositions(one.position, other.position));
  return placed.map(({ item }) => item);
}

/** Selects the items of a page from all, in the direction of the page, and one more than its limit. */
export function pageOf(items: readonly AttentionItem[], { limit, direction, cursor }: Page): AttentionItem[] {
  const sign = direction === 'forward' ? 1 : -1;
  const ordered = direction === 'forward' ? items : items.toReversed();
  const isBeyond = (item: AttentionItem) => !cursor || sign * comparePositions(sortKey(item), cursor) > 0;
  let first = 0;
  for (let end = ordered.length; first < end; ) {
    const middle = (first + end) >> 1;
    if (isBeyond(ordered[middle]!)) end = middle;
    else first = middle + 1;
  }
  return ordered.slice(first, first + limit + 1);
}
