import { z } from 'zod';
import type { AccountLink, AccountLinkPurpose } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { deriveKey, equalInConstantTime, hmacSha256 } from '../lib/hmac.js';
import type { Database, Transaction } from '../lib/prisma.js';
import { defineJob } from '../queue/define-job.js';

/** Delete the links whose time is over. */
export const purgeLinksJob = defineJob('accounts-purge-links', z.object({}));

/** How long a link can be used, in seconds: people are invited before they are in the office. */
const TTL_S: Readonly<Record<AccountLinkPurpose, number>> = {
  invitation: 7 * 24 * 3600,
  password_reset: 3600,
};

/** Pages of the panel's front end; the token stands in the fragment, which browsers send to no server. */
const PAGES: Readonly<Record<AccountLinkPurpose, string>> = {
  invitation: '/panel/invitation',
  password_reset: '/panel/password',
};

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/;

type Services = { db: Database; clock: Clock; appKey: Buffer; publicUrl: string };

export type AccountLinks = ReturnType<typeof createAccountLinks>;

/** Links by which an account's password is set without knowing one: single use, sent by e-mail. */
export function createAccountLinks({ db, clock, appKey, publicUrl }: Services) {
  const key = deriveKey(appKey, 'account links');
  const signatureOf = (id: string, purpose: AccountLinkPurpose) => hmacSha256(key, `${purpose} ${id}`);

  return {
    /** Makes a link, which an e-mail then carries to the account's address. */
    async issue(
      tx: Database | Transaction,
      link: Readonly<{ userId: number; purpose: AccountLinkPurpose; teamId: number | null }>,
    ): Promise<void> {
      const now = clock();
      await tx.accountLink.create({
        data: {
          ...{ userId: link.userId, purpose: link.purpose, teamId: link.teamId, createdAt: now },
          expiresAt: new Date(now.getTime() + TTL_S[link.purpose] * 1000),
        },
      });
    },

    /** The address that a link's e-mail carries. It is the key to the account: never log it. */
    addressOf({ id, purpose }: Pick<AccountLink, 'id' | 'purpose'>): string {
      const token = `${id}.${signatureOf(id, purpose).toString('base64url')}`;
      return `${publicUrl}${PAGES[purpose]}#${token}`;
    },

    /** The link of a token; null when it is altered, for another purpose, used or expired. */
    async find(token: string, purpose: AccountLinkPurpose): Promise<AccountLink | null> {
      const [, id, signature] = TOKEN.exec(token) ?? [];
      if (!id || !signature) return null;
      const isOurs = equalInConstantTime(signatureOf(id, purpose), Buffer.from(signature, 'base64url'));
      return isOurs ? db.accountLink.findFirst({ where: { id, expiresAt: { gt: clock() } } }) : null;
    },

    /**
     * Uses a link up.
     *
     * @returns false when somebody was faster.
     */
    async use(tx: Transaction, { id, userId }: Pick<AccountLink, 'id' | 'userId'>): Promise<boolean> {
      // The account first, as whoever changes its password does, lest two wait for each other.
      await tx.$queryRaw`SELECT 1 FROM users WHERE id = ${userId} FOR UPDATE`;
      const { count } = await tx.accountLink.deleteMany({ where: { id } });
      return count > 0;
    },

    /** Ends every link of an account. */
    async forget(tx: Transaction, userId: number): Promise<void> {
      await tx.accountLink.deleteMany({ where: { userId } });
    },

    /** Deletes the links whose time is over, and returns how many. */
    async purge(): Promise<number> {
      const { count } = await db.accountLink.deleteMany({ where: { expiresAt: { lte: clock() } } });
      return count;
    },
  };
}
