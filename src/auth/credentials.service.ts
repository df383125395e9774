import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { isUniqueViolation } from '../db/database-errors.js';
import { lockRow } from '../db/row-lock.js';
import { accountExists } from '../errors.js';
import type { PanelLanguage } from '../generated/prisma/client.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import { isEmailAddress } from '../lib/text/email-address.js';
import type { OneTimeLinks } from './one-time-links.js';
import { hashPassword, verifyPassword } from './passwords.js';
import type { IssuedLogin, SessionIssuer } from './session-issuer.js';
import type { Client, Sessions } from './sessions.service.js';

type Services = {
  db: Db;
  sessions: Pick<Sessions, 'endWithin'>;
  sessionIssuer: SessionIssuer;
  links: OneTimeLinks;
  log: Logger;
};

export type Credentials = ReturnType<typeof createCredentials>;

/** Changes passwords, by the current one or by a reset link, and the addresses of accounts. */
export function createCredentials({ db, sessions, sessionIssuer, links, log }: Services) {
  const warn = limitLog(log);
  const inFlight = new Set<Promise<void>>();

  async function issueReset(email: string, language: PanelLanguage | null, client: Client): Promise<void> {
    const user = await db.orm.user.findUnique({ where: { email } });
    if (!user?.passwordHash || user.disabledAt) return;
    await db.orm.$transaction(async (tx) => {
      if (!(await links.issueReset(tx, user.id, language))) return;
      const actor: Actor = { userId: null, channel: 'panel', ip: client.ip };
      await recordAudit(tx, actor, {
        teamId: null,
        action: 'user.password_reset_requested',
        subject: ['user', user.id],
      });
    });
  }

  return {
    /** Whether a password is that of an account. */
    async verify({ userId: id }: Readonly<{ userId: number }>, password: string): Promise<boolean> {
      const { passwordHash } = await db.orm.user.findUniqueOrThrow({ where: { id } });
      return passwordHash !== null && verifyPassword(passwordHash, password);
    },

    /**
     * Changes the password of an account and ends every session but the one that it is changed in.
     *
     * @returns false when the current password is wrong.
     */
    async change(
      { userId: id, sessionId }: Readonly<{ userId: number; sessionId: string }>,
      { current, wanted }: Readonly<{ current: string; wanted: string }>,
      actor: Actor,
    ): Promise<boolean> {
      const { passwordHash: before } = await db.orm.user.findUniqueOrThrow({ where: { id } });
      if (!before || !(await verifyPassword(before, current))) return false;
      const passwordHash = await hashPassword(wanted);
      return db.orm.$transaction(async (tx) => {
        const { count } = await tx.user.updateMany({
          where: { id, passwordHash: before },
          data: { passwordHash },
        });
        if (count === 0) return false;
        await links.deleteChangeLinks(tx, id);
        const ending = { userId: id, reason: 'password_changed', except: sessionId } as const;
        await sessions.endWithin(tx, ending, actor);
        await recordAudit(tx, actor, {
          teamId: null,
          action: 'user.password_changed',
          subject: ['user', id],
        });
        return true;
      });
    },

    /**
     * Issues a reset link to the account of an address, if there is one that can log in and has no fresh link. It
     * returns at once, because its duration would reveal whether there is such an account. The e-mail is in the
     * language of the account, else in the given one.
     */
    requestReset(email: string, language: PanelLanguage | null, client: Client): void {
      const login = email.trim().toLowerCase();
      if (!isEmailAddress(login)) return;
      const work = issueReset(login, language, client)
        .catch((error: Error) => warn(error, 'Password reset not issued'))
        .finally(() => inFlight.delete(work));
      inFlight.add(work);
    },

    /**
     * Finds the address of a reset link's account; the link is not used up.
     *
     * @returns null when the link is invalid, used or expired.
     */
    async followReset(token: string): Promise<string | null> {
      const link = await links.find(token, 'password_reset');
      if (!link?.userId) return null;
      const user = await db.orm.user.findUnique({ where: { id: link.userId }, select: { email: true } });
      return user?.email ?? null;
    },

    /**
     * Sets the password of a reset link's account, ends the account's sessions, and opens a new one, or a challenge
     * where the account needs a second step.
     *
     * @returns null when the link is invalid, used or expired.
     */
    async reset(token: string, password: string, client: Client): Promise<IssuedLogin | null> {
      const link = await links.find(token, 'password_reset');
      if (!link?.userId) return null;
      const passwordHash = await hashPassword(password);
      const { id, userId } = link;
      return db.orm.$transaction(async (tx) => {
        if (!(await links.use(tx, { id, userId }))) return null;
        await tx.user.update({ where: { id: userId }, data: { passwordHash } });
        await links.deleteChangeLinks(tx, userId);
        const actor: Actor = { userId, channel: 'panel', ip: client.ip };
        await sessions.endWithin(tx, { userId, reason: 'password_reset' }, actor);
        await recordAudit(tx, actor, {
          teamId: null,
          action: 'user.password_reset',
          subject: ['user', userId],
        });
        return sessionIssuer.issueWithin(tx, userId, client);
      });
    },

    /**
     * Issues a link to an address that the viewer's account is to have. Only the person who opens the link learns
     * whether the address has an account already.
     *
     * @returns false when the password is wrong.
     */
    async requestEmail(
      { userId: id }: Readonly<{ userId: number }>,
      { email, password }: Readonly<{ email: string; password: string }>,
      actor: Actor,
    ): Promise<boolean> {
      const { passwordHash } = await db.orm.user.findUniqueOrThrow({ where: { id } });
      if (!passwordHash || !(await verifyPassword(passwordHash, password))) return false;
      return db.orm.$transaction(async (tx) => {
        await lockRow(tx, 'users', id);
        // A change of the password meanwhile has ended such links, and would not end this one.
        if (!(await tx.user.findFirst({ where: { id, passwordHash, disabledAt: null } }))) return false;
        await links.issueEmailChange(tx, id, email, actor);
        return true;
      });
    },

    /**
     * Finds the address that a link gives an account; the link is not used up.
     *
     * @returns null when the link is invalid, used or expired.
     */
    async followEmailChange(token: string): Promise<string | null> {
      return (await links.find(token, 'email_change'))?.email ?? null;
    },

    /**
     * Gives an account the address of a link, tells the address before, and ends the links that went there.
     *
     * @returns false when the link is invalid, used or expired.
     * @throws 409 when the address has an account.
     */
    async confirmEmail(token: string, { ip }: Client): Promise<boolean> {
      const link = await links.find(token, 'email_change');
      if (!link?.userId || !link.email) return false;
      const { id, userId, email } = link;
      const work = db.orm.$transaction(async (tx) => {
        if (!(await links.use(tx, { id, userId }))) return false;
        const { email: former } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
        await tx.user.update({ where: { id: userId }, data: { email } });
        if (email !== former) await links.issueEmailChangeNotice(tx, userId, former);
        await links.deleteChangeLinks(tx, userId);
        await recordAudit(
          tx,
          { userId, channel: 'panel', ip },
          {
            teamId: null,
            action: 'user.email_changed',
            subject: ['user', userId],
            detail: { email, former },
          },
        );
        return true;
      });
      return work.catch((error) => {
        throw isUniqueViolation(error) ? accountExists() : error;
      });
    },

    /** Waits for the reset links that are still being issued. */
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
}
