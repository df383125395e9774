import { type Actor, recordAudit } from '../audit/audit.js';
import type { OneTimeLinks } from '../auth/one-time-links.js';
import { generatePassword, hashPassword } from '../auth/passwords.js';
import type { Sessions } from '../auth/sessions.service.js';
import { type Db, isUniqueViolation, type Transaction } from '../db/client.js';
import type { Page } from '../db/paging.js';
import { lockRow } from '../db/row-lock.js';
import { conflict, notFound } from '../errors.js';
import type { User } from '../generated/prisma/client.js';
import { inOrderOf } from '../lib/group-by.js';
import { type Account, readAccounts } from './accounts.queries.js';
import { createUser, type NewUser, type UserSettings, updateUser } from './users.js';

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

/** Manages accounts for staff. */
export function createAccounts({ db, sessions, links }: Services) {
  async function lock(tx: Transaction, id: number): Promise<User> {
    await lockRow(tx, 'users', id);
    const stored = await tx.user.findUnique({ where: { id } });
    if (!stored) throw notFound('Account not found.');
    return stored;
  }

  return {
    /** Reads accounts in the order of the ids; null for a missing account. */
    async byIds(ids: readonly number[]): Promise<(Account | null)[]> {
      const rows = await db.orm.user.findMany({ where: { id: { in: [...ids] } } });
      return inOrderOf(ids, rows.map(accountOf));
    },

    /** Lists a page of the accounts that match a search, sorted by their e-mail addresses. */
    list: (search: string, page: Page): Promise<Account[]> => readAccounts(db, search, page),

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
    async update(id: number, settings: UserSettings, actor: Actor): Promise<Account> {
      return db.orm.$transaction(async (tx) => {
        const stored = await lock(tx, id);
        if (settings.staff === false && stored.staff && id === actor.userId) {
          throw conflict('You cannot take your own staff standing away; another of the staff can.');
        }
        await updateUser(tx, stored, settings, actor);
        return accountOf({ ...stored, ...settings } as User);
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
