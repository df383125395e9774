import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import type { Db } from '../db/client.js';
import { NotificationState, type PanelLanguage } from '../generated/prisma/client.js';
import { PanelLanguage as PanelLanguages } from '../generated/prisma/enums.js';
import type { Background } from '../lib/background.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Dispatch } from '../mail/dispatch.js';
import { findUndelivered } from '../notifications/bounces/bounces.queries.js';
import { sendUnbatched } from '../notifications/unbatched-attempt.js';
import { defineJob } from '../queue/define-job.js';
import type { StaffEmailContent, StoredStaffEmail } from './staff-email.js';
import { renderStaffEmail } from './staff-email.template.js';
import {
  type ClaimedStaffEmail,
  findDueStaffEmails,
  purgeStaffEmails,
  takeStaffEmail,
} from './staff-emails.queries.js';

/** The job that sends the e-mails to staff that are due. */
export const staffEmailsJob = defineJob('staff-emails', z.object({}));

/** The job that deletes e-mails to staff that are no longer kept. */
export const purgeStaffEmailsJob = defineJob('staff-emails-purge', z.object({}));

type Services = {
  db: Db;
  clock: Clock;
  dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains' | 'isStopping'>;
  background: Background;
  log: Logger;
  publicUrl: string;
  timeZone: string;
  /** The languages of the installation, the preferred one first. */
  locales: readonly string[];
};

type Rendered = Pick<ClaimedStaffEmail, 'id' | 'createdAt' | 'language'> &
  Readonly<{ content: StaffEmailContent; recipient: string }>;

export type StaffEmails = ReturnType<typeof createStaffEmails>;

/** Sends e-mails to the staff accounts, each in the account's language. */
export function createStaffEmails(services: Services) {
  const { db, clock, dispatch, background, log, publicUrl, timeZone, locales } = services;
  const preferred = locales.find((locale) => Object.hasOwn(PanelLanguages, locale)) as
    | PanelLanguage
    | undefined;

  const render = ({ language, ...email }: Rendered) =>
    renderStaffEmail({ ...email, language: language ?? preferred ?? 'en', publicUrl, timeZone });

  /** Reads what an e-mail says; null when there is nothing to say any more. */
  async function contentOf(stored: StoredStaffEmail): Promise<StaffEmailContent | null> {
    if (stored.kind !== 'lead_undelivered') return stored;
    const lead = await findUndelivered(db.orm, stored.leadId);
    return lead && { ...stored, website: lead.websiteName, addresses: lead.addresses };
  }

  const send = (id: string, onSlow: () => void): Promise<void> =>
    sendUnbatched({
      name: 'Staff e-mail',
      ids: { staffEmail: id },
      dispatch,
      log,
      onSlow,
      take: () => takeStaffEmail(db, id),
      update: (data, held) =>
        db.orm.staffEmail.updateMany({ where: { id, state: NotificationState.pending, ...held }, data }),
      async prepare({ recipient, ...claim }) {
        const content = recipient === null ? null : await contentOf(claim.content);
        // Meanwhile the lead was deleted, or an e-mail about it has arrived.
        if (recipient === null || content === null) return 'no_recipient';
        const message = render({ ...claim, content, recipient });
        return {
          message,
          details: { kind: claim.content.kind },
        };
      },
    });

  return {
    /** Sends the e-mails that are due. */
    async run(): Promise<void> {
      for (const id of await findDueStaffEmails(db)) {
        if (dispatch.isStopping()) return;
        await background.run((detach) => send(id, detach));
      }
    },

    /**
     * Sends an e-mail to staff accounts without a row, for what the database cannot hold.
     *
     * @param isFor Tells whether the account of an address still needs it.
     * @returns the addresses that need no further attempt, and whether none is left that does.
     */
    async sendNow(
      content: StaffEmailContent,
      { now, isFor }: Readonly<{ now: Date; isFor(email: string): boolean }>,
    ): Promise<{ ended: string[]; isComplete: boolean }> {
      const where = { staff: true, passwordHash: { not: null }, disabledAt: null };
      const accounts = await db.orm.user.findMany({ where, select: { email: true, language: true } });
      const addressed = accounts.filter(({ email }) => isFor(email));
      const attempts = addressed.map(async ({ email, language }) => {
        const message = render({ id: uuid(), createdAt: now, content, recipient: email, language });
        const delivery = await dispatch.send(message, { wait: false });
        // An unconfirmed one may have arrived, and is not worth a second copy.
        return delivery !== null && delivery.outcome !== 'deferred' ? [email] : [];
      });
      const ended = (await Promise.all(attempts)).flat();
      return { ended, isComplete: ended.length === addressed.length };
    },

    /** Deletes what is no longer kept. */
    purge: (): Promise<void> => purgeStaffEmails(db, clock()),
  };
}
