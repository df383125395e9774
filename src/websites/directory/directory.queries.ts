import type { Db } from '../../db/client.js';
import { Prisma } from '../../generated/prisma/client.js';

/** A website as the directory reads it; `codes` are those of its departments in order, separated by spaces. */
export type DirectoryRow = Readonly<{
  id: string;
  name: string;
  host: string;
  url: string;
  email: string;
  company: string;
  address: string;
  zipcode: string;
  city: string;
  country: string;
  phone: string;
  logo: string;
  codes: string;
  createdAt: Date;
  updatedAt: Date;
}>;

/** Comes before the id of every website. */
export const NO_WEBSITE = '00000000-0000-0000-0000-000000000000';

/** Reads the websites of a team beyond an id, so many at most, in the order of their ids. */
export const readDirectoryRows = (
  db: Db,
  { teamId, after, limit }: Readonly<{ teamId: number; after: string; limit: number }>,
): Promise<DirectoryRow[]> =>
  db.sql(
    Prisma.sql`
      SELECT id::text, name, host, url, email, company, address, zipcode, city, country, phone, logo,
             (SELECT coalesce(string_agg(department_code, ' ' ORDER BY department_code), '')
                FROM website_departments WHERE website_id = websites.id) AS codes,
             created_at AS "createdAt", updated_at AS "updatedAt"
        FROM websites
       WHERE team_id = ${teamId} AND id > ${after}::uuid
       ORDER BY id LIMIT ${limit}`,
    'directory-rows',
  );

/** Reads every department. */
export const readDepartments = (db: Db): Promise<{ code: string; name: string }[]> =>
  db.sql(Prisma.sql`SELECT code, name FROM departments`, 'directory-departments');
