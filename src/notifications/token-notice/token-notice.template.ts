import { formatTime } from '../../lib/local-time.js';
import { singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import { type EmailRow, linkRow } from '../email.html.js';
import { noticeMessage } from '../notice-message.js';
import { type TokenNoticeKey, tokenNoticeId } from './token-notice.job.js';
import { tokenNoticeWords } from './token-notice.words.js';

/** The content of a notice to the bearer of a token. */
type TokenNotice = Readonly<{
  key: TokenNoticeKey;
  createdAt: Date;
  teamName: string;
  tokenName: string;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  locale: string;
  /** The page of the team's tokens. */
  url: string;
  recipient: string;
}>;

/** Renders the notice that a token is not used or ends soon. The function is pure. */
export function renderTokenNotice(notice: TokenNotice): MailMessage {
  const { key, createdAt, teamName, tokenName, lastUsedAt, expiresAt, locale, url, recipient } = notice;
  const words = tokenNoticeWords(locale);
  const timeOf = (time: Date | null) => (time ? formatTime(time, 'UTC', words.language) : words.never);
  const title = singleLine(words.subject[key.reason](tokenName));
  const introduction = words.introduction[key.reason];
  const advice = words.advice[key.reason];
  const rows: readonly EmailRow[] = [
    { label: words.token, value: singleLine(tokenName) },
    { label: words.team, value: singleLine(teamName) },
    { label: words.lastUse, value: timeOf(lastUsedAt) },
    { label: words.end, value: timeOf(expiresAt) },
    linkRow(words.manage, url),
  ];
  return noticeMessage({
    id: tokenNoticeId(key),
    date: createdAt,
    to: [recipient],
    language: words.language,
    title,
    introduction,
    note: advice,
    rows,
  });
}
