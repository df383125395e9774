import type { OneTimeLinks } from '../../auth/one-time-links.js';
import type { Db } from '../../db/client.js';
import { NotificationState, type OneTimeLink } from '../../generated/prisma/client.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { attemptUnbatched } from '../unbatched-attempt.js';
import { takeAccountEmail } from '../unbatched-claims.queries.js';
import { renderAccountEmail } from './account-email.template.js';

/** The language of an e-mail to an account whose teams have no website yet. */
const DEFAULT_LOCALE = 'fr';

type Services = {
  db: Db;
  dispatch: Pick<Dispatch, 'send'>;
  links: Pick<OneTimeLinks, 'addressOf'>;
  log: Logger;
};

export type AccountEmails = ReturnType<typeof createAccountEmails>;

/** Sends the e-mails with one-time links. */
export function createAccountEmails({ db, dispatch, links, log }: Services) {
  /** Returns the language of the oldest website of the inviting team, else of any of the account's teams. */
  async function localeFor({ userId, teamId }: Pick<OneTimeLink, 'userId' | 'teamId'>): Promise<string> {
    const website = await db.orm.website.findFirst({
      where: teamId === null ? { team: { memberships: { some: { userId: userId! } } } } : { teamId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      select: { locale: true },
    });
    return website?.locale ?? DEFAULT_LOCALE;
  }

  return {
    /**
     * Makes one attempt to send the e-mail of a one-time link, if it is due, and records the outcome.
     *
     * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
     */
    async send(linkId: string, onSlow: () => void): Promise<void> {
      const takenAt = performance.now();
      const claim = await takeAccountEmail(db, linkId);
      if (!claim) return;
      const link = await db.orm.oneTimeLink.findUnique({
        where: { id: linkId },
        include: { user: { select: { email: true, language: true } }, team: { select: { name: true } } },
      });
      const recipient = link?.email ?? link?.user?.email;
      if (!link || link.purpose === 'login' || !recipient) return;
      const { purpose } = link;
      const message = renderAccountEmail({
        link: { ...link, purpose },
        address: links.addressOf(link),
        teamName: link.team?.name ?? null,
        locale: link.user?.language ?? (await localeFor(link)),
        recipient,
      });
      const where = { id: linkId, state: NotificationState.pending };
      const delivery = await attemptUnbatched(message, {
        ...{ ...claim, dispatch, takenAt, giveUpAt: link.expiresAt, onSlow },
        update: (data) => db.orm.oneTimeLink.updateMany({ where, data }),
      });
      log.info(
        { link: linkId, purpose: link.purpose, outcome: delivery?.outcome, smtpCode: delivery?.smtpCode },
        'Account e-mail attempted',
      );
    },
  };
}
