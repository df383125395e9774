import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../errors.js';
import { PACKAGE_ROOT } from '../../lib/package-root.js';

/** Where this package keeps its migrations. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('prisma/migrations/', PACKAGE_ROOT));

/** A migration as its file defines it. */
export type Migration = Readonly<{ name: string; sql: string; checksum: string }>;

/** A migration as Prisma's table `_prisma_migrations` records it. */
export type AppliedMigration = Readonly<{ name: string; checksum: string; finishedAt: Date | null }>;

/** The applied and pending migrations of a database, compared with those of this version. */
export type MigrationState = Readonly<{
  applied: readonly AppliedMigration[];
  pending: readonly Migration[];
  /** Names of applied migrations that this version does not have; a later version brought them. */
  unknown: readonly string[];
}>;

/** Lists the names of the migrations in a folder, in the order in which they apply. */
export function migrationNames(directory = MIGRATIONS_DIRECTORY): string[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}

/**
 * Reads the migrations of a folder, in the order in which they apply. The checksum is the one that Prisma
 * records; a checkout with CRLF line ends gives the same.
 */
export function readMigrations(directory = MIGRATIONS_DIRECTORY): Migration[] {
  return migrationNames(directory).map((name) => {
    const sql = readFileSync(join(directory, name, 'migration.sql'), 'utf8').replaceAll('\r\n', '\n');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/**
 * Compares the migrations of this version with those that a database records.
 *
 * @throws StartError when an applied migration was edited since, or another tool left one unfinished.
 */
export function compareMigrations(
  migrations: readonly Migration[],
  recorded: readonly AppliedMigration[],
): MigrationState {
  const records = new Map(recorded.map((record) => [record.name, record]));
  const edited = migrations.filter(({ name, checksum }) => {
    const record = records.get(name);
    return record && record.checksum !== checksum;
  });
  if (edited.length > 0) {
    const names = edited.map(({ name }) => name).join(', ');
    throw new StartError(
      `Edited after it was applied: ${names}. Restore the original file and put the change into a new migration.`,
    );
  }
  const unfinished = recorded.find(({ finishedAt }) => finishedAt === null);
  if (unfinished) {
    throw new StartError(
      `Migration ${unfinished.name} was begun by another tool and not finished. Mend the database, then say so with "prisma migrate resolve".`,
    );
  }
  const known = new Set(migrations.map(({ name }) => name));
  return {
    applied: recorded.filter(({ name }) => known.has(name)),
    pending: migrations.filter(({ name }) => !records.has(name)),
    unknown: recorded.filter(({ name }) => !known.has(name)).map(({ name }) => name),
  };
}
