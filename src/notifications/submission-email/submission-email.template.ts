import { formatTime } from '../../lib/local-time.js';
import { isEmailAddress } from '../../lib/text/email-address.js';
import { readableHost } from '../../lib/text/readable-host.js';
import { printable, singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import { type EmailPage, type EmailRow, type EmailSection, linkRow, renderHtml } from '../email.html.js';
import { renderText } from '../email.text.js';
import { type SubmissionEmailWords, wordsFor } from './submission-email.words.js';

/** A declared field as the recipient reads it: label and choices already in the website's language. */
export interface SubmissionEmailField {
  label: string;
  /** The form's field type, such as `email` or `consent`; `text` where it no longer has the field. */
  type: string;
  value: string | number | boolean | readonly string[];
}

/** The content of a submission's notification e-mail. */
export interface SubmissionEmail {
  leadId: string;
  createdAt: Date;
  website: { name: string; host: string; locale: string; timeZone: string };
  form: { name: string };
  /** The fields, in the order of the form. */
  fields: readonly SubmissionEmailField[];
  /** Values that the request has beyond the form's fields: any JSON. */
  undeclared: Record<string, unknown>;
  page: { url: string | null; title: string | null } | null;
  /** The first visit: its `referrer`, and its `utm_*` values by name; null when it is not known. */
  attribution: Readonly<Record<string, string>> | null;
  /** Whether the submission was accepted without a captcha verdict. */
  needsReview: boolean;
  recipients: readonly string[];
  /**
   * Makes it another message: its own id and date, and when the submission is forwarded, by whom and with what note.
   */
  request?: Readonly<{
    id: string;
    at: Date;
    forwarded: Readonly<{ by: string | null; note: string | null }> | null;
  }> | null;
}

/**
 * Renders the notification e-mail of a submission, in the website's language and time zone.
 *
 * The function is pure: the same submission gives the same message. No value is cut. Line ends become a newline and
 * control characters U+FFFD; a value in a header is one line.
 */
export function renderSubmissionEmail(submission: SubmissionEmail): MailMessage {
  const { website, form, request } = submission;
  const words = wordsFor(website.locale);
  const forwarded = request?.forwarded;
  const host = singleLine(readableHost(website.host));
  const name = singleLine(form.name);
  const subject = singleLine(`${forwarded ? 'Fwd: ' : ''}${words.subject(form.name, website.name)}`);
  const page: EmailPage = {
    language: words.language,
    title: subject,
    introduction: forwarded
      ? words.forwarded(singleLine(forwarded.by ?? website.name), name, host)
      : words.introduction(name, host),
    warning: submission.needsReview ? words.needsReview : null,
    sections: sectionsOf(submission, words),
  };
  return {
    id: request?.id ?? submission.leadId,
    date: request?.at ?? submission.createdAt,
    to: submission.recipients,
    replyTo: replyToOf(submission.fields),
    subject,
    text: renderText(page, { heading: (title) => `--- ${title} ---`, row: textRow }),
    html: renderHtml(page),
  };
}

/** Returns the visitor's address: the first valid value of an `email` field. */
function replyToOf(fields: readonly SubmissionEmailField[]): string | null {
  const values = fields.filter((field) => field.type === 'email').flatMap((field) => field.value);
  const isAddress = (value: unknown): value is string => typeof value === 'string' && isEmailAddress(value);
  return values.find(isAddress) ?? null;
}

function sectionsOf(submission: SubmissionEmail, words: SubmissionEmailWords): EmailSection[] {
  const declared = submission.fields.flatMap(({ label, value, type }): EmailRow[] => {
    const name = singleLine(label);
    if (type !== 'url') return [{ label: name, value: displayed(value, words) }];
    // Each address has a row of its own, because a row is one link.
    return [value].flat().map((address) => linkRow(name, displayed(address, words)));
  });
  const undeclared = Object.entries(submission.undeclared).map(([name, value]) => ({
    label: singleLine(name),
    value: printable(typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
  }));
  const note = submission.request?.forwarded?.note;
  const noted = note ? [{ label: words.note, value: printable(note) }] : [];
  return [
    { title: null, note: null, rows: noted },
    { title: null, note: null, rows: declared },
    { title: words.undeclaredTitle, note: words.undeclaredNote, rows: undeclared },
    { title: words.aboutTitle, note: null, rows: aboutRows(submission, words) },
  ].filter((section) => section.rows.length > 0);
}

function aboutRows(submission: SubmissionEmail, words: SubmissionEmailWords): EmailSection['rows'] {
  const { website, form, page } = submission;
  const { referrer, ...utm } = submission.attribution ?? {};
  const campaign = Object.entries(utm).map(([name, value]) => `${name}=${value}`);
  const rows = [
    { label: words.receivedAt, value: formatTime(submission.createdAt, website.timeZone, words.language) },
    { label: words.website, value: `${website.name} (${readableHost(website.host)})` },
    { label: words.form, value: form.name },
    { label: words.page, value: page?.title },
    { label: words.address, value: page?.url, url: page?.url },
    { label: words.referrer, value: referrer, url: referrer },
    { label: words.campaign, value: campaign.join(', ') },
    { label: words.reference, value: submission.leadId },
  ];
  return rows.flatMap(({ label, value, url }) =>
    value ? [{ label, value: singleLine(value), ...(url && { url }) }] : [],
  );
}

function displayed(value: SubmissionEmailField['value'], words: SubmissionEmailWords): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return String(value);
  return printable(typeof value === 'string' ? value : value.join(', '));
}

/** Writes a row as text. Lines of a longer value are indented under its label, so that none can pass for a field. */
function textRow({ label, value }: EmailRow, colon: string): string {
  return value.includes('\n')
    ? `${label}${colon.trimEnd()}\n${value.replace(/^/gm, '  ')}`
    : `${label}${colon}${value}`;
}
