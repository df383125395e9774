import type { Db, Transaction } from '../db/client.js';
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

/**
 * Locks the account of an address, if it has one, until the transaction ends.
 *
 * @param strength `KEY SHARE` keeps it from being deleted or getting another address, and nothing else.
 */
export async function lockAccountOf(
  tx: Transaction,
  email: string,
  strength: 'UPDATE' | 'KEY SHARE' = 'UPDATE',
): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM users WHERE email = ${email} FOR ${Prisma.raw(strength)}`;
}

/**
 * Keeps accounts from being deleted until the transaction ends; null is none. It comes before the lock of a membership,
 * as in a deletion, so that the two cannot wait for each other.
 */
export async function keepAccounts(tx: Transaction, ids: readonly (number | null)[]): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM users WHERE id = ANY (${ids.filter((id) => id !== null)}::int[]) ORDER BY id FOR KEY SHARE`;
}

/**
 * Finds accounts that have left one of the addresses for another, by the address that they left. The last one counts.
 */
export async function findByFormerAddress(
  tx: Transaction,
  addresses: readonly string[],
): Promise<Map<string, Pick<User, 'email'>>> {
  const rows = await tx.$queryRaw<{ former: string; email: string }[]>`
    SELECT e.detail->>'former' AS former, u.email
      FROM audit_events e JOIN users u ON u.id::text = e.subject_id
     WHERE e.subject_type = 'user' AND e.action = 'user.email_changed'
       AND e.detail->>'former' = ANY (${[...addresses]}) AND u.deleted_at IS NULL
     ORDER BY e.created_at, e.id`;
  return new Map(rows.map(({ former, email }) => [former, { email }]));
}
