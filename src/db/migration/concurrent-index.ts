import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../../errors.js';
import type { Migration } from './migrations.js';

const DIRECTIVE = '-- formgate: concurrently';

const CREATE_INDEX = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS ("[^"]+"|\w+) ON [^;]+;?$/i;

const LOOK_EVERY_MS = 500;

const INDEX_STATE = `
  SELECT CASE WHEN indisvalid THEN 'valid'
              WHEN EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)
              THEN 'being built'
              ELSE 'invalid' END AS state
    FROM pg_index i WHERE indexrelid = to_regclass($1)`;

/** Tells whether a migration declares on its first line that it runs outside a transaction. */
export const isConcurrent = ({ sql }: Migration): boolean => sql.split('\n', 1)[0]?.trim() === DIRECTIVE;

/**
 * Builds the index of a concurrent migration. It is idempotent, even after a kill at any moment: a valid index is
 * done, one that another session builds is waited for, and an invalid one is dropped and built again.
 *
 * @throws StartError when the migration is anything else than one `CREATE INDEX CONCURRENTLY IF NOT EXISTS`.
 */
export async function buildIndex(client: pg.Client, { name, sql }: Migration): Promise<void> {
  const statement = sql.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim();
  const index = CREATE_INDEX.exec(statement)?.[1];
  if (!index) {
    throw new StartError(
      `Migration ${name} is concurrent, so it must be one CREATE INDEX CONCURRENTLY IF NOT EXISTS.`,
    );
  }
  for (;;) {
    const { rows } = await client.query<{ state: string }>(INDEX_STATE, [index]);
    switch (rows[0]?.state) {
      case 'valid':
        return;
      case 'being built':
        await pause(LOOK_EVERY_MS);
        break;
      case 'invalid':
        await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
        break;
      default:
        await client.query(statement);
    }
  }
}
