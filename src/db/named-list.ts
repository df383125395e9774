import { Prisma } from '../generated/prisma/client.js';
import { withoutAccents } from '../lib/text/decompose.js';
import { storableText } from '../lib/text/storable-text.js';
import type { Db } from './client.js';
import { type Page, pageSql } from './paging.js';
import { inTeams } from './team-filter.js';

/** Selects websites or forms. */
export type NamedFilter = Readonly<{
  /** Null means every team. */
  teamIds: readonly number[] | null;
  /**
   * A part of the name or the host, which is the slug of a form, and where several teams are in scope also of the
   * team's name; null matches all.
   */
  search: string | null;
  /** Further conditions on the table. */
  conditions?: readonly Prisma.Sql[];
}>;

/** The tables that hold named things of teams: the type of their ids, and the column that is searched with the name. */
const TABLES = {
  websites: { idType: 'uuid', searched: 'host' },
  forms: { idType: 'int', searched: 'slug' },
} as const;

/** Sorts names by the root collation of Unicode, as people do, whatever the locale of the database. */
const BY_NAME = 'name COLLATE "und-x-icu"';

/** A column without its accents, as `withoutAccents` leaves them out of a text. */
const columnWithoutAccents = (column: string) =>
  Prisma.raw(`regexp_replace(normalize(${column}, NFKD), '[\\u0300-\\u036f]', '', 'g')`);

/** Escapes a text into an ILIKE pattern that finds it anywhere, without accents. */
const containing = (text: string): string => `%${withoutAccents(text).replace(/[\\%_]/g, '\\$&')}%`;

/** Matches what has a text in its name or in its searched column; among several teams also in its team's name. */
function matches(searched: string, teamIds: readonly number[] | null, pattern: string): Prisma.Sql {
  const { sql, empty } = Prisma;
  const name = columnWithoutAccents('name');
  const ofTeam = sql`OR team_id IN (SELECT id FROM teams WHERE ${inTeams(teamIds, 'id')} AND ${name} ILIKE ${pattern})`;
  return sql`(${name} ILIKE ${pattern} OR ${columnWithoutAccents(searched)} ILIKE ${pattern} ${teamIds?.length === 1 ? empty : ofTeam})`;
}

/** A page of websites or forms. */
export type NamedPage<Id, Row> = Readonly<{
  /** Their places in the list. */
  positions: readonly Readonly<{ id: Id; name: string }>[];
  /** Those at the positions, without those deleted meanwhile. */
  byId: ReadonlyMap<Id, Row>;
}>;

/**
 * Reads a page of the websites or forms that match a filter, sorted by name and then by id.
 *
 * @param findMany Finds them by their ids.
 */
export async function listByName<Id extends string | number, Row extends { id: Id }>(
  db: Db,
  table: keyof typeof TABLES,
  { teamIds, search, conditions = [] }: NamedFilter,
  page: Page,
  findMany: (ids: readonly Id[]) => Promise<readonly (Row | null)[]>,
): Promise<NamedPage<Id, Row>> {
  const { sql, raw, join } = Prisma;
  const { idType, searched } = TABLES[table];
  const keys = [
    { sql: BY_NAME, type: 'text' },
    { sql: 'id', type: idType },
  ] as const;
  const { beyond, order, limit } = pageSql(page, keys, 'ascending');
  const pattern = search === null ? null : containing(storableText(search));
  const positions = await db.orm.$queryRaw<{ id: Id; name: string }[]>`
    SELECT id, name FROM ${raw(table)}
     WHERE ${inTeams(teamIds, 'team_id')}
       AND ${pattern === null ? sql`TRUE` : matches(searched, teamIds, pattern)}
       AND ${join([beyond, ...conditions], ' AND ')}
     ORDER BY ${order} LIMIT ${limit}`;
  const found = await findMany(positions.map(({ id }) => id));
  return { positions, byId: new Map(found.flatMap((row) => (row ? [[row.id, row]] : []))) };
}
