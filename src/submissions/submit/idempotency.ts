import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Database, isDatabaseAway } from '../../db/client.js';
import { invalid } from '../../errors.js';
import { bodyFault } from '../../forms/validation/submission-body.js';
import type { Clock } from '../../lib/clock.js';
import { defineJob } from '../../queue/define-job.js';

/** How long a key answers its first result again. */
export const KEPT_MS = 24 * 3_600_000;

/** The answer to a submission that was recorded (interface 2.5). */
export type SubmissionResult = Readonly<{ success: true; message: string; lead_id: string }>;

/** An `Idempotency-Key` with what was sent under it. */
export type Idempotency = Readonly<{
  /** As it is kept, apart for visitors and each token. */
  key: string;
  /** As it was sent. */
  sent: string;
  /** The token that sent it; null for a visitor. */
  tokenId: number | null;
  bodyHash: Uint8Array<ArrayBuffer>;
}>;

/** Forget the keys whose time is over. */
export const purgeKeysJob = defineJob('submissions-purge-keys', z.object({}));

/** Keys from before this moment count no more. */
const keptSince = (now: Date): Date => new Date(now.getTime() - KEPT_MS);

/**
 * Reads the `Idempotency-Key` header of a submission. Two bodies are the same when they say the same, in the
 * same order; the token of a captcha fallback, which changes from one attempt to the next, does not count.
 *
 * @returns null when there is none, or the body is of a shape that is never recorded.
 * @throws 422 unless it is 1 to 255 printable ASCII characters.
 */
export function readIdempotency(
  header: string | undefined,
  body: object,
  tokenId: number | null,
): Idempotency | null {
  if (header === undefined) return null;
  if (!/^[ -~]{1,255}$/.test(header)) {
    throw invalid({ 'Idempotency-Key': ['Must be 1 to 255 printable ASCII characters.'] });
  }
  if (bodyFault(body)) return null;
  const text = JSON.stringify({ ...body, captcha_fallback: undefined });
  // A tab is in no key that is sent, so a visitor cannot name that of a token.
  const key = tokenId === null ? header : `${tokenId}\t${header}`;
  return { key, sent: header, tokenId, bodyHash: new Uint8Array(createHash('sha256').update(text).digest()) };
}

/**
 * What was answered under a key before, to the same sender.
 *
 * @returns null when nothing was, or longer than 24 hours ago.
 * @throws 422 when it was another body that was answered.
 */
async function findAnswered(
  db: Database,
  { websiteId, formId }: { websiteId: string; formId: number },
  { key, sent, tokenId, bodyHash }: Idempotency,
  now: Date,
): Promise<{ submissionId: string; message: string } | null> {
  const answered = await db.idempotencyKey.findFirst({
    where: {
      websiteId,
      formId,
      // Versions before this one keep the key of a token as it was sent.
      key: { in: [key, sent] },
      createdAt: { gt: keptSince(now) },
      submission: { tokenId },
    },
  });
  if (!answered) return null;
  if (Buffer.compare(answered.bodyHash, bodyHash) !== 0) {
    throw invalid({ 'Idempotency-Key': ['This key was used with another body.'] });
  }
  return answered;
}

/** A key on a website and form; null: the request carries none. */
type Scope = Readonly<{ websiteId: string; formId: number; key: Idempotency | null }>;

/** Creates what answers the requests of one idempotency key alike. */
export function createIdempotency({ db, clock }: { db: Database; clock: Clock }) {
  /** The first request in flight of each website, form and key. */
  const firsts = new Map<string, Readonly<{ bodyHash: Uint8Array; result: Promise<SubmissionResult> }>>();

  /**
   * Lets concurrent requests of one key wait for the first, and answers those that repeat it with its result: each
   * would take a unit of the budget until it finds that out. After another body, or a first that failed, each does its
   * own work.
   */
  async function singleflight(
    id: string,
    bodyHash: Uint8Array,
    work: () => Promise<SubmissionResult>,
  ): Promise<SubmissionResult> {
    const first = firsts.get(id);
    if (first) {
      const result = await first.result.catch((error) => {
        if (isDatabaseAway(error)) throw error;
        return null;
      });
      return result && Buffer.compare(first.bodyHash, bodyHash) === 0 ? result : work();
    }
    const result = work();
    firsts.set(id, { bodyHash, result });
    try {
      return await result;
    } finally {
      firsts.delete(id);
    }
  }

  return {
    /**
     * Answers a request with the first result of its key; only when there is none does the work. A client that repeats
     * a request because the answer was lost needs no fresh captcha.
     *
     * @throws 422 when the key was used with another body; otherwise what the work throws.
     */
    async once(
      { websiteId, formId, key }: Scope,
      work: () => Promise<SubmissionResult>,
    ): Promise<SubmissionResult> {
      if (!key) return work();
      const findFirst = async (): Promise<SubmissionResult | null> => {
        const answered = await findAnswered(db, { websiteId, formId }, key, clock());
        return answered && { success: true, message: answered.message, lead_id: answered.submissionId };
      };
      return singleflight(`${websiteId} ${formId} ${key.key}`, key.bodyHash, async () => {
        try {
          return (await findFirst()) ?? (await work());
        } catch (error) {
          // Another look would take as long again.
          if (isDatabaseAway(error)) throw error;
          // The same request may have come to two processes at once: the other one has taken the key, and the captcha.
          const answered = await findFirst();
          if (answered) return answered;
          throw error;
        }
      });
    },
  };
}

/** Deletes the keys whose time is over, and returns how many. */
export async function purgeKeys(db: Database, now: Date): Promise<number> {
  const { count } = await db.idempotencyKey.deleteMany({ where: { createdAt: { lte: keptSince(now) } } });
  return count;
}
