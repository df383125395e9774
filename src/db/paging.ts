import { Prisma } from '../generated/prisma/client.js';

/** Entries of a page when the query names no number. */
export const DEFAULT_PAGE = 50;

/**
 * Maximum rows that one statement loads for a list without pages. A response with as many is refused, so the rows
 * beyond them are never silently missing.
 */
export const MAX_LOADED = 50_001;

/** Where a page lies in a list that is sorted by a key; keys are compared as tuples. */
export type Page = Readonly<{
  limit: number;
  /** Backward: the entries directly before the cursor, or the last ones. */
  direction: 'forward' | 'backward';
  /** The key beyond which the page begins; null: at the end of the list from which the direction starts. */
  cursor: readonly (string | number)[] | null;
}>;

/** A part of a list's sort key: an expression of the query, and the type that a cursor's value is cast to. */
export type SortKey = readonly { sql: string; type: 'text' | 'uuid' | 'int' | 'timestamptz' }[];

/**
 * Builds the WHERE, ORDER BY and LIMIT of a query for a page by keyset pagination. The query selects the rows beyond
 * the cursor in the direction of the page, one more than its limit.
 */
export function pageSql(page: Page, keys: SortKey, order: 'ascending' | 'descending') {
  const isRising = (order === 'ascending') === (page.direction === 'forward');
  const columns = keys.map(({ sql }) => sql);
  const values = (page.cursor ?? []).map((value, i) => Prisma.sql`${value}::${Prisma.raw(keys[i]!.type)}`);
  const isBeyond = Prisma.raw(isRising ? '>' : '<');
  return {
    beyond: page.cursor
      ? Prisma.sql`(${Prisma.raw(columns.join(', '))}) ${isBeyond} (${Prisma.join(values)})`
      : Prisma.sql`TRUE`,
    order: Prisma.raw(columns.map((column) => `${column} ${isRising ? 'ASC' : 'DESC'}`).join(', ')),
    limit: page.limit + 1,
  };
}
