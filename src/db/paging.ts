import { Prisma } from '../generated/prisma/client.js';

/** Entries of a page when the query does not say how many. */
export const DEFAULT_PAGE = 50;

/**
 * Most rows that one statement loads for a list without pages. An answer that shows as many is refused, so the rows
 * beyond them are never missed.
 */
export const MAX_LOADED = 50_001;

/** Where a page lies in a list that is sorted by a key: keys are compared as their tuples are. */
export type Page = Readonly<{
  limit: number;
  /** Backward: the entries nearest before the cursor, or the last ones. */
  direction: 'forward' | 'backward';
  /** The key beyond which the page begins; null: at the end of the list. */
  cursor: readonly (string | number)[] | null;
}>;

/** A part of a list's sort key: an expression of the query, and the type that a cursor's value is cast to. */
export type SortKey = readonly { sql: string; type: 'text' | 'uuid' | 'int' | 'timestamptz' }[];

/**
 * The conditions of a page by keyset, for the WHERE, ORDER BY and LIMIT of a query: the rows beyond the cursor in
 * the direction of the page, and one more than its limit.
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

/** Names as people sort them, the same whatever the locale of the database: the root collation of Unicode. */
export const BY_NAME = 'name COLLATE "und-x-icu"';

/** A text as a pattern of ILIKE that finds it anywhere. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
