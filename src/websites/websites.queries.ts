import { createBatchedRead } from '../db/batched-read.js';
import type { Db, Transaction } from '../db/client.js';
import { visitsCountedUntil } from '../db/daily-visits-mark.js';
import { Prisma } from '../generated/prisma/client.js';

/** A website's signature key as it is stored. */
export type StoredKey = Readonly<{ id: string; signatureKeyCipher: Uint8Array }>;

/**
 * Creates a reader of the websites' keys as they are in the database, never cached.
 *
 * @returns the function that reads the key of a website; it returns null when there is no such website.
 */
export function createSignatureKeyReader(db: Db): (websiteId: string) => Promise<StoredKey | null> {
  return createBatchedRead({
    read: (ids: readonly string[]) =>
      db.sql<StoredKey>(
        Prisma.sql`
          SELECT id::text, signature_key_cipher AS "signatureKeyCipher"
            FROM websites WHERE id = ANY (${ids}::uuid[])`,
        'signature-keys',
      ),
    keyOf: ({ id }) => id,
  });
}

/**
 * Creates a look-up of ids in the database, never cached.
 *
 * @returns the function that finds the id of a website; it returns null when there is no such website.
 */
export function createWebsiteIdReader(db: Db): (websiteId: string) => Promise<{ id: string } | null> {
  return createBatchedRead({
    read: (ids: readonly string[]) =>
      db.sql<{ id: string }>(
        Prisma.sql`SELECT id FROM websites WHERE id = ANY (${ids}::uuid[])`,
        'website-ids',
      ),
    keyOf: ({ id }) => id,
  });
}

/** Locks the row of a website until the transaction ends. The visitors' submissions do not wait for it. */
export async function lockWebsiteRow(tx: Transaction, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM websites WHERE id = ${id}::uuid FOR NO KEY UPDATE`;
}

/** Counts the visits of a website that no worker has counted yet, before they are deleted with it. */
export async function countVisitsOf(tx: Transaction, websiteId: string): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO daily_visits (website_id, day, page_views, visitors)
    SELECT website_id, (created_at AT TIME ZONE 'UTC')::date, count(*)::int,
           count(DISTINCT visitor_hash COLLATE "C")::int
      FROM visits
     WHERE website_id = ${websiteId}::uuid AND created_at >= ${visitsCountedUntil}
     GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (website_id, day) DO NOTHING`;
}

/** Deletes some of the visits of a website. @returns how many. */
export const deleteVisits = (tx: Transaction, websiteId: string, limit: number): Promise<number> =>
  tx.$executeRaw`
    DELETE FROM visits WHERE id IN
      (SELECT id FROM visits WHERE website_id = ${websiteId}::uuid LIMIT ${limit})`;

/**
 * Invalidates every cached directory of a team. It runs in the transaction that changes one of the team's websites, so
 * that the next call after the commit reads the new version with its token and finds no entry under it.
 */
export async function endDirectory(tx: Transaction, teamId: number): Promise<void> {
  await tx.$executeRaw`UPDATE teams SET directory_version = gen_random_uuid() WHERE id = ${teamId}`;
}

/** Invalidates the directories of the teams that have a website in a department, as `endDirectory` does. */
export async function endDirectoriesShowing(tx: Transaction, departmentCode: string): Promise<void> {
  await tx.$executeRaw`
    UPDATE teams SET directory_version = gen_random_uuid()
     WHERE id IN (SELECT w.team_id FROM websites w
                    JOIN website_departments d ON d.website_id = w.id
                   WHERE d.department_code = ${departmentCode})`;
}

/**
 * Finds the time zones that PostgreSQL does not know. Node knows more, such as `ECT`, and reads some abbreviations
 * otherwise, which are no names to PostgreSQL.
 */
export async function unknownTimeZones(
  db: Pick<Transaction, '$queryRaw'>,
  names: readonly string[],
): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT name FROM unnest(${[...names]}::text[]) AS wanted (name)
     WHERE lower(name) NOT IN (SELECT lower(known.name) FROM pg_timezone_names known)`;
  return new Set(rows.map(({ name }) => name));
}

/** Lists websites whose stored time zone PostgreSQL does not know, by their ids. */
export const findWebsitesOfUnknownTimeZone = (db: Db): Promise<{ id: string; timeZone: string }[]> =>
  db.sql(Prisma.sql`
    SELECT id::text AS id, time_zone AS "timeZone" FROM websites
     WHERE lower(time_zone) NOT IN (SELECT lower(name) FROM pg_timezone_names) ORDER BY id`);

/** Gives websites other time zones, by those that they have. */
export async function replaceTimeZones(
  tx: Transaction,
  ids: readonly string[],
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const names = JSON.stringify([...known].map(([name, other]) => ({ name, other })));
  await tx.$executeRaw`
    UPDATE websites SET time_zone = zone.other
      FROM json_to_recordset(${names}::json) AS zone (name text, other text)
     WHERE websites.time_zone = zone.name AND websites.id = ANY (${[...ids]}::uuid[])`;
}
