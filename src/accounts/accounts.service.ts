import { type Actor, recordAudit } from '../audit/audit.js';
import type { OneTimeLinks } from '../auth/one-time-links.js';
import { generatePassword, hashPassword } from '../auth/passwords.js';
import type { SecondFactors } from '../auth/second-factor/second-factors.service.js';
import { endViewsWithin, type Sessions } from '../auth/sessions.service.js';
import type { Db, Transaction } from '../db/client.js';
import { isUniqueViolation } from '../db/database-errors.js';
import type { Page } from '../db/paging.js';
import { accountExists, accountNotFound, conflict } from '../errors.js';
import type { User } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { inOrderOf } from '../lib/group-by.js';
import { type Account, type AccountFilter, readAccounts } from './accounts.queries.js';
import { createUser, lockWithActor, type NewUser, type UserSettings, updateUser } from './users.js';

type Services = {
  db: Db;
  sessions: Pick<Sessions, 'endWithin'>;
  links: Pick<OneTimeLinks, 'deleteChangeLinks' | 'issueEmailChange'>;
  secondFactors: Pick<SecondFactors, 'resetWithin'>;
  clock: Clock;
};

export type Accounts = ReturnType<typeof createAccounts>;

/** Maps a stored user to an account, without the hash of its password. */
export const accountOf = (user: User): Account => ({
  id: user.id,
  email: user.email,
  name: user.name,
  staff: user.staff,
  createdAt: user.createdAt,
  canLogIn: user.passwordHash !== null && user.disabledAt === null,
  deleted: user.deletedAt !== null,
});

/** How an account is let in, which staff alone see. */
export type AccountAccess = Readonly<{
  lastLoginAt: Date | null;
  /** Since when staff have disabled it; null: it is not. */
  disabledAt: Date | null;
  /** Since when its logins need a second factor; null: they need none. */
  secondFactorAt: Date | null;
}>;

