import { type Actor, recordAudit } from '../audit/audit.js';
import type { OneTimeLinks } from '../auth/one-time-links.js';
import { generatePassword, hashPassword } from '../auth/passwords.js';
import type { Sessions } from '../auth/sessions.service.js';
import { type Db, isUniqueViolation, type Transaction } from '../db/client.js';
import { conflict, notFound } from '../errors.js';
import { Prisma, type User } from '../generated/prisma/client.js';
import { createUser, type NewUser, updateUser } from './users.js';

/** An account with the properties that other users may see. */
export type Account = Pick<User, 'id' | 'email' | 'name' | 'staff' | 'createdAt'> &
  Readonly<{ canLogIn: boolean }>;

type Services = {
  db: Db;
  sessions: Pick<Sessions, 'endWithin'>;
  links: Pick<OneTimeLinks, 'forgetResets'>;
};

export type Accounts = ReturnType<typeof createAccounts>;

export const accountOf = ({ id, email, name, staff, createdAt, passwordHash }: User): Account => ({
  ...{ id, email, name, staff, createdAt },
  canLogIn: passwordHash !== null,
});

/** Selects accounts, sorted by their e-mail addresses, which are unique. */
export type AccountQuery = Readonly<{
  /** A part of the e-mail address or the name, in any case; empty matches all. */
  search: string;
  limit: number;
  direction: 'forward' | 'backward';
  /** E-mail address after which the page begins; null means an end of the list. */
  cursor: string | null;
}>;

/** Manages accounts for staff. */
export function createAccounts({ db, sessions, links }: Services) {
  async function lock(tx: Transaction, id: number): Promise<User> {
    await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${id} FOR UPDATE`;
    const stored = await tx.user.findUnique({ where: { id } });
    if (!stored) throw notFound('Account not found.');
    return stored;
  }

  return {
    /** Reads accounts in the order of the ids; null for a missing account. */
    async byIds(ids: readonly number[]): Promise<(Account | null)[]> {
      const rows = await db.orm.user.findMany({ where: { id: { in: [...ids] } } });
      const found = new Map(rows.map((row) => [row.id, accountOf(row)]));
      return ids.map((id) => found.get(id) ?? null);
    },

    /** Reads a page of accounts and one more, from the cursor on in its direction. */
    async page({ search, limit, direction, cursor }: AccountQuery): Promise<Account[]> {
      const isForward = direction === 'forward';
      const beyond = isForward ? Prisma.sql`email > ${cursor}` : Prisma.sql`email < ${cursor}`;
      const rows = await db.orm.$queryRaw<Account[]>`
        SELECT id, email, name, staff, created_at AS "createdAt", password_hash IS NOT NULL AS "canLogIn"
          FROM users
         WHERE (${search} = '' OR position(lower(${search}) IN lower(email || ' ' || name)) > 0)
           AND ${cursor === null ? Prisma.sql`true` : beyond}
         ORDER BY email ${isForward ? Prisma.sql`ASC` : Prisma.sql`DESC`}
         LIMIT ${limit + 1}`;
      return rows;
    },

    /**
     * Creates an account.
     *
     * @returns the account with its generated password, which cannot be shown again.
     * @throws 409 when the e-mail address has an account.
     */
    async create(
      user: Pick<NewUser, 'email' | 'name' | 'staff'>,
      actor: Actor,
    ): Promise<{ account: Account; password: string }> {
      const password = generatePassword();
      const passwordHash = await hashPassword(password);
      const row = await db.orm
        .$transaction((tx) => createUser(tx, { ...user, passwordHash }, actor))
        .catch((error) => {
          throw isUniqueViolation(error) ? conflict('There already is an account of this address.') : error;
        });
      return { account: accountOf(row), password };
    },

    /**
     * Changes an account.
     *
     * @throws 404 for no account; 409 when staff revoke their own staff right, so that one account always has it.
     */
    async update(
      id: number,
      settings: Partial<Pick<NewUser, 'name' | 'staff'>>,
      actor: Actor,
    ): Promise<Account> {
      return db.orm.$transaction(async (tx) => {
        const stored = await lock(tx, id);
        if (settings.staff === false && stored.staff && id === actor.userId) {
          throw conflict('You cannot take your own staff standing away; another of the staff can.');
        }
        await updateUser(tx, stored, settings, actor);
        return accountOf({ ...stored, ...settings });
      });
    },

    /**
     * Generates a new password for an account and ends its sessions.
     *
     * @returns the password, which cannot be shown again.
     * @throws 404 for no account.
     */
    async resetPassword(id: number, actor: Actor): Promise<{ account: Account; password: string }> {
      const password = generatePassword();
      const passwordHash = await hashPassword(password);
      return db.orm.$transaction(async (tx) => {
        const stored = await lock(tx, id);
        await tx.user.update({ where: { id }, data: { passwordHash } });
        await links.forgetResets(tx, id);
        await sessions.endWithin(tx, { userId: id, reason: 'password_reset' }, actor);
        await recordAudit(tx, actor, {
          teamId: null,
          action: 'user.password_reset',
          subject: ['user', id],
        });
        return { account: accountOf({ ...stored, passwordHash }), password };
      });
    },
  };
}
