import type { Proof } from '../captcha/providers/altcha.js';
import type { CaptchaGround } from '../generated/prisma/client.js';
import type { Database, Transaction } from '../lib/prisma.js';
import { type Idempotency, keptSince } from './idempotency.js';

/** A submission as it is recorded, complete. */
export type SubmissionRecord = Readonly<{
  id: string;
  teamId: number;
  websiteId: string;
  formId: number;
  formVersion: number;
  locale: string;
  values: object;
  undeclared: object;
  consents: object;
  pageUrl: string | null;
  pageTitle: string | null;
  pageLocale: string | null;
  /** As sent: one that no visit of this website has is as if absent. */
  visitorHash: string | null;
  captchaKey: string | null;
  captchaGround: CaptchaGround;
  needsReview: boolean;
  /** The proof of work that admits it, if one does. */
  proof: Proof | null;
  idempotency: Idempotency | null;
  /** The confirmation that is answered, to be answered again under the same key. */
  message: string;
  tokenId: number | null;
  emails: readonly string[];
  searchText: string;
  createdAt: Date;
}>;

/**
 * Records a submission together with its notification, the use of its proof of work and its idempotency key,
 * and attributes it to the visitor's first visit: one statement, so all is there or nothing is. It has been
 * committed when this resolves.
 *
 * @returns false, with nothing recorded, when the proof has admitted another submission in the meantime, or
 * the key has been answered.
 */
export async function recordSubmission(db: Database, record: SubmissionRecord): Promise<boolean> {
  if (!record.proof || !record.idempotency) return insert(db, record);
  // A key that was answered in the meantime must not cost the proof, which has been marked by then.
  return db
    .$transaction(async (tx) => {
      if (!(await insert(tx, record))) throw new NothingRecorded();
      return true;
    })
    .catch((error) => {
      if (error instanceof NothingRecorded) return false;
      throw error;
    });
}

class NothingRecorded extends Error {}

async function insert(db: Database | Transaction, record: SubmissionRecord): Promise<boolean> {
  const { proof, idempotency } = record;
  const challenge = proof && new Uint8Array(proof.challenge);
  const recorded = await db.$executeRaw`
    WITH proof AS (
      INSERT INTO used_proofs (challenge, website_id, expires_at)
      SELECT ${challenge}::bytea, ${record.websiteId}::uuid, ${proof?.expiresAt ?? null}::timestamptz
       WHERE ${challenge}::bytea IS NOT NULL
      ON CONFLICT DO NOTHING
      RETURNING challenge
    ), admitted AS (
      SELECT WHERE ${challenge}::bytea IS NULL OR EXISTS (SELECT 1 FROM proof)
    ), key AS (
      INSERT INTO idempotency_keys AS kept (
        website_id, form_id, key, body_hash, submission_id, message, created_at
      )
      SELECT
        ${record.websiteId}::uuid, ${record.formId}::int, ${idempotency?.key ?? null}::text,
        ${idempotency?.bodyHash ?? null}::bytea, ${record.id}::uuid, ${record.message},
        ${record.createdAt}::timestamptz
        FROM admitted WHERE ${idempotency?.key ?? null}::text IS NOT NULL
      ON CONFLICT (website_id, form_id, key) DO UPDATE
        SET body_hash = EXCLUDED.body_hash, submission_id = EXCLUDED.submission_id,
            message = EXCLUDED.message, created_at = EXCLUDED.created_at
        WHERE kept.created_at <= ${keptSince(record.createdAt)}::timestamptz
      RETURNING key
    ), visit AS (
      SELECT jsonb_strip_nulls(jsonb_build_object(
               'referrer', referrer, 'utm_source', utm_source, 'utm_medium', utm_medium,
               'utm_campaign', utm_campaign, 'utm_term', utm_term, 'utm_content', utm_content
             )) AS attribution
        FROM visits
       WHERE website_id = ${record.websiteId}::uuid AND visitor_hash = ${record.visitorHash}
       ORDER BY created_at LIMIT 1
    ), submission AS (
      INSERT INTO submissions (
        id, team_id, website_id, form_id, form_version, locale, "values", undeclared, consents,
        page_url, page_title, page_locale, attribution, captcha_key, captcha_ground, needs_review, token_id,
        emails, search_text, created_at
      )
      SELECT
        ${record.id}::uuid, ${record.teamId}::int, ${record.websiteId}::uuid, ${record.formId}::int,
        ${record.formVersion}::int, ${record.locale}, ${JSON.stringify(record.values)}::jsonb,
        ${JSON.stringify(record.undeclared)}::jsonb, ${JSON.stringify(record.consents)}::jsonb,
        ${record.pageUrl}, ${record.pageTitle}, ${record.pageLocale}, (SELECT attribution FROM visit),
        ${record.captchaKey}, ${record.captchaGround}::captcha_ground, ${record.needsReview}::boolean,
        ${record.tokenId}::int, ${[...record.emails]}::text[], ${record.searchText},
        ${record.createdAt}::timestamptz
        FROM admitted WHERE ${idempotency?.key ?? null}::text IS NULL OR EXISTS (SELECT 1 FROM key)
      RETURNING id
    )
    INSERT INTO notifications (submission_id) SELECT id FROM submission`;
  return recorded === 1;
}
