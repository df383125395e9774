import type { OneTimeLinks } from '../../auth/one-time-links.js';
import type { Db } from '../../db/client.js';
import { NotificationState, type OneTimeLink, type User } from '../../generated/prisma/client.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { DEFAULT_LOCALE } from '../notice-team.js';
import { sendUnbatched } from '../unbatched-attempt.js';
import { takeAccountEmail } from '../unbatched-claims.queries.js';
import { renderAccountEmail } from './account-email.template.js';

type Services = {
  db: Db;
  dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains'>;
  links: Pick<OneTimeLinks, 'addressOf'>;
  publicUrl: string;
  log: Logger;
};

/** Sends the e-mails to accounts: one-time links, and notices of a changed address. */
export function createAccountEmails({ db, dispatch, links, publicUrl, log }: Services) {
  /**
   * Returns the language of an e-mail: the account's, also when it is invited, else that of the page on which the
   * e-mail was requested, else that of the oldest website of the inviting team or of any of the account's teams.
   */
  async function localeFor(
    { userId, teamId, language, purpose }: OneTimeLink,
    { email, user }: Readonly<{ email: string; user: Pick<User, 'language'> | null }>,
  ): Promise<string> {
    const account =
      purpose === 'invitation'
        ? await db.orm.user.findUnique({ where: { email }, select: { language: true } })
        : user;
    const chosen = account?.language ?? language;
    if (chosen) return chosen;
    const website = await db.orm.website.findFirst({
      where: teamId === null ? { team: { memberships: { some: { userId: userId! } } } } : { teamId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      select: { locale: true },
    });
    return website?.locale ?? DEFAULT_LOCALE;
  }

  return {
    /**
     * Makes one attempt to send the e-mail of a one-time link or notice, if it is due, and records the outcome.
     *
     * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
     */
    send: (linkId: string, onSlow: () => void): Promise<void> =>
      sendUnbatched({
        name: 'Account e-mail',
        ids: { link: linkId },
        dispatch,
        log,
        onSlow,
        take: () => takeAccountEmail(db, linkId),
        update: (data, held) =>
          db.orm.oneTimeLink.updateMany({
            where: { id: linkId, state: NotificationState.pending, ...held },
            data,
          }),
        async prepare() {
          const link = await db.orm.oneTimeLink.findUnique({
            where: { id: linkId },
            include: {
              user: { select: { email: true, language: true } },
              team: { select: { name: true } },
              invitedBy: { select: { name: true } },
            },
          });
          const recipient = link?.email ?? link?.user?.email;
          if (!link || link.purpose === 'login' || !recipient) return null;
          const { purpose } = link;
          const message = renderAccountEmail({
            link: { ...link, purpose },
            address: purpose === 'email_change_notice' ? null : links.addressOf(link),
            host: new URL(publicUrl).host,
            teamName: link.team?.name ?? null,
            inviter: link.invitedBy?.name || null,
            locale: await localeFor(link, { email: recipient, user: link.user }),
            recipient,
          });
          return { message, expiresAt: link.expiresAt, details: { purpose } };
        },
      }),
  };
}
