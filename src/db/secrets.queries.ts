import { Prisma } from '../generated/prisma/client.js';
import type { Db } from './client.js';

/** A column of encrypted secrets, in a table with the key `id`. */
export type SecretColumn<Row extends object = object> = Readonly<{
  /** Names a secret of the column, before its row's id. */
  kind: string;
  table: string;
  idType: 'int' | 'uuid';
  column: string;
  /** What `purposeOf` reads besides the id: further expressions of a select list, each after a comma. */
  properties: string;
  /** Returns the purpose that a row's secret is encrypted for. */
  purposeOf(row: Row & { id: string }): string;
}>;

/** A secret as stored, with the properties of its row. */
type StoredSecret = Readonly<{ id: string; sealed: Uint8Array }>;

/** A secret to replace by another ciphertext. */
export type Renewal = Readonly<{ id: string; before: Uint8Array; after: Uint8Array }>;

const { raw, sql } = Prisma;

/** Reads the next secrets of a column after an id, in the order of the ids. */
export const readSecrets = (
  { sql: run }: Db,
  { table, column, properties }: SecretColumn,
  { after, limit }: Readonly<{ after: string | null; limit: number }>,
): Promise<StoredSecret[]> => {
  const beyond = after === null ? Prisma.empty : sql`AND id > ${after}`;
  return run(sql`
    SELECT id::text AS id, ${raw(column)} AS sealed ${raw(properties)} FROM ${raw(table)}
     WHERE ${raw(column)} IS NOT NULL ${beyond} ORDER BY ${raw(table)}.id LIMIT ${limit}`);
};

/**
 * Replaces secrets that have not changed since they were read, and returns how many.
 *
 * It waits for no row, so it cannot deadlock with an edit: rows that a transaction has locked are left out.
 */
export async function replaceSecrets(
  { sql: run }: Db,
  { table, idType, column }: SecretColumn,
  renewals: readonly Renewal[],
): Promise<number> {
  const rows = await run(sql`
    WITH renewal AS (
      SELECT * FROM unnest(
        ${renewals.map(({ id }) => id)}::${raw(idType)}[], ${renewals.map(({ before }) => Buffer.from(before))}::bytea[],
        ${renewals.map(({ after }) => Buffer.from(after))}::bytea[]) AS renewal(id, before, after)
    ), unlocked AS (
      SELECT t.id, after FROM ${raw(table)} t JOIN renewal ON t.id = renewal.id AND t.${raw(column)} = before
         FOR NO KEY UPDATE OF t SKIP LOCKED
    )
    UPDATE ${raw(table)} t SET ${raw(column)} = after FROM unlocked WHERE t.id = unlocked.id RETURNING 1`);
  return rows.length;
}
