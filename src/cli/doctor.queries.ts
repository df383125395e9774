import type { Db } from '../db/client.js';
import { Prisma } from '../generated/prisma/client.js';

/** What PostgreSQL says about itself. */
export type ServerFacts = Readonly<{ version: string; now: Date }>;

/** Reads the version and the clock of PostgreSQL. */
export async function readServer(db: Db): Promise<ServerFacts> {
  // Through the driver, whose errors are PostgreSQL's own.
  const [row] = await db.sql<ServerFacts>(
    Prisma.sql`SELECT current_setting('server_version') AS version, clock_timestamp() AS now`,
  );
  return row!;
}
