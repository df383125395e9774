import type { Db } from '../../db/client.js';
import { NotificationState } from '../../generated/prisma/client.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { DEFAULT_LOCALE, NOTICE_TEAM } from '../notice-team.js';
import { sendUnbatched } from '../unbatched-attempt.js';
import { takeWebhookNotice } from '../unbatched-claims.queries.js';
import { renderWebhookNotice } from './webhook-notice.template.js';

type Services = { db: Db; dispatch: Pick<Dispatch, 'send' | 'tryAcquireDomains'>; log: Logger };

/** Sends a team's owners the notice that one of its webhooks was disabled (recorded by `webhooks/`). */
export function createWebhookNotices({ db, dispatch, log }: Services) {
  return {
    /**
     * Makes one attempt to send a notice, if it is due, and records the outcome.
     *
     * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
     */
    send: (id: string, onSlow: () => void): Promise<void> =>
      sendUnbatched({
        name: 'Webhook notice',
        ids: { notice: `webhook-notice-${id}` },
        dispatch,
        log,
        onSlow,
        take: () => takeWebhookNotice(db, id),
        update: (data, held) =>
          db.orm.webhookNotice.updateMany({ where: { id, state: NotificationState.pending, ...held }, data }),
        async prepare({ createdAt }) {
          const { reason, webhook } = await db.orm.webhookNotice.findUniqueOrThrow({
            where: { id },
            include: { webhook: { include: { team: { include: NOTICE_TEAM } } } },
          });
          const { team, url } = webhook;
          const recipients = team.memberships.map(({ user }) => user.email);
          if (recipients.length === 0) return 'no_recipient';
          const message = renderWebhookNotice({
            id,
            recipients,
            createdAt,
            teamName: team.name,
            host: new URL(url).host,
            reason: reason === 'gone' ? 'gone' : 'failing',
            locale: team.websites[0]?.locale ?? DEFAULT_LOCALE,
          });
          return { message };
        },
      }),
  };
}
