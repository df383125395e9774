import type { OneTimeLink } from '../generated/prisma/client.js';
import { singleLine } from '../lib/text.js';
import type { MailMessage } from '../mail/message.js';
import { accountEmailWords } from './account-email.words.js';
import { renderHtml } from './submission-email.html.js';

/** All that an e-mail with a one-time link says. */
export type AccountEmail = Readonly<{
  link: Pick<OneTimeLink, 'id' | 'purpose' | 'createdAt'>;
  /** Where the link leads, its token included. */
  address: string;
  /** The team that invites. */
  teamName: string | null;
  locale: string;
  recipient: string;
}>;

/** Writes the e-mail that carries a link. Pure: the same link and time, the same message. */
export function renderAccountEmail({ link, address, teamName, locale, recipient }: AccountEmail) {
  const words = accountEmailWords(locale);
  const said = words[link.purpose];
  const title = singleLine(said.subject(teamName ?? ''));
  const introduction = said.introduction(singleLine(teamName ?? ''));
  return {
    // An invitation that is repeated keeps its link, but is another message.
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
