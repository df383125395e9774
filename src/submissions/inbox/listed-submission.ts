import { type Notification, Prisma, type Submission } from '../../generated/prisma/client.js';

/** The columns of a notification that the panel shows beside its attempts. */
export type ListedNotification = Pick<
  Notification,
  'submissionId' | 'state' | 'createdAt' | 'sentAt' | 'nextAttemptAt'
>;

type HiddenColumn = 'traceParent' | 'testRecipient' | 'signatureAgeS' | 'lastContactAt';

/** A submission of a list: its row without the columns that no page shows, and its notification. */
export type ListedSubmission = Omit<Submission, HiddenColumn> & { notification: ListedNotification | null };

/**
 * Encodes a submission `s` and its notification `n`, where there is one, as a JSON array for `readListed`.
 *
 * A value for each column of each row would be most of the work and of the garbage of a long list, and the names of
 * the columns would be a third of the JSON. One text for the whole list would be a large object to V8, which only a
 * full collection frees.
 */
export const LISTED_JSON = Prisma.raw(`json_build_array(
  s.id, s.team_id, s.website_id, s.form_id, s.form_version, s.locale, s.state, s.state_changed_at,
  s.state_changed_by_id, s."values", s.undeclared, s.consents, s.page_url, s.page_title, s.page_locale,
  s.attribution, s.captcha_key, s.captcha_ground, s.needs_review, s.token_id, s.request_id, s.emails,
  s.legal_hold_at, s.legal_hold_reason, s.created_at, s.current_form_version, n.state, n.created_at, n.sent_at, n.next_attempt_at)::text`);

const readDate = (text: string | null) => (text === null ? null : new Date(text));

/** Parses a submission that PostgreSQL has encoded with `LISTED_JSON`; both have the same order of values. */
export function readListed(json: string): ListedSubmission {
  // biome-ignore format: the lines are those of LISTED_JSON
  const [
    id, teamId, websiteId, formId, formVersion, locale, state, stateChangedAt,
    stateChangedById, values, undeclared, consents, pageUrl, pageTitle, pageLocale,
    attribution, captchaKey, captchaGround, needsReview, tokenId, requestId, emails,
    legalHoldAt, legalHoldReason, createdAt, currentFormVersion, notificationState, notificationCreatedAt, sentAt, nextAttemptAt,
  ] = JSON.parse(json);
  // biome-ignore format: the same
  return {
    id, teamId, websiteId, formId, formVersion, locale, state, stateChangedAt: readDate(stateChangedAt),
    stateChangedById, values, undeclared, consents, pageUrl, pageTitle, pageLocale,
    attribution, captchaKey, captchaGround, needsReview, tokenId, requestId, emails,
    legalHoldAt: readDate(legalHoldAt), legalHoldReason, createdAt: new Date(createdAt), currentFormVersion,
    notification: notificationState && {
      submissionId: id,
      state: notificationState,
      createdAt: new Date(notificationCreatedAt),
      sentAt: readDate(sentAt),
      nextAttemptAt: new Date(nextAttemptAt),
    },
  };
}
