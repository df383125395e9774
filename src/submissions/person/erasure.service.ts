import { v7 as uuid } from 'uuid';
import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import { retryTransaction } from '../../db/transaction-retry.js';
import type { Clock } from '../../lib/clock.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { deleteSubmissionsOf, maskVisits, type VisitPosition } from './erasure.queries.js';
import {
  type ErasureCounts,
  generateReceiptKey,
  hashAddress,
  NOTHING_ERASED,
  sealOf,
} from './erasure-receipt.js';
import type { StoredReceipt } from './erasure-receipts.queries.js';
import { countByWebsite, countPersonalData, type PersonalData, type WebsiteCount } from './person.queries.js';

/** Submissions that one statement deletes, which bounds how long each statement takes. */
const BATCH_SIZE = 500;

/** Submissions that a preview of an erasure counts exactly. */
const COUNTED_EXACTLY = 10_000;

/** What an erasure would delete now. */
export type ErasurePreview = PersonalData & Readonly<{ isExact: boolean; websites: WebsiteCount[] }>;

function sum<T extends Readonly<Record<string, number>>>(
  counts: T,
  more: Readonly<Record<string, number>>,
): T {
  const sums = Object.entries(more).map(([key, count]) => [key, (counts[key] ?? 0) + count]);
  return { ...counts, ...Object.fromEntries(sums) };
}

export type Erasures = ReturnType<typeof createErasures>;

/** Erases a team's data about one person, identified by e-mail address (GDPR, article 17), against a receipt. */
export function createErasures({ db, cipher, clock }: { db: Db; cipher: Cipher; clock: Clock }) {
  /** Opens a receipt before anything is deleted, so that an erasure that breaks off has one too. */
  async function openReceipt(teamId: number, email: string, { userId }: Actor): Promise<StoredReceipt> {
    const id = uuid();
    const keyCipher = generateReceiptKey(cipher, id);
    const account = userId === null ? null : await db.orm.user.findUnique({ where: { id: userId } });
    const receipt = {
      id,
      teamId,
      keyCipher,
      erasedById: userId,
      erasedByName: account?.name ?? null,
      addressHash: hashAddress(cipher, { id, keyCipher }, email),
      startedAt: clock(),
      counts: NOTHING_ERASED,
      websites: {},
      seal: null,
      finishedAt: null,
    };
    await db.orm.erasureReceipt.create({ data: receipt });
    return receipt;
  }

  /**
   * Deletes the submissions and rules about spam, each portion in a transaction with its share of the receipt and an
   * audit event.
   */
  async function eraseSubmissions(
    receipt: StoredReceipt,
    email: string,
    actor: Actor,
  ): Promise<StoredReceipt> {
    const { id, teamId } = receipt;
    for (let current = receipt; ; ) {
      const erasePortion = async (tx: Transaction) => {
        const portion = await deleteSubmissionsOf(tx, { teamId, email, limit: BATCH_SIZE });
        const counts = sum(current.counts, portion.counts);
        const websites = sum(current.websites, portion.websites);
        const { submissions } = portion.counts;
        if (submissions > 0 || current.counts.submissions === 0) {
          await tx.erasureReceipt.update({ where: { id }, data: { counts, websites } });
          await recordAudit(tx, actor, {
            teamId,
            action: 'address.erased',
            subject: ['team', teamId],
            detail: { submissions, receipt: id },
          });
        }
        return [{ ...current, counts, websites }, submissions] as const;
      };
      const [next, deleted] = await retryTransaction(() => db.orm.$transaction(erasePortion));
      if (deleted < BATCH_SIZE) return next;
      current = next;
    }
  }

  /** Masks the address in the visits of the team's websites. @returns how many had it. */
  async function maskVisitsOf(teamId: number, email: string): Promise<number> {
    const websites = await db.orm.website.findMany({ where: { teamId }, select: { id: true } });
    let masked = 0;
    for (const { id: websiteId } of websites) {
      let after: VisitPosition | null | undefined;
      while (after !== null) {
        const portion = await maskVisits(db, { websiteId, email }, after);
        masked += portion.masked;
        after = portion.next;
      }
    }
    return masked;
  }

  return {
    /** Counts what `erase` would delete. */
    async preview(teamId: number, email: string): Promise<ErasurePreview> {
      const person = { teamId, email, limit: COUNTED_EXACTLY + 1 };
      const [counts, websites] = await Promise.all([
        countPersonalData(db, person),
        countByWebsite(db, person),
      ]);
      return { ...counts, websites, isExact: counts.submissions + counts.held <= COUNTED_EXACTLY };
    },

    /**
     * Deletes a team's submissions that have an address in an e-mail field, except those under legal hold, and its
     * rules about spam that name the address, which it masks in the visits of its websites.
     *
     * Whatever else is about a submission goes with it, what webhooks were told and the spam filter was taught
     * included; the receipt counts it. Audit events and receipt have numbers but not the address, which would outlive
     * its own erasure there.
     *
     * @returns the receipt.
     */
    async erase(teamId: number, email: string, actor: Actor): Promise<StoredReceipt> {
      const opened = await openReceipt(teamId, email, actor);
      const erased = await eraseSubmissions(opened, email, actor);
      const visits = await maskVisitsOf(teamId, email);
      const { held } = await countPersonalData(db, { teamId, email, limit: COUNTED_EXACTLY + 1 });
      const counts: ErasureCounts = { ...erased.counts, visits, held };
      const complete = { ...erased, counts, finishedAt: clock() };
      const seal = sealOf(cipher, complete);
      await db.orm.erasureReceipt.update({
        where: { id: opened.id },
        data: { counts, finishedAt: complete.finishedAt, seal },
      });
      return { ...complete, seal };
    },
  };
}
