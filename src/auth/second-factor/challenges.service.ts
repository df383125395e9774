import { randomBytes } from 'node:crypto';
import type { Db, Transaction } from '../../db/client.js';
import type { Clock } from '../../lib/clock.js';
import { sha256 } from '../../lib/crypto/sha256.js';
import { lockChallenge } from './challenges.queries.js';

/** Lifetime of a challenge, in seconds: enough to install an authenticator app. */
export const CHALLENGE_TTL_S = 900;

/** A login that waits for its second step. */
export type Challenge = Readonly<{
  id: string;
  userId: number;
  email: string;
  /** Whether the account still has to set up its second factor. */
  needsEnrolment: boolean;
}>;

export type Challenges = ReturnType<typeof createChallenges>;

/**
 * Manages challenges: a right password of an account that also needs a second step. They open nothing but that step.
 */
export function createChallenges({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** Issues a challenge. @returns its secret, for the cookie. */
    async issue(tx: Transaction, userId: number): Promise<string> {
      const secret = randomBytes(32).toString('base64url');
      const createdAt = clock();
      const expiresAt = new Date(createdAt.getTime() + CHALLENGE_TTL_S * 1000);
      await tx.loginChallenge.create({
        data: { userId, secretHash: sha256(secret), createdAt, expiresAt },
      });
      return secret;
    },

    /** Finds the challenge of a secret; null when it is unknown, used or expired, or the account is disabled. */
    async find(secret: string | null): Promise<Challenge | null> {
      if (secret === null) return null;
      const row = await db.orm.loginChallenge.findFirst({
        where: { secretHash: sha256(secret), expiresAt: { gt: clock() }, user: { disabledAt: null } },
        include: { user: { include: { secondFactor: true } } },
      });
      if (!row) return null;
      const { id, userId, user } = row;
      return { id, userId, email: user.email, needsEnrolment: !user.secondFactor?.confirmedAt };
    },

    /**
     * Locks a challenge until the transaction ends, before a code is checked that this uses up.
     *
     * @returns false when another request has consumed it, or the password has changed.
     */
    lock: (tx: Transaction, { id }: Pick<Challenge, 'id'>): Promise<boolean> => lockChallenge(tx, id),

    /** Consumes a challenge that is locked. */
    async use(tx: Transaction, { id }: Pick<Challenge, 'id'>): Promise<void> {
      await tx.loginChallenge.delete({ where: { id } });
    },
  };
}
