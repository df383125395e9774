import type { Db } from '../../db/client.js';
import { NotificationState } from '../../generated/prisma/client.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { DEFAULT_LOCALE, NOTICE_TEAM } from '../notice-team.js';
import { sendUnbatched } from '../unbatched-attempt.js';
import { takeQuotaNotice } from '../unbatched-claims.queries.js';
import { type QuotaNoticeKey, quotaNoticeId } from './quota-notice.job.js';
import { renderQuotaNotice } from './quota-notice.template.js';

type Services = { db: Db; dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains'>; log: Logger };

/**
 * Sends quota notices to a team's owners: one for each share of a month's quota (decided in `plans/quota.queries.ts`).
 */
export function createQuotaNotices({ db, dispatch, log }: Services) {
  const stillPending = ({ teamId, month, percent }: QuotaNoticeKey) => ({
    teamId,
    month: new Date(`${month}-01T00:00:00Z`),
    percent,
    state: NotificationState.pending,
  });

  return {
    /**
     * Makes one attempt to send a notice, if it is due, and records the outcome.
     *
     * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
     */
    send: (key: QuotaNoticeKey, onSlow: () => void): Promise<void> =>
      sendUnbatched({
        name: 'Quota notice',
        ids: { notice: quotaNoticeId(key) },
        dispatch,
        log,
        onSlow,
        take: () => takeQuotaNotice(db, key),
        update: (data, held) =>
          db.orm.quotaNotice.updateMany({ where: { ...stillPending(key), ...held }, data }),
        async prepare({ createdAt }) {
          const team = await db.orm.team.findUniqueOrThrow({
            where: { id: key.teamId },
            include: { ...NOTICE_TEAM, plan: true },
          });
          const recipients = team.memberships.map(({ user }) => user.email);
          if (recipients.length === 0) return 'no_recipient';
          const message = renderQuotaNotice({
            key,
            createdAt,
            teamName: team.name,
            limit: team.plan.notificationsPerMonth ?? 0,
            locale: team.websites[0]?.locale ?? DEFAULT_LOCALE,
            recipients,
          });
          return { message };
        },
      }),
  };
}
