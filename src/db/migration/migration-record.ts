import type pg from 'pg';
import type { AppliedMigration, Migration } from './migrations.js';

/** Prisma's own table, column for column, so that `prisma migrate` goes on from what is applied here. */
const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id varchar(36) PRIMARY KEY NOT NULL,
    checksum varchar(64) NOT NULL,
    finished_at timestamptz,
    migration_name varchar(255) NOT NULL,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(),
    applied_steps_count integer NOT NULL DEFAULT 0
  )`;

/** Reads which migrations a database has; none when it has no table of them. */
export async function readRecord(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows: tables } = await client.query(`SELECT to_regclass('_prisma_migrations') AS name`);
  if (tables[0].name === null) return [];
  const { rows } = await client.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at AS "finishedAt"
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return rows;
}

/** Records a migration as applied. */
export async function recordMigration(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(CREATE_TABLE);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES (gen_random_uuid(), $1, $2, clock_timestamp(), 1)`,
    [checksum, name],
  );
}
