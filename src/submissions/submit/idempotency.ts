import { z } from 'zod';
import type { Db } from '../../db/client.js';
import { isDatabaseAway } from '../../db/database-errors.js';
import { invalid } from '../../errors.js';
import { bodyFault } from '../../forms/validation/submission-body.js';
import type { Clock } from '../../lib/clock.js';
import { sha256 } from '../../lib/crypto/sha256.js';
import { DAY_MS } from '../../lib/durations.js';
import { defineJob } from '../../queue/define-job.js';

/** How long a key repeats its first result, in milliseconds. */
export const KEPT_MS = DAY_MS;

/** The answer to a submission that was recorded. */
export type SubmissionResult = Readonly<{ success: true; message: string; lead_id: string }>;

/** An `Idempotency-Key` with its sender and the hash of its body. */
export type Idempotency = Readonly<{
  /** The key as stored: prefixed with the token, so that each token and the visitors have a namespace of their own. */
  key: string;
  bodyHash: Uint8Array<ArrayBuffer>;
}>;

/** Job that deletes expired keys. */
export const purgeKeysJob = defineJob('submissions-purge-keys', z.object({}));

/** Returns the moment before which keys have expired. */
const keptSince = (now: Date): Date => new Date(now.getTime() - KEPT_MS);

/**
 * Reads the `Idempotency-Key` header of a submission and hashes the body.
 *
 * Two bodies are the same when they have the same JSON in the same order. The token of a captcha fallback is
 * ignored, because it changes from one attempt to the next.
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
  // No accepted header has a tab, so a visitor cannot send the key of a token.
  const key = tokenId === null ? header : `${tokenId}\t${header}`;
  return { key, bodyHash: sha256(text) };
}

/**
 * Finds the answer that the same sender got under a key before.
 *
 * @returns null when there is none, or it is older than 24 hours.
 * @throws 422 when the key was used with another body.
 */
async function findAnswered(
  db: Db,
  { websiteId, formId }: { websiteId: string; formId: number },
  { key, bodyHash }: Idempotency,
  now: Date,
): Promise<{ submissionId: string; message: string } | null> {
  const answered = await db.orm.idempotencyKey.findFirst({
    where: {
      websiteId,
      formId,
      key,
      createdAt: { gt: keptSince(now) },
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

/** Creates the idempotency of submissions: all requests of one key get the same answer. */
export function createIdempotency({ db, clock }: { db: Db; clock: Clock }) {
  /** The first request in flight of each website, form and key. */
  const firsts = new Map<string, Readonly<{ bodyHash: Uint8Array; result: Promise<SubmissionResult> }>>();

  /**
   * Coalesces concurrent requests of one key: repeats wait for the first and get its result.
   *
   * On its own, each repeat would take a unit of the budget before it found the key used. If the first request had
   * another body or failed, each does its own work.
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
     * Returns the first result of the request's key; only when there is none does the work run.
     *
     * A client that retries because the answer was lost needs no fresh captcha.
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
          // Another read would wait as long again.
          if (isDatabaseAway(error)) throw error;
          // Another process may have handled the same request at once, and taken the key and the captcha.
          const answered = await findFirst();
          if (answered) return answered;
          throw error;
        }
      });
    },
  };
}

/** Deletes the expired keys, and returns how many. */
export async function purgeKeys(db: Db, now: Date): Promise<number> {
  const { count } = await db.orm.idempotencyKey.deleteMany({ where: { createdAt: { lte: keptSince(now) } } });
  return count;
}
