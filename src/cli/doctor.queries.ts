import type { Db } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';

/** Reads the version of PostgreSQL. */
export async function readVersion(db: Db): Promise<string> {
  // Through the driver, whose errors are PostgreSQL's own.
  const [row] = await db.sql<{ version: string }>(
    Prisma.sql`SELECT current_setting('server_version') AS version`,
  );
  return row!.version;
}
