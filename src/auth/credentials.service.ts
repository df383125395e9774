import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { isEmailAddress } from '../lib/email-address.js';
import { limitLog } from '../lib/limited-log.js';
import type { Logger } from '../lib/logger.js';
import type { OneTimeLinks } from './one-time-links.js';
import { hashPassword, verifyPassword } from './passwords.js';
import type { Client, Sessions } from './sessions.service.js';
import type { Viewer } from './viewer.js';

type Services = {
  db: Db;
  sessions: Pick<Sessions, 'open' | 'endWithin'>;
  links: OneTimeLinks;
  log: Logger;
};

export type Credentials = ReturnType<typeof createCredentials>;

/** Changes passwords, by the current one or by a reset link. */
export function createCredentials({ db, sessions, links, log }: Services) {
  const warn = limitLog(log);
  const inFlight = new Set<Promise<void>>();

  async function issueReset(email: string, client: Client): Promise<void> {
    const user = await db.orm.user.findUnique({ where: { email } });
    if (!user?.passwordHash) return;
    await db.orm.$transaction(async (tx) => {
      if (!(await links.issueReset(tx, user.id))) return;
      const actor: Actor = { userId: null, channel: 'panel', ip: client.ip };
      await recordAudit(tx, actor, {
        teamId: null,
        action: 'user.password_reset_requested',
        subject: ['user', user.id],
      });
    });
  }

  return {
    /**
     * Changes the viewer's password and ends every other session.
     *
     * @returns false when the current password is wrong.
     */
    async change(
      viewer: Pick<Viewer, 'userId' | 'sessionId'>,
      { current, wanted }: Readonly<{ current: string; wanted: string }>,
      actor: Actor,
    ): Promise<boolean> {
      const { userId: id } = viewer;
      const { passwordHash: before } = await db.orm.user.findUniqueOrThrow({ where: { id } });
      if (!before || !(await verifyPassword(before, current))) return false;
      const passwordHash = await hashPassword(wanted);
      return db.orm.$transaction(async (tx) => {
        const { count } = await tx.user.updateMany({
          where: { id, passwordHash: before },
          data: { passwordHash },
        });
        if (count === 0) return false;
        await links.forgetResets(tx, id);
        const ending = { userId: id, reason: 'password_changed', except: viewer.sessionId } as const;
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
     * returns at once, because its duration would reveal whether there is such an account.
     */
    requestReset(email: string, client: Client): void {
      const login = email.trim().toLowerCase();
      if (!isEmailAddress(login)) return;
      const work = issueReset(login, client)
        .catch((error: Error) => warn(error, 'Password reset not issued'))
        .finally(() => inFlight.delete(work));
      inFlight.add(work);
    },

    /**
     * Sets the password of a reset link's account, ends the account's sessions, and opens a new one.
     *
     * @returns the secret of the session; null when the link is invalid, used or expired.
     */
    async reset(token: string, password: string, client: Client): Promise<string | null> {
      const link = await links.find(token, 'password_reset');
      if (!link?.userId) return null;
      const passwordHash = await hashPassword(password);
      const { id, userId } = link;
      return db.orm.$transaction(async (tx) => {
        if (!(await links.useReset(tx, { id, userId }))) return null;
        await tx.user.update({ where: { id: userId }, data: { passwordHash } });
        await links.forgetResets(tx, userId);
        const actor: Actor = { userId, channel: 'panel', ip: client.ip };
        await sessions.endWithin(tx, { userId, reason: 'password_reset' }, actor);
        await recordAudit(tx, actor, {
          teamId: null,
          action: 'user.password_reset',
          subject: ['user', userId],
        });
        return sessions.open(tx, userId, client);
      });
    },

    /** Waits for the reset links that are still being issued. */
    async settled(): Promise<void> {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
  };
}
