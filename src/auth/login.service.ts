import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db } from '../db/client.js';
import { isEmailAddress } from '../lib/email-address.js';
import { hashPassword, verifyPassword } from './passwords.js';
import type { Client, Sessions } from './sessions.service.js';

type Services = { db: Db; sessions: Pick<Sessions, 'open'> };

export type Login = ReturnType<typeof createLogin>;

/** Logs users in to the panel with e-mail and password. */
export function createLogin({ db, sessions }: Services) {
  let decoy: Promise<string> | undefined;

  /** Hash to compare an unknown account's password with, so that it takes as long as a known one's. */
  const decoyHash = () => {
    decoy ??= hashPassword('no account has this password');
    return decoy;
  };

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
      const actor: Actor = { userId: user.id, channel: 'panel', ip: client.ip };
      return db.orm.$transaction(async (tx) => {
        // A password change ends all sessions, so a login with the old password must not open one after it.
        const [same] = await tx.$queryRaw<unknown[]>`
          SELECT 1 FROM users WHERE id = ${user.id} AND password_hash = ${user.passwordHash} FOR SHARE`;
        if (!same) return null;
        await recordAudit(tx, actor, {
          teamId: null,
          action: 'session.opened',
          subject: ['user', user.id],
        });
        return sessions.open(tx, user.id, client);
      });
    },
  };
}
