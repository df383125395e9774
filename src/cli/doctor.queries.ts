import type { Db } from '../db/client.js';

/** What PostgreSQL says about itself. */
export type ServerFacts = Readonly<{ version: string; now: Date }>;

/** Reads the version and the clock of PostgreSQL. */
export async function readServer(db: Db): Promise<ServerFacts> {
  const [row] = await db.orm.$queryRaw<[ServerFacts]>`
    SELECT current_setting('server_version') AS version, clock_timestamp() AS now`;
  return row;
}
