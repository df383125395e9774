import { type Notification, Prisma, type Submission } from '../generated/prisma/client.js';

/** What is shown of a notification beside its attempts. */
export type ListedNotification = Pick<
  Notification,
  'submissionId' | 'state' | 'createdAt' | 'sentAt' | 'nextAttemptAt'
>;

/** A submission as lists have it: everything of its row but what only the search looks into. */
export type ListedSubmission = Submission & { notification: ListedNotification | null };

/**
 * The columns of a row `s` of submissions and of `n` of notifications, where there is one, as arguments of
 * json_build_object, for `readListed`. A value for each column of each row would be most of the work and of the
 * garbage of a long list. A text of the whole list would be a large object to V8, which only a collection of the
 * whole heap frees.
 */
export const LISTED_COLUMNS = Prisma.raw(`
  'id', s.id, 'teamId', s.team_id, 'websiteId', s.website_id, 'formId', s.form_id,
  'formVersion', s.form_version, 'locale', s.locale, 'state', s.state,
  'stateChangedAt', s.state_changed_at, 'stateChangedById', s.state_changed_by_id,
  'values', s."values", 'undeclared', s.undeclared, 'consents', s.consents,
  'pageUrl', s.page_url, 'pageTitle', s.page_title, 'pageLocale', s.page_locale,
  'attribution', s.attribution, 'captchaKey', s.captcha_key, 'captchaGround', s.captcha_ground,
  'needsReview', s.needs_review, 'tokenId', s.token_id, 'emails', s.emails, 'createdAt', s.created_at,
  'notification', CASE WHEN n.submission_id IS NOT NULL THEN json_build_object(
    'submissionId', n.submission_id, 'state', n.state, 'createdAt', n.created_at, 'sentAt', n.sent_at,
    'nextAttemptAt', n.next_attempt_at) END`);

function readNotification(notification: ListedNotification): void {
  notification.createdAt = new Date(notification.createdAt);
  notification.sentAt &&= new Date(notification.sentAt);
  notification.nextAttemptAt = new Date(notification.nextAttemptAt);
}

/** A submission as PostgreSQL has written it: `LISTED_COLUMNS`, and perhaps others beside them. */
export type ListedJson = Readonly<{ json: string }>;

export function readListed<Row extends ListedSubmission>({ json }: ListedJson): Row {
  const row = JSON.parse(json) as Row;
  row.createdAt = new Date(row.createdAt);
  row.stateChangedAt &&= new Date(row.stateChangedAt);
  if (row.notification) readNotification(row.notification);
  return row;
}
