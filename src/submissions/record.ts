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
  tokenId: number | null;
  emails: readonly string[];
  searchText: string;
  createdAt: Date;
}>;

/**
 * Records a submission together with its notification: one statement, so both are there or neither is.
 * It has been committed when this resolves.
 */
export async function recordSubmission(db: Database, record: SubmissionRecord): Promise<void> {
  await db.$executeRaw`
    WITH submission AS (
      INSERT INTO submissions (
        id, team_id, website_id, form_id, form_version, locale, "values", undeclared, consents,
        page_url, page_title, page_locale, captcha_key, captcha_ground, needs_review, token_id,
        emails, search_text, created_at
      ) VALUES (
        ${record.id}::uuid, ${record.teamId}, ${record.websiteId}::uuid, ${record.formId},
        ${record.formVersion}, ${record.locale}, ${JSON.stringify(record.values)}::jsonb,
        ${JSON.stringify(record.undeclared)}::jsonb, ${JSON.stringify(record.consents)}::jsonb,
        ${record.pageUrl}, ${record.pageTitle}, ${record.pageLocale}, ${record.captchaKey},
        ${record.captchaGround}::captcha_ground, ${record.needsReview}, ${record.tokenId},
        ${[...record.emails]}::text[], ${record.searchText}, ${record.createdAt}
      ) RETURNING id
    )
    INSERT INTO notifications (submission_id) SELECT id FROM submission`;
}
