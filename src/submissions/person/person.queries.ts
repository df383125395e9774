import type { Db, Transaction } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import { deleteWhich } from '../handling/handling.queries.js';

/** A website and how many submissions it has that a person's address is in. */
export type WebsiteCount = Readonly<{ websiteId: string; submissions: number }>;

/** A person's submissions to a team, by an e-mail address in any case of letters. */
type OfPerson = Readonly<{ teamId: number; email: string; limit: number }>;

/** Counts a team's submissions with an address by website, up to a number in all, the most first. */
export const countByWebsite = (db: Db, { teamId, email, limit }: OfPerson): Promise<WebsiteCount[]> =>
  db.sql(Prisma.sql`
    SELECT website_id::text AS "websiteId", count(*)::int AS submissions
      FROM (SELECT website_id FROM submissions
             WHERE team_id = ${teamId} AND emails @> ${[email.toLowerCase()]}::text[] LIMIT ${limit}) found
     GROUP BY website_id ORDER BY count(*) DESC, website_id`);

/** Deletes the first of a team's submissions with an address. @returns how many. */
export async function deleteSubmissionsOf(
  tx: Transaction,
  { teamId, email, limit }: OfPerson,
): Promise<number> {
  const deleted = await deleteWhich(
    tx,
    Prisma.sql`
      SELECT id FROM submissions WHERE team_id = ${teamId} AND emails @> ${[email.toLowerCase()]}::text[]
       ORDER BY id LIMIT ${limit} FOR UPDATE`,
  );
  return deleted.length;
}
