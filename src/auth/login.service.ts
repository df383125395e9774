import { type Actor, recordAudit } from '../audit/audit.js';
import type { Config } from '../config.js';
import type { Db, Transaction } from '../db/client.js';
import { forbidden } from '../errors.js';
import { isEmailAddress } from '../lib/text/email-address.js';
import type { OneTimeLinks } from './one-time-links.js';
import { hashPassword, verifyPassword } from './passwords.js';
import { lockPassword } from './sessions.queries.js';
import type { Client, Sessions } from './sessions.service.js';

type Services = {
  db: Db;
  sessions: Pick<Sessions, 'open'>;
  links: Pick<OneTimeLinks, 'find' | 'use'>;
  config: Pick<Config, 'embedded'>;
};

export type Login = ReturnType<typeof createLogin>;

/** Logs users in to the panel: with e-mail and password, and the demo's staff by a one-time link. */
export function createLogin({ db, sessions, links, config }: Services) {
  let decoy: Promise<string> | undefined;

  /** Hash to compare an unknown account's password with, so that it takes as long as a known one's. */
  const decoyHash = () => {
    decoy ??= hashPassword('no account has this password');
    return decoy;
  };

  /** Opens a session and records it. */
  async function openWithin(tx: Transaction, userId: number, client: Client): Promise<string> {
    const actor: Actor = { userId, channel: 'panel', ip: client.ip };
    await recordAudit(tx, actor, {
      teamId: null,
      action: 'session.opened',
      subject: ['user', userId],
    });
    return sessions.open(tx, userId, client);
  }

  return {
    /**
     * Opens a session for an account after checking its password.
     *
     * @returns the secret of the session; null for a wrong password, an unknown account and one that cannot
     * log in, after the same work.
     */
    async open(email: string, password: string, client: Client): Promise<string | null> {
      const decoyed = await decoyHash();
      const login = email.trim().toLowerCase();
      const user = isEmailAddress(login) ? await db.orm.user.findUnique({ where: { email: login } }) : null;
      const isRight = await verifyPassword(user?.passwordHash ?? decoyed, password);
      if (!user?.passwordHash || !isRight) return null;
      return db.orm.$transaction(async (tx) => {
        // A password change ends all sessions, so a login with the old password must not open one after it.
        return (await lockPassword(tx, user)) ? openWithin(tx, user.id, client) : null;
      });
    },

    /**
     * Opens a session by the one-time link that `npm start` prints for the demo, and consumes it.
     *
     * @returns the secret of the session; null when the link is invalid, used or expired.
     * @throws 403 outside embedded mode.
     */
    async openByLink(token: string, client: Client): Promise<string | null> {
      if (!config.embedded) throw forbidden('Links that log in are reserved to the demo of embedded mode.');
      const link = await links.find(token, 'login');
      if (!link?.userId) return null;
      const { id, userId } = link;
      return db.orm.$transaction(async (tx) => {
        return (await links.use(tx, { id, userId })) ? openWithin(tx, userId, client) : null;
      });
    },
  };
}