/** Manages accounts for staff. */
export function createAccounts({ db, sessions, links, secondFactors, clock }: Services) {
  /** Locks an account that the actor changes. @throws 404 for no account; 403 for an actor who was just shut out. */
  async function lock(tx: Transaction, id: number, actor: Actor): Promise<User> {
    await lockWithActor(tx, id, actor);
    const stored = await tx.user.findUnique({ where: { id } });
    if (!stored || stored.deletedAt) throw accountNotFound();
    return stored;
  }

  return {
    /** Reads accounts in the order of the ids; null for a missing account. */
    async byIds(ids: readonly number[]): Promise<(Account | null)[]> {
      const rows = await db.orm.user.findMany({ where: { id: { in: [...ids] } } });
      return inOrderOf(ids, rows.map(accountOf));
    },

    /** Lists a page of the accounts that match a filter, sorted by their e-mail addresses. */
    list: (filter: AccountFilter, page: Page): Promise<Account[]> => readAccounts(db, filter, page),

    /** Reads how accounts are let in, in the order of the ids; null for a missing account. */
    async accessOf(ids: readonly number[]): Promise<(AccountAccess | null)[]> {
      const rows = await db.orm.user.findMany({
        where: { id: { in: [...ids] } },
        select: {
          id: true,
          lastLoginAt: true,
          disabledAt: true,
          secondFactor: { select: { confirmedAt: true } },
        },
      });
      const access = rows.map(({ secondFactor, ...row }) => ({
        ...row,
        secondFactorAt: secondFactor?.confirmedAt ?? null,
      }));
      return inOrderOf(ids, access);
    },

    /**
     * Creates an account.
     *
     * @returns the account with its generated password, which cannot be shown again.
     * @throws 409 when the e-mail address has an account; 403 for an actor who was just shut out.
     */
    async create(
      user: Pick<NewUser, 'email' | 'name' | 'staff'>,
      actor: Actor,
    ): Promise<{ account: Account; password: string }> {
      const password = generatePassword();
      const passwordHash = await hashPassword(password);
      const row = await db.orm
        .$transaction(async (tx) => {
          await lockWithActor(tx, null, actor);
          return createUser(tx, { ...user, passwordHash }, actor);
        })
        .catch((error) => {
          throw isUniqueViolation(error) ? accountExists() : error;
        });
      return { account: accountOf(row), password };
    },

    /**
     * Changes an account.
     *
     * @throws 404 for no account; 409 when staff revoke their own staff right, so that one account always has it; 403
     * when another of the staff has just revoked that of the actor.
     */
    async update(id: number, settings: UserSettings, actor: Actor): Promise<Account> {
      return db.orm.$transaction(async (tx) => {
        const stored = await lock(tx, id, actor);
        if (settings.staff === false && stored.staff && id === actor.userId) {
          throw conflict('You cannot take your own staff standing away; another of the staff can.');
        }
        await updateUser(tx, stored, settings, actor);
        if (settings.staff === false) await endViewsWithin(tx, id, actor);
        return accountOf({ ...stored, ...settings } as User);
      });
    },

    /**
     * Sends a link to an address with which an account is to log in, in place of an earlier one; the address changes
     * when the link is followed.
     *
     * @throws 404 for no account; 409 for the actor's own, which asks for its password.
     */
    requestEmail: (id: number, email: string, actor: Actor): Promise<void> =>
      db.orm.$transaction(async (tx) => {
        await lock(tx, id, actor);
        if (id === actor.userId) throw conflict('Change the address of your own account with your password.');
        await links.issueEmailChange(tx, id, email, actor);
      }),

    /**
     * Disables an account, or enables it again. Disabling ends its sessions and its links to another password or
     * address; its tokens are refused.
     *
     * @throws 404 for no account; 409 for the actor's own, so that one account of the staff always remains; 403 when
     * another of the staff has just shut the actor out.
     */
    setDisabled: (id: number, isDisabled: boolean, actor: Actor): Promise<Account> =>
      db.orm.$transaction(async (tx) => {
        const stored = await lock(tx, id, actor);
        if (id === actor.userId) throw conflict('You cannot disable your own account.');
        if ((stored.disabledAt !== null) === isDisabled) return accountOf(stored);
        const changed = await tx.user.update({
          where: { id },
          data: { disabledAt: isDisabled ? clock() : null },
        });
        if (isDisabled) {
          await links.deleteChangeLinks(tx, id);
          await sessions.endWithin(tx, { userId: id, reason: 'disabled' }, actor);
        }
        const action = isDisabled ? 'user.disabled' : 'user.enabled';
        await recordAudit(tx, actor, { teamId: null, action, subject: ['user', id] });
        return accountOf(changed);
      }),

    /**
     * Removes the second factor of an account whose owner has lost it, and ends its sessions.
     *
     * @returns whether there was one.
     * @throws 404 for no account; 409 for the actor's own, which takes a code.
     */
    resetSecondFactor: (id: number, actor: Actor): Promise<boolean> =>
      db.orm.$transaction(async (tx) => {
        await lock(tx, id, actor);
        if (id === actor.userId) throw conflict('Remove the second factor of your own account with a code.');
        const wasReset = await secondFactors.resetWithin(tx, id, actor);
        if (wasReset) await sessions.endWithin(tx, { userId: id, reason: 'second_factor_reset' }, actor);
        return wasReset;
      }),

    /**
     * Generates a new password for an account and ends its sessions. The second factor stays.
     *
     * @returns the password, which cannot be shown again.
     * @throws 404 for no account; 409 for the actor's own, whose session would end before the password is read.
     */
    async resetPassword(id: number, actor: Actor): Promise<{ account: Account; password: string }> {
      const password = generatePassword();
      const passwordHash = await hashPassword(password);
      return db.orm.$transaction(async (tx) => {
        const stored = await lock(tx, id, actor);
        if (id === actor.userId)
          throw conflict('Change the password of your own account with the present one.');
        await tx.user.update({ where: { id }, data: { passwordHash } });
        await links.deleteChangeLinks(tx, id);
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
