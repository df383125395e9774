import type { Db } from '../db/client.js';
import { type Page, pageSql } from '../db/paging.js';
import type { User } from '../generated/prisma/client.js';

/** An account with the properties that other users may see. */
export type Account = Pick<User, 'id' | 'email' | 'name' | 'staff' | 'createdAt'> &
  Readonly<{ canLogIn: boolean }>;

/**
 * Reads a page of accounts, sorted by their e-mail addresses, which are unique.
 *
 * @param search a part of the e-mail address or the name, in any case; empty matches all.
 */
export function readAccounts(db: Db, search: string, page: Page): Promise<Account[]> {
  const { beyond, order, limit } = pageSql(page, [{ sql: 'email', type: 'text' }], 'ascending');
  return db.orm.$queryRaw`
    SELECT id, email, name, staff, created_at AS "createdAt", password_hash IS NOT NULL AS "canLogIn"
      FROM users
     WHERE (${search} = '' OR position(lower(${search}) IN lower(email || ' ' || name)) > 0) AND ${beyond}
     ORDER BY ${order} LIMIT ${limit}`;
}
