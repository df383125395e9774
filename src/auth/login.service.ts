import type { Actor } from '../audit/audit.js';
import type { Config } from '../config.js';
import type { Db } from '../db/client.js';
import { lockRow } from '../db/row-lock.js';
import { forbidden } from '../errors.js';
import { isEmailAddress } from '../lib/text/email-address.js';
import type { OneTimeLinks } from './one-time-links.js';
import { hashPassword, verifyPassword } from './passwords.js';
import type { Challenge, Challenges } from './second-factor/challenges.service.js';
import type { SecondFactors } from './second-factor/second-factors.service.js';
import type { IssuedLogin, SessionIssuer } from './session-issuer.js';
import { lockPassword } from './sessions.queries.js';
import type { Client } from './sessions.service.js';

type Services = {
  db: Db;
  sessionIssuer: SessionIssuer;
  challenges: Pick<Challenges, 'lock' | 'use'>;
  secondFactors: Pick<SecondFactors, 'verifyWithin' | 'confirmWithin'>;
  links: Pick<OneTimeLinks, 'find' | 'use'>;
  config: Pick<Config, 'embedded'>;
};

/** A session that was opened while the account set up its second factor. */
export type Enrolled = Readonly<{ session: string; recoveryCodes: string[] }>;

export type Login = ReturnType<typeof createLogin>;

/**
 * Logs users in to the panel: with e-mail and password, then a second step, and the demo's staff by a one-time link.
 */
export function createLogin({ db, sessionIssuer, challenges, secondFactors, links, config }: Services) {
  let decoy: Promise<string> | undefined;

  /** Hash to compare an unknown account's password with, so that it takes as long as a known one's. */
  const decoyHash = () => {
    decoy ??= hashPassword('no account has this password');
    return decoy;
  };

  return {
    /**
     * Opens a session for an account after checking its password, or a challenge where a second step is to come.
     *
     * @returns null for a wrong password, an unknown account and one that cannot log in, after the same work.
     */
    async open(email: string, password: string, client: Client): Promise<IssuedLogin | null> {
      const decoyed = await decoyHash();
      const login = email.trim().toLowerCase();
      const user = isEmailAddress(login) ? await db.orm.user.findUnique({ where: { email: login } }) : null;
      const isRight = await verifyPassword(user?.passwordHash ?? decoyed, password);
      if (!user?.passwordHash || !isRight) return null;
      return db.orm.$transaction(async (tx) => {
        // A password change ends all sessions, so a login with the old password must not open one after it.
        return (await lockPassword(tx, user)) ? sessionIssuer.issueWithin(tx, user.id, client) : null;
      });
    },

    /**
     * Opens a session by the one-time link that `npm start` prints for the demo, and consumes it.
     *
     * @returns null when the link is invalid, used or expired.
     * @throws 403 outside embedded mode.
     */
    async openByLink(token: string, client: Client): Promise<IssuedLogin | null> {
      if (!config.embedded) throw forbidden('Links that log in are reserved to the demo of embedded mode.');
      const link = await links.find(token, 'login');
      if (!link?.userId) return null;
      const { id, userId } = link;
      return db.orm.$transaction(async (tx) => {
        return (await links.use(tx, { id, userId })) ? sessionIssuer.issueWithin(tx, userId, client) : null;
      });
    },

    /**
     * Opens a session by the second step of a login: a code of the authenticator app, or a recovery code.
     *
     * @returns the secret of the session; null when the code is wrong or used, or the challenge is over.
     */
    confirm: ({ id, userId }: Challenge, code: string, client: Client): Promise<string | null> =>
      db.orm.$transaction(async (tx) => {
        // Every change of the password locks the account, then ends its challenges.
        await lockRow(tx, 'users', userId);
        if (!(await challenges.lock(tx, { id }))) return null;
        const kind = await secondFactors.verifyWithin(tx, userId, code);
        if (!kind) return null;
        await challenges.use(tx, { id });
        return sessionIssuer.openWithin(tx, userId, client, kind);
      }),

    /**
     * Opens a session by the first code of the authenticator app that the account has to set up.
     *
     * @returns null when the code is wrong, or the challenge is over.
     */
    enrol: ({ id, userId }: Challenge, code: string, client: Client): Promise<Enrolled | null> =>
      db.orm.$transaction(async (tx) => {
        await lockRow(tx, 'users', userId);
        if (!(await challenges.lock(tx, { id }))) return null;
        const actor: Actor = { userId, channel: 'panel', ip: client.ip };
        const recoveryCodes = await secondFactors.confirmWithin(tx, userId, code, actor);
        if (!recoveryCodes) return null;
        await challenges.use(tx, { id });
        return { session: await sessionIssuer.openWithin(tx, userId, client, 'totp'), recoveryCodes };
      }),
  };
}
