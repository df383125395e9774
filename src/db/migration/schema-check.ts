import type { Db } from '../client.js';
import { isDatabaseAway } from '../database-errors.js';
import { migrationNames } from './migrations.js';

export type SchemaCheck = ReturnType<typeof createSchemaCheck>;

const TRUSTED_MS = 3_000;

/**
 * Checks whether the database has every migration that this process needs; later ones do not matter. The process
 * needs those that its package held when it started.
 */
export function createSchemaCheck({ db }: { db: Db }) {
  const needed = migrationNames();
  // By a clock that no correction sets back, or it would be trusted for longer.
  let trustedUntil = 0;

  async function appliedNames(): Promise<Set<string>> {
    const rows = await db.orm.$queryRaw<{ name: string }[]>`
      SELECT migration_name AS name FROM _prisma_migrations
       WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`;
    return new Set(rows.map(({ name }) => name));
  }

  return {
    /**
     * Tells whether the database is current. A positive result is reused for three seconds.
     *
     * @throws the database error when PostgreSQL is away.
     */
    async isCurrent(): Promise<boolean> {
      const now = performance.now();
      if (now < trustedUntil) return true;
      const applied = await appliedNames().catch((error) => {
        if (isDatabaseAway(error)) throw error;
        return new Set<string>();
      });
      if (!needed.every((name) => applied.has(name))) return false;
      trustedUntil = now + TRUSTED_MS;
      return true;
    },
  };
}
