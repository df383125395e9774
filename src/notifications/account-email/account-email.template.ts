import type { OneTimeLink } from '../../generated/prisma/client.js';
import { singleLine } from '../../lib/text/text.js';
import type { MailMessage } from '../../mail/message.js';
import { renderHtml } from '../email.html.js';
import { accountEmailWords, type MailedPurpose } from './account-email.words.js';

/** The content of an e-mail with a one-time link. */
export type AccountEmail = Readonly<{
  link: Pick<OneTimeLink, 'id' | 'createdAt'> & Readonly<{ purpose: MailedPurpose }>;
  /** The URL of the one-time link, including its token. */
  address: string;
  /** The team that invites. */
  teamName: string | null;
  locale: string;
  recipient: string;
}>;

/** Renders the e-mail with a one-time link. The function is pure: the same link and time give the same message. */
export function renderAccountEmail({ link, address, teamName, locale, recipient }: AccountEmail) {
  const words = accountEmailWords(locale);
  const said = words[link.purpose];
  const title = singleLine(said.subject(teamName ?? ''));
  const introduction = said.introduction(singleLine(teamName ?? ''));
  return {
    // A repeated invitation keeps its one-time link but is another message.
    id: `account-${link.id}-${link.createdAt.getTime().toString(36)}`,
    date: link.createdAt,
    to: [recipient],
    replyTo: null,
    subject: title,
    text: `${introduction}\n\n${address}\n\n${said.validity} ${words.ignore}\n`,
    html: renderHtml({
      language: words.language,
      title,
      introduction,
      warning: null,
      sections: [
        {
          title: null,
          note: `${said.validity} ${words.ignore}`,
          rows: [{ label: words.link, value: address, isLink: true }],
        },
      ],
    }),
  } satisfies MailMessage;
}
