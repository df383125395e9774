import { summarize } from '../attention/attention.words.js';
import { SEVERITIES } from '../attention/attention-item.js';
import type { PanelLanguage } from '../generated/prisma/client.js';
import { formatPeriod, formatTime } from '../lib/local-time.js';
import { singleLine } from '../lib/text/text.js';
import type { MailMessage } from '../mail/message.js';
import {
  type EmailPage,
  type EmailRow,
  type EmailSection,
  linkRow,
  renderHtml,
} from '../notifications/email.html.js';
import { renderText } from '../notifications/email.text.js';
import type { DigestItem, StaffEmailContent } from './staff-email.js';
import { type StaffEmailWords, staffEmailWords } from './staff-email.words.js';

/** An e-mail to a staff account. */
type StaffEmail = Readonly<{
  id: string;
  createdAt: Date;
  content: StaffEmailContent;
  language: PanelLanguage;
  recipient: string;
  publicUrl: string;
  timeZone: string;
}>;

type Context = Readonly<{ createdAt: Date; words: StaffEmailWords; panelUrl: string; timeZone: string }>;

type Content<Kind extends StaffEmailContent['kind']> = Extract<StaffEmailContent, { kind: Kind }>;

/** Words an item of the digest as a row: whom it concerns, and what it is, which leads to where it is mended. */
function itemRow({ about, isNew, path, ...item }: DigestItem, { words, panelUrl }: Context): EmailRow {
  const { language, digest } = words;
  const summary = `${summarize(item, language)}${isNew ? ` (${digest.isNew})` : ''}`;
  const label = singleLine(about.join(' · ') || digest.installation);
  return { label, value: singleLine(summary), url: `${panelUrl}${path}` };
}

function digestPage({ items, total }: Content<'digest'>, context: Context): EmailPage {
  const { language, digest } = context.words;
  const sections = SEVERITIES.flatMap((severity): EmailSection[] => {
    const rows = items.filter((item) => item.severity === severity).map((item) => itemRow(item, context));
    return rows.length > 0 ? [{ title: digest.severity[severity], note: null, rows }] : [];
  });
  const more = total - items.length;
  const link = linkRow(context.words.panel, `${context.panelUrl}/`);
  const note = more > 0 ? digest.more(more) : null;
  return {
    language,
    title: digest.subject(total),
    introduction: digest.introduction,
    warning: null,
    sections: [...sections, { title: null, note, rows: [link] }],
  };
}

function undeliveredPage(content: Content<'lead_undelivered'>, { words, panelUrl }: Context): EmailPage {
  const { language, undelivered } = words;
  const rows = [
    { label: words.recipients, value: content.addresses.join('\n') },
    linkRow(words.lead, `${panelUrl}/inbox/${content.leadId}`),
  ];
  return {
    language,
    title: undelivered.subject(content.website),
    introduction: undelivered.introduction,
    warning: null,
    sections: [{ title: null, note: undelivered.advice, rows }],
  };
}

function alertPage({ kind, alert, since }: Content<'alert' | 'alert_over'>, context: Context): EmailPage {
  const { createdAt, words, panelUrl, timeZone } = context;
  const { subject, introduction } = (kind === 'alert' ? words.alert : words.alertOver)[alert];
  const begin = new Date(since);
  const time =
    kind === 'alert'
      ? { label: words.since, value: formatTime(begin, timeZone, words.language) }
      : // The e-mail is written when the alert is over.
        { label: words.period, value: formatPeriod(begin, createdAt, timeZone, words.language) };
  const rows = [time, linkRow(words.panel, `${panelUrl}/`)];
  return {
    language: words.language,
    title: subject,
    introduction,
    warning: null,
    sections: [{ title: null, note: null, rows }],
  };
}

function pageOf(content: StaffEmailContent, context: Context): EmailPage {
  switch (content.kind) {
    case 'digest':
      return digestPage(content, context);
    case 'lead_undelivered':
      return undeliveredPage(content, context);
    case 'alert':
    case 'alert_over':
      return alertPage(content, context);
  }
}

/** Writes a row as text, with further lines indented, and with its URL unless the value is the URL. */
const textRow = ({ label, value, url }: EmailRow, colon: string): string =>
  [`${label}${colon}${value.replaceAll('\n', '\n  ')}`, ...(url && url !== value ? [url] : [])].join('\n  ');

/** Renders an e-mail to a staff account. The function is pure: the same row gives the same message. */
export function renderStaffEmail(email: StaffEmail) {
  const { id, createdAt, content, language, recipient, publicUrl, timeZone } = email;
  const page = pageOf(content, {
    createdAt,
    words: staffEmailWords(language),
    panelUrl: `${publicUrl}/panel`,
    timeZone,
  });
  const title = singleLine(page.title);
  return {
    id: `staff-${id}`,
    date: createdAt,
    to: [recipient],
    replyTo: null,
    subject: title,
    text: renderText(page, { row: textRow }),
    html: renderHtml({ ...page, title }),
  } satisfies MailMessage;
}
