import { readableHost } from '../../lib/text/readable-host.js';
import { singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import { noticeMessage } from '../notice-message.js';
import { type DisabledBy, webhookNoticeWords } from './webhook-notice.words.js';

/** The content of the notice that a webhook was disabled. */
type WebhookNotice = Readonly<{
  id: string;
  reason: DisabledBy;
  createdAt: Date;
  teamName: string;
  /** The host of its address; a path may be a secret. */
  host: string;
  locale: string;
  recipients: readonly string[];
}>;

/** Renders the notice that Formgate has disabled a webhook. The function is pure. */
export function renderWebhookNotice(notice: WebhookNotice): MailMessage {
  const { id, reason, createdAt, teamName, host, locale, recipients } = notice;
  const words = webhookNoticeWords(locale);
  const title = singleLine(words.subject(teamName));
  const introduction = words.introduction[reason];
  const rows = [
    { label: words.team, value: singleLine(teamName) },
    { label: words.webhook, value: readableHost(host) },
  ];
  return noticeMessage({
    id: `webhook-notice-${id}`,
    date: createdAt,
    to: recipients,
    language: words.language,
    title,
    introduction,
    note: words.consequence,
    rows,
  });
}
