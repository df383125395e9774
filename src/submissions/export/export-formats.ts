import type { SpamRule } from '../../generated/prisma/client.js';
import type { Cell } from '../../lib/text/csv.js';
import type { CompleteSubmission } from '../person/person.service.js';
import type { ExportedSubmission } from './export.service.js';

const COLUMNS = [
  'Submission',
  'Received at',
  'Website',
  'Form',
  'Language',
  'State',
  'Notification',
  'Page',
  'Captcha link',
  'Captcha ground',
  'Needs review',
];

const LAST_COLUMN = 'Other';

type Values = Record<string, unknown>;

/** Returns the CSV header: the columns of every submission, one for each field, and one for the rest. */
export const csvHeader = (fieldNames: readonly string[]): string[] => [
  ...COLUMNS,
  ...fieldNames,
  LAST_COLUMN,
];

function cell(value: unknown): Cell {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'number' || typeof value === 'object' ? value : String(value);
}

function textOf(value: unknown): string {
  const written = cell(value);
  return typeof written === 'object' ? JSON.stringify(written) : String(written);
}

/**
 * Creates the function that maps a submission to a CSV record.
 *
 * Values without a column, which are undeclared or belong to a deleted field, go to the last column as JSON.
 */
export const csvRecordOf = (fieldNames: readonly string[]) => {
  const hasColumn = new Set(fieldNames);
  return (submission: ExportedSubmission): Cell[] => {
    const values = submission.values as Values;
    const gone = Object.entries(values).filter(([name]) => !hasColumn.has(name));
    const rest = [...gone, ...Object.entries(submission.undeclared as Values)];
    return [
      submission.id,
      submission.createdAt.toISOString(),
      submission.website.host,
      submission.form.slug,
      submission.locale,
      submission.state,
      submission.notification?.state ?? '',
      submission.pageUrl ?? '',
      submission.captchaKey ?? '',
      submission.captchaGround,
      String(submission.needsReview),
      ...fieldNames.map((name) => (Object.hasOwn(values, name) ? cell(values[name]) : '')),
      rest.length > 0 ? Object.fromEntries(rest) : '',
    ];
  };
};

type Row = Omit<ExportedSubmission, 'notification'>;

const recorded = (submission: Row) => ({
  id: submission.id,
  created_at: submission.createdAt,
  team_id: submission.teamId,
  website: { id: submission.websiteId, host: submission.website.host },
  form: { id: submission.formId, slug: submission.form.slug, version: submission.formVersion },
  locale: submission.locale,
  state: submission.state,
  state_changed_at: submission.stateChangedAt,
  values: submission.values,
  undeclared: submission.undeclared,
  consents: submission.consents,
  emails: submission.emails,
  page: { url: submission.pageUrl, title: submission.pageTitle, locale: submission.pageLocale },
  attribution: submission.attribution,
  captcha: {
    link: submission.captchaKey,
    ground: submission.captchaGround,
    needs_review: submission.needsReview,
  },
  token_id: submission.tokenId,
  request_id: submission.requestId,
});

/** Maps a submission to a record of NDJSON. */
export const jsonRecord = (submission: ExportedSubmission): object => ({
  ...recorded(submission),
  notification: submission.notification && { state: submission.notification.state },
});

type Attempt = NonNullable<CompleteSubmission['notification']>['attemptLog'][number];

const attemptRecord = (attempt: Omit<Attempt, 'submissionId'>) => ({
  number: attempt.number,
  outcome: attempt.outcome,
  smtp_code: attempt.smtpCode,
  detail: attempt.detail,
  answers: attempt.answers,
  recipients: attempt.recipients,
  started_at: attempt.startedAt,
  finished_at: attempt.finishedAt,
});

/** Maps a submission with everything that the database keeps about it to a record of NDJSON. */
export const completeJsonRecord = (submission: CompleteSubmission): object => ({
  ...recorded(submission),
  // That there is a hold, not its reason, which may be about a dispute with the person who asks.
  legal_hold: submission.legalHoldAt && { since: submission.legalHoldAt },
  spam_verdict: submission.spamVerdict && {
    score: submission.spamVerdict.score,
    threshold: submission.spamVerdict.threshold,
    filter: submission.spamVerdict.filter,
    judged_at: submission.spamVerdict.judgedAt,
    reasons: submission.spamVerdict.reasons,
  },
  spam_sample: submission.spamSample && {
    is_spam: submission.spamSample.isSpam,
    taught_at: submission.spamSample.taughtAt,
  },
  notes: submission.notes.map(({ text, createdAt, author }) => ({
    text,
    created_at: createdAt,
    author: author?.name || null,
  })),
  notification: submission.notification && {
    state: submission.notification.state,
    sent_at: submission.notification.sentAt,
    attempts: submission.notification.attemptLog.map(attemptRecord),
  },
  requested_emails: submission.requestedEmails.map((email) => ({
    kind: email.kind,
    state: email.state,
    sent_at: email.sentAt,
    created_at: email.createdAt,
    requested_by: email.requestedBy?.name || null,
    recipients: email.recipients,
    note: email.note,
    attempts: email.attemptLog.map(attemptRecord),
  })),
  bounces: submission.bounces.map(({ address, kind, status, detail, reportedAt }) => ({
    address,
    kind,
    status,
    detail,
    reported_at: reportedAt,
  })),
  webhooks: submission.webhookDeliveries.map(({ id, type, state, createdAt, host, attemptLog }) => ({
    id,
    type,
    host,
    state,
    created_at: createdAt,
    attempts: attemptLog.map(({ number, status, fault, startedAt, durationMs }) => ({
      number,
      status,
      fault,
      started_at: startedAt,
      duration_ms: durationMs,
    })),
  })),
});

/** Maps a rule about spam that names a person to a record of NDJSON. */
export const spamRuleJsonRecord = ({ teamId, kind, value, createdAt }: SpamRule): object => ({
  team_id: teamId,
  spam_rule: { kind, value, created_at: createdAt },
});
