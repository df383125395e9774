import type { Db } from '../db/client.js';
import { type Page, pageSql } from '../db/paging.js';
import { Prisma, type User } from '../generated/prisma/client.js';

/** An account with the properties that other users may see. */
export type Account = Pick<User, 'id' | 'email' | 'name' | 'staff' | 'createdAt'> &
  Readonly<{ canLogIn: boolean; deleted: boolean }>;

/** Selects accounts. A null filter matches every account. */
export type AccountFilter = Readonly<{
  /** A part of the e-mail address or the name, in any case; empty matches all. */
  search: string;
  staff: boolean | null;
  disabled: boolean | null;
  /** Whether the account has a second factor. */
  secondFactor: boolean | null;
  /** Members of this team. */
  teamId: number | null;
}>;

/** Reads a page of accounts, sorted by their e-mail addresses, which are unique. Deleted accounts are left out. */
export function readAccounts(
  db: Db,
  { search, staff, disabled, secondFactor, teamId }: AccountFilter,
  page: Page,
): Promise<Account[]> {
  const { sql } = Prisma;
  const { beyond, order, limit } = pageSql(page, [{ sql: 'email', type: 'text' }], 'ascending');
  const conditions = [beyond];
  if (search) conditions.push(sql`position(lower(${search}) IN lower(email || ' ' || name)) > 0`);
  if (staff !== null) conditions.push(sql`staff = ${staff}`);
  if (disabled !== null) conditions.push(sql`(disabled_at IS NOT NULL) = ${disabled}`);
  if (secondFactor !== null) {
    conditions.push(sql`${secondFactor} = EXISTS (
      SELECT 1 FROM second_factors WHERE user_id = users.id AND confirmed_at IS NOT NULL)`);
  }
  if (teamId !== null) {
    conditions.push(sql`EXISTS (
      SELECT 1 FROM memberships WHERE user_id = users.id AND team_id = ${teamId})`);
  }
  return db.orm.$queryRaw`
    SELECT id, email, name, staff, created_at AS "createdAt", FALSE AS deleted,
           password_hash IS NOT NULL AND disabled_at IS NULL AS "canLogIn"
      FROM users
     WHERE deleted_at IS NULL AND ${Prisma.join(conditions, ' AND ')}
     ORDER BY ${order} LIMIT ${limit}`;
}
