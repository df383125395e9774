import type { OneTimeLink } from '../../generated/prisma/client.js';
import { readableHost } from '../../lib/text/readable-host.js';
import { singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import { linkRow, renderHtml } from '../email.html.js';
import { accountEmailWords, type MailedPurpose } from './account-email.words.js';

/** The content of an e-mail to an account. */
type AccountEmail = Readonly<{
  link: Pick<OneTimeLink, 'id' | 'createdAt'> & Readonly<{ purpose: MailedPurpose }>;
  /** The URL of the one-time link, including its token; null for a notice. */
  address: string | null;
  /** The host of the panel. */
  host: string;
  /** The team that invites. */
  teamName: string | null;
  /** Who invites; null: it is no invitation, or the account has no name. */
  inviter: string | null;
  locale: string;
  recipient: string;
}>;

/** Renders an e-mail to an account. The function is pure: the same link and time give the same message. */
export function renderAccountEmail({
  link,
  address,
  host,
  teamName,
  inviter,
  locale,
  recipient,
}: AccountEmail) {
  const words = accountEmailWords(locale);
  const said = words[link.purpose];
  const title = singleLine(said.subject(teamName ?? ''));
  const introduction = said.introduction(address ? singleLine(teamName ?? '') : readableHost(host));
  const note = [
    said.note,
    inviter && words.invitedBy(singleLine(inviter)),
    link.purpose === 'invitation' && words.product,
    address && words.ignore,
  ]
    .filter(Boolean)
    .join(' ');
  return {
    // A repeated invitation keeps its one-time link but is another message.
    id: `account-${link.id}-${link.createdAt.getTime().toString(36)}`,
    date: link.createdAt,
    to: [recipient],
    replyTo: null,
    subject: title,
    text: `${[introduction, ...(address ? [address] : []), note].join('\n\n')}\n`,
    html: renderHtml({
      language: words.language,
      title,
      introduction,
      warning: null,
      sections: [
        ...(address ? [{ title: null, note: null, rows: [linkRow(words.link, address)] }] : []),
        { title: null, note, rows: [] },
      ],
    }),
  } satisfies MailMessage;
}
