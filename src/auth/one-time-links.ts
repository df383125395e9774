import { z } from 'zod';
import { type Actor, recordAudit } from '../audit/audit.js';
import type { Db, Transaction } from '../db/client.js';
import { lockRow } from '../db/row-lock.js';
import { invalid } from '../errors.js';
import type { OneTimeLink, OneTimeLinkPurpose, PanelLanguage } from '../generated/prisma/client.js';
import type { Clock } from '../lib/clock.js';
import { equalInConstantTime, hmacSha256 } from '../lib/crypto/hmac.js';
import type { Keyring } from '../lib/crypto/keyring.js';
import { defineJob } from '../queue/define-job.js';

/** Job that deletes the expired one-time links. */
export const purgeLinksJob = defineJob('accounts-purge-links', z.object({}));

/** What a link does. The notice of a changed address carries none. */
type LinkPurpose = Exclude<OneTimeLinkPurpose, 'email_change_notice'>;

/**
 * Lifetime of a link, in seconds; an invitation's is longer, because it may wait until its reader is in the office. The
 * e-mail is retried for as long.
 */
const TTL_S: Readonly<Record<OneTimeLinkPurpose, number>> = {
  invitation: 7 * 24 * 3600,
  password_reset: 3600,
  email_change: 3600,
  email_change_notice: 7 * 24 * 3600,
  login: 3600,
};

/** Period in seconds in which a reset link is fresh: another request sends no other link. */
const FRESH_S = 15 * 60;

/** Pages of the panel; the token is in the fragment, which browsers send to no server. */
const PAGES: Readonly<Record<LinkPurpose, string>> = {
  invitation: '/panel/invitation',
  password_reset: '/panel/reset',
  email_change: '/panel/email',
  login: '/panel/login',
};

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([\w-]{43})$/;

type Services = { db: Db; clock: Clock; keyring: Pick<Keyring, 'derive'>; publicUrl: string };

export type OneTimeLinks = ReturnType<typeof createOneTimeLinks>;

/** Manages one-time links. E-mails carry them to set a new password or address, or to answer an invitation. */
export function createOneTimeLinks({ db, clock, keyring, publicUrl }: Services) {
  const keys = keyring.derive('account links');
  const signatureOf = (key: Buffer, id: string, purpose: LinkPurpose) => hmacSha256(key, `${purpose} ${id}`);

  /** Computes the lifetime of a link issued now. */
  function lifetimeOf(purpose: OneTimeLinkPurpose): Pick<OneTimeLink, 'createdAt' | 'expiresAt'> {
    const createdAt = clock();
    return { createdAt, expiresAt: new Date(createdAt.getTime() + TTL_S[purpose] * 1000) };
  }

  return {
    lifetimeOf,

    /**
     * Issues a reset link, which an e-mail then carries to the account, unless the account has a fresh one whose
     * e-mail has not failed. Earlier links stay valid, because the requester is not known to be the owner.
     *
     * @param language That of the page on which it was requested.
     * @returns whether it issued a link.
     */
    async issueReset(
      tx: Transaction,
      userId: number,
      language: PanelLanguage | null = null,
    ): Promise<boolean> {
      await lockRow(tx, 'users', userId);
      const { createdAt, expiresAt } = lifetimeOf('password_reset');
      const freshSince = new Date(createdAt.getTime() - FRESH_S * 1000);
      const fresh = await tx.oneTimeLink.count({
        where: {
          userId,
          purpose: 'password_reset',
          createdAt: { gt: freshSince },
          state: { not: 'failed' },
        },
      });
      if (fresh > 0) return false;
      await tx.oneTimeLink.create({
        data: { userId, purpose: 'password_reset', language, createdAt, expiresAt },
      });
      return true;
    },

    /**
     * Issues a link that gives an account another address, which an e-mail then carries to that address, in place of an
     * earlier one, and records that in the audit trail.
     *
     * @throws 422 when the account has this address already.
     */
    async issueEmailChange(tx: Transaction, userId: number, email: string, actor: Actor): Promise<void> {
      await lockRow(tx, 'users', userId);
      const isItsOwn = await tx.user.findFirst({ where: { id: userId, email }, select: { id: true } });
      if (isItsOwn) throw invalid({ email: ['is the address of this account already'] });
      await tx.oneTimeLink.deleteMany({ where: { userId, purpose: 'email_change' } });
      await tx.oneTimeLink.create({
        data: { userId, email, purpose: 'email_change', ...lifetimeOf('email_change') },
      });
      await recordAudit(tx, actor, {
        teamId: null,
        action: 'user.email_change_requested',
        subject: ['user', userId],
        detail: { email },
      });
    },

    /** Queues an e-mail that tells an account's former address that the account has another one. */
    async issueEmailChangeNotice(tx: Transaction, userId: number, formerEmail: string): Promise<void> {
      const purpose = 'email_change_notice';
      await tx.oneTimeLink.create({ data: { userId, email: formerEmail, purpose, ...lifetimeOf(purpose) } });
    },

    /** Issues a link that logs in to an account, in place of an earlier one. No e-mail carries it. */
    async issueLogin(tx: Transaction, userId: number): Promise<OneTimeLink> {
      await tx.oneTimeLink.deleteMany({ where: { userId, purpose: 'login' } });
      const data = { userId, purpose: 'login', state: 'sent', ...lifetimeOf('login') } as const;
      return tx.oneTimeLink.create({ data });
    },

    /**
     * Builds the URL of a link. The URL gives access to the account: never log it.
     *
     * @throws for a notice, which has no link.
     */
    addressOf({ id, purpose }: Pick<OneTimeLink, 'id' | 'purpose'>): string {
      if (purpose === 'email_change_notice') throw new Error('A notice has no link.');
      const token = `${id}.${signatureOf(keys.issuing(), id, purpose).toString('base64url')}`;
      return `${publicUrl}${PAGES[purpose]}#${token}`;
    },

    /** Finds the link of a token; null when the token is altered, for another purpose, used or expired. */
    async find(token: string, purpose: LinkPurpose): Promise<OneTimeLink | null> {
      const [, id, signature] = TOKEN.exec(token) ?? [];
      if (!id || !signature) return null;
      const given = Buffer.from(signature, 'base64url');
      const isOurs = keys.accepted.some((key) => equalInConstantTime(signatureOf(key, id, purpose), given));
      return isOurs
        ? db.orm.oneTimeLink.findFirst({ where: { id, purpose, expiresAt: { gt: clock() } } })
        : null;
    },

    /**
     * Consumes a link of an account.
     *
     * @returns false when another request was faster.
     */
    async use(tx: Transaction, { id, userId }: Readonly<{ id: string; userId: number }>): Promise<boolean> {
      // Lock the account first, as every change of its password and address does, to avoid a deadlock.
      await lockRow(tx, 'users', userId);
      const { count } = await tx.oneTimeLink.deleteMany({ where: { id } });
      return count > 0;
    },

    /**
     * Deletes the links that would give an account another password or address. After a change of either, a stranger
     * may have requested them.
     */
    async deleteChangeLinks(tx: Transaction, userId: number): Promise<void> {
      await tx.oneTimeLink.deleteMany({
        where: { userId, purpose: { in: ['password_reset', 'email_change'] } },
      });
    },

    /** Deletes the expired links, and returns how many. */
    async purge(): Promise<number> {
      const { count } = await db.orm.oneTimeLink.deleteMany({ where: { expiresAt: { lte: clock() } } });
      return count;
    },
  };
}
