import type { Proof } from '../captcha/providers/altcha.js';
import type { CaptchaGround } from '../generated/prisma/client.js';
import type { Database } from '../lib/prisma.js';

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
  captchaKey: string | null;
  captchaGround: CaptchaGround;
  needsReview: boolean;
  /** The proof of work that admits it, if one does. */
  proof: Proof | null;
  tokenId: number | null;
  emails: readonly string[];
  searchText: string;
  createdAt: Date;
}>;

/**
 * Records a submission together with its notification and the use of its proof of work: one statement, so
 * all are there or none is. It has been committed when this resolves.
 *
 * @returns false, with nothing recorded, when the proof has admitted another submission in the meantime.
 */
export async function recordSubmission(db: Database, record: SubmissionRecord): Promise<boolean> {
  const { proof } = record;
  const challenge = proof && new Uint8Array(proof.challenge);
  const recorded = await db.$executeRaw`
    WITH proof AS (
      INSERT INTO used_proofs (challenge, website_id, expires_at)
      SELECT ${challenge}::bytea, ${record.websiteId}::uuid, ${proof?.expiresAt ?? null}::timestamptz
       WHERE ${challenge}::bytea IS NOT NULL
      ON CONFLICT DO NOTHING
      RETURNING challenge
    ), submission AS (
      INSERT INTO submissions (
        id, team_id, website_id, form_id, form_version, locale, "values", undeclared, consents,
        page_url, page_title, page_locale, captcha_key, captcha_ground, needs_review, token_id,
        emails, search_text, created_at
      )
      SELECT
        ${record.id}::uuid, ${record.teamId}::int, ${record.websiteId}::uuid, ${record.formId}::int,
        ${record.formVersion}::int, ${record.locale}, ${JSON.stringify(record.values)}::jsonb,
        ${JSON.stringify(record.undeclared)}::jsonb, ${JSON.stringify(record.consents)}::jsonb,
        ${record.pageUrl}, ${record.pageTitle}, ${record.pageLocale}, ${record.captchaKey},
        ${record.captchaGround}::captcha_ground, ${record.needsReview}::boolean, ${record.tokenId}::int,
        ${[...record.emails]}::text[], ${record.searchText}, ${record.createdAt}::timestamptz
       WHERE ${challenge}::bytea IS NULL OR EXISTS (SELECT 1 FROM proof)
      RETURNING id
    )
    INSERT INTO notifications (submission_id) SELECT id FROM submission`;
  return recorded === 1;
}
