import { Prisma } from '../generated/prisma/client.js';
import type { Page } from './connection.js';

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
