import type { Db } from '../../db/client.js';
import { type Page, pageSql } from '../../db/paging.js';
import { type ErasureReceipt, Prisma } from '../../generated/prisma/client.js';
import type { ErasureCounts } from './erasure-receipt.js';

/** A receipt as stored, with its numbers by name and by website. */
export type StoredReceipt = Omit<ErasureReceipt, 'counts' | 'websites'> &
  Readonly<{ counts: ErasureCounts; websites: Readonly<Record<string, number>> }>;

const { sql } = Prisma;

const COLUMNS = Prisma.raw(`
  id::text, team_id AS "teamId", erased_by_id AS "erasedById", erased_by_name AS "erasedByName",
  key_cipher AS "keyCipher", address_hash AS "addressHash", counts, websites, seal, started_at AS "startedAt",
  finished_at AS "finishedAt"`);

/** Reads a receipt; null when there is none. */
export const readReceipt = async (db: Db, id: string): Promise<StoredReceipt | null> =>
  (await db.sql<StoredReceipt>(sql`SELECT ${COLUMNS} FROM erasure_receipts WHERE id = ${id}::uuid`))[0] ??
  null;

/** Reads a page of a team's receipts, the latest first. */
export function readReceipts(db: Db, teamId: number, page: Page): Promise<StoredReceipt[]> {
  const keys = [
    { sql: 'started_at', type: 'timestamptz' },
    { sql: 'erasure_receipts.id', type: 'uuid' },
  ] as const;
  const { beyond, order, limit } = pageSql(page, keys, 'descending');
  return db.sql(sql`
    SELECT ${COLUMNS} FROM erasure_receipts
     WHERE team_id = ${teamId} AND ${beyond} ORDER BY ${order} LIMIT ${limit}`);
}
