import { regionalLocale } from '../../lib/text/regional-locale.js';
import { singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import { noticeMessage } from '../notice-message.js';
import { type QuotaNoticeKey, quotaNoticeId } from './quota-notice.job.js';
import { quotaNoticeWords } from './quota-notice.words.js';

/** The content of a quota notice to a team's owners. */
type QuotaNotice = Readonly<{
  key: QuotaNoticeKey;
  createdAt: Date;
  teamName: string;
  /** Notifications per month. */
  limit: number;
  locale: string;
  recipients: readonly string[];
}>;

/** Renders the notice that a share of the month's quota is used. The function is pure. */
export function renderQuotaNotice({
  key,
  createdAt,
  teamName,
  limit,
  locale,
  recipients,
}: QuotaNotice): MailMessage {
  const words = quotaNoticeWords(locale);
  const region = regionalLocale(words.language);
  const format = new Intl.DateTimeFormat(region, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const month = format.format(new Date(`${key.month}-01T00:00:00Z`));
  const title = singleLine(words.subject[key.percent](teamName, month));
  const introduction = words.introduction[key.percent](month);
  const consequence = words.consequence[key.percent](month);
  const rows = [
    { label: words.team, value: singleLine(teamName) },
    { label: words.month, value: month },
    { label: words.quota, value: new Intl.NumberFormat(region).format(limit) },
  ];
  return noticeMessage({
    // After a raise of the quota the same share is told again, by another message.
    id: `${quotaNoticeId(key)}-${createdAt.getTime().toString(36)}`,
    date: createdAt,
    to: recipients,
    language: words.language,
    title,
    introduction,
    note: consequence,
    rows,
  });
}
