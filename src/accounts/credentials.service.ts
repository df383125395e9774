import type { AccountLinkPurpose } from '../generated/prisma/client.js';
import { isEmailAddress } from '../lib/email-address.js';
import type { Logger } from '../lib/logger.js';
import type { Database, Transaction } from '../lib/prisma.js';
import type { Viewer } from '../viewer.js';
import type { AccountLinks } from './account-links.js';
import { type Actor, recordAudit } from './audit.js';
import { hashPassword, verifyPassword } from './passwords.js';
import type { Client, Sessions } from './sessions.service.js';

type Services = {
  db: Database;
  sessions: Pick<Sessions, 'open' | 'revokeOthers'>;
  links: AccountLinks;
  log: Logger;
};

export type Credentials = ReturnType<typeof createCredentials>;

/** How passwords come to be and change. */
export function createCredentials({ db, sessions, links, log }: Services) {
  const underWay = new Set<Promise<void>>();

  /** After a new password: nothing that the old one has opened stays open. */
  async function endOthers(tx: Transaction, userId: number, keptSession: string | null): Promise<void> {
    await links.forget(tx, userId);
    await sessions.revokeOthers(tx, userId, keptSession);
  }

  async function issueReset(email: string, client: Client): Promise<void> {
    const user = await db.user.findUnique({ where: { email } });
    if (!user?.passwordHash) return;
    await db.$transaction(async (tx) => {
      await links.issue(tx, { userId: user.id, purpose: 'password_reset', teamId: null });
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
     * Gives the viewer a new password and ends every other session.
     *
     * @returns false when the current password is wrong.
     */
    async change(
      viewer: Pick<Viewer, 'userId' | 'sessionId'>,
      { current, wanted }: Readonly<{ current: string; wanted: string }>,
      actor: Actor,
    ): Promise<boolean> {
      const { userId: id } = viewer;
      const { passwordHash: before } = await db.user.findUniqueOrThrow({ where: { id } });
      if (!before || !(await verifyPassword(before, current))) return false;
      const passwordHash = await hashPassword(wanted);
      return db.$transaction(async (tx) => {
        const { count } = await tx.user.updateMany({
          where: { id, passwordHash: before },
          data: { passwordHash },
        });
        if (count === 0) return false;
        await endOthers(tx, id, viewer.sessionId);
        await recordAudit(tx, actor, {
          teamId: null,
          action: 'user.password_changed',
          subject: ['user', id],
        });
        return true;
      });
    },

    /**
     * Has a link sent to the account of an address, if there is one that can log in. Returns at once: the time it
     * takes would tell whether there is.
     */
    requestReset(email: string, client: Client): void {
      const login = email.trim().toLowerCase();
      if (!isEmailAddress(login)) return;
      const work = issueReset(login, client)
        .catch((error: Error) => log.warn({ reason: error.message }, 'Password reset not issued'))
        .finally(() => underWay.delete(work));
      underWay.add(work);
    },

    /**
     * Sets the password of the account that a link was sent to, ends its sessions, and opens one.
     *
     * @returns the secret of the session; null when the link is not valid or no longer.
     */
    async redeem(
      token: string,
      purpose: AccountLinkPurpose,
      password: string,
      client: Client,
    ): Promise<string | null> {
      const link = await links.find(token, purpose);
      if (!link) return null;
      const passwordHash = await hashPassword(password);
      const { userId } = link;
      return db.$transaction(async (tx) => {
        if (!(await links.use(tx, link))) return null;
        await tx.user.update({ where: { id: userId }, data: { passwordHash } });
        await endOthers(tx, userId, null);
        const actor: Actor = { userId, channel: 'panel', ip: client.ip };
        await recordAudit(tx, actor, {
          teamId: link.teamId,
          action: purpose === 'invitation' ? 'user.invitation_accepted' : 'user.password_reset',
          subject: ['user', userId],
        });
        return sessions.open(tx, userId, client);
      });
    },

    /** Waits for the links that are still being made. */
    async settled(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
