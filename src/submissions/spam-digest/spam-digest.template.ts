import { DAY_MS } from '../../lib/durations.js';
import { formatTime } from '../../lib/local-time.js';
import { colonOf } from '../../lib/text/colon.js';
import { regionalLocale } from '../../lib/text/regional-locale.js';
import { singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import {
  type EmailPage,
  type EmailRow,
  type EmailSection,
  linkRow,
  renderHtml,
} from '../../notifications/email.html.js';
import { renderText } from '../../notifications/email.text.js';
import { type SpamDigestWords, spamDigestWords } from './spam-digest.words.js';
import type { SpamDigestKey } from './spam-digests.queries.js';

/** A withheld submission in the digest. */
export type DigestEntry = Readonly<{
  /** Who sent it; null: neither name nor address was given. */
  sender: string | null;
  form: string;
  website: string;
  createdAt: Date;
  timeZone: string;
  /** The main reasons, as sentences in each language of the panel. */
  reasons: readonly Readonly<{ en: string; fr: string }>[];
}>;

/** The content of the digest of a team's week to an owner. */
type SpamDigest = Readonly<{
  key: SpamDigestKey;
  createdAt: Date;
  since: Date;
  until: Date;
  teamName: string;
  locale: string | null;
  recipient: string;
  total: number;
  newest: readonly DigestEntry[];
  /** URL of the panel. */
  panelUrl: string;
}>;

/** Returns the id of a digest, as a message and in the log. */
export const spamDigestId = ({ teamId, week, userId }: SpamDigestKey): string =>
  `spam-digest-${teamId}-${week}-${userId}`;

function entryRow(entry: DigestEntry, { language, nameless, received, why }: SpamDigestWords) {
  const { sender, form, website, createdAt, timeZone, reasons } = entry;
  const colon = colonOf(language);
  const sentences = reasons.map((reason) => singleLine(reason[language])).join(' ');
  const lines = [
    `${singleLine(form)} · ${singleLine(website)}`,
    `${received}${colon}${formatTime(createdAt, timeZone, language)}`,
    `${why}${colon}${sentences}`,
  ];
  return { label: singleLine(sender ?? '') || nameless, value: lines.join('\n') };
}

/** Writes an entry under an empty line, with its lines indented. */
const textRow = ({ label, value, url }: EmailRow, colon: string): string =>
  url ? `${label}${colon}${value}` : `\n${label}\n${value.replace(/^/gm, '  ')}`;

/** Renders the digest of what was withheld as spam. The function is pure. */
export function renderSpamDigest(digest: SpamDigest) {
  const { key, createdAt, since, until, teamName, locale, recipient, total, newest, panelUrl } = digest;
  const words = spamDigestWords(locale);
  const { language } = words;
  const number = new Intl.NumberFormat(regionalLocale(language));
  const team = singleLine(teamName);
  const said = [number.format(total), total === 1, team] as const;
  const more = total - newest.length;
  const link = (label: string, path: string) => linkRow(label, `${panelUrl}${path}`);
  const sections: EmailSection[] = [
    { title: words.newest, note: null, rows: newest.map((entry) => entryRow(entry, words)) },
    {
      title: null,
      note: [...(more > 0 ? [words.more(number.format(more), more === 1)] : []), words.release].join(' '),
      rows: [link(words.folder, `/inbox?team=${key.teamId}&folder=spam`)],
    },
    {
      title: null,
      note: words.advice,
      rows: [link(words.settings, `/teams/${key.teamId}?tab=spam`)],
    },
  ];
  const title = singleLine(words.subject(...said));
  const days = Math.round((until.getTime() - since.getTime()) / DAY_MS);
  const introduction = words.introduction(...said, days);
  const page: EmailPage = { language, title, introduction, warning: null, sections };
  return {
    id: spamDigestId(key),
    date: createdAt,
    to: [recipient],
    replyTo: null,
    subject: title,
    text: renderText(page, { row: textRow }),
    html: renderHtml(page),
  } satisfies MailMessage;
}
