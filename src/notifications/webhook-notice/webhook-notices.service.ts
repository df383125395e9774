import type { Db } from '../../db/client.js';
import { NotificationState, type Prisma } from '../../generated/prisma/client.js';
import type { Logger } from '../../lib/telemetry/logger.js';
import type { Dispatch } from '../../mail/dispatch.js';
import { GIVE_UP_AFTER_H } from '../retry.js';
import { attemptUnbatched } from '../unbatched-attempt.js';
import { takeWebhookNotice } from '../unbatched-claims.queries.js';
import { renderWebhookNotice } from './webhook-notice.template.js';

/** The language of a notice to a team that has no website yet. */
const DEFAULT_LOCALE = 'fr';

const MS_PER_HOUR = 3_600_000;

/** What the notice says of the team, and its recipients. */
const TEAM = {
  include: {
    memberships: { where: { role: 'owner' }, include: { user: true }, orderBy: { userId: 'asc' } },
    websites: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: 1 },
  },
} satisfies Prisma.TeamDefaultArgs;

type Services = { db: Db; dispatch: Pick<Dispatch, 'send'>; log: Logger };

export type WebhookNotices = ReturnType<typeof createWebhookNotices>;

/** Sends a team's owners the notice that one of its webhooks was disabled (recorded by `webhooks/`). */
export function createWebhookNotices({ db, dispatch, log }: Services) {
  return {
    /**
     * Makes one attempt to send a notice, if it is due, and records the outcome.
     *
     * @param onSlow called when the mail server is slow to confirm it, which may take minutes.
     */
    async send(id: string, onSlow: () => void): Promise<void> {
      const takenAt = performance.now();
      const claim = await takeWebhookNotice(db, id);
      if (!claim) return;
      const where = { id, state: NotificationState.pending };
      const { reason, webhook } = await db.orm.webhookNotice.findUniqueOrThrow({
        where: { id },
        include: { webhook: { include: { team: TEAM } } },
      });
      const { team, url } = webhook;
      const recipients = team.memberships.map(({ user }) => user.email);
      if (recipients.length === 0) {
        await db.orm.webhookNotice.updateMany({ where, data: { state: 'no_recipient' } });
        return;
      }
      const message = renderWebhookNotice({
        ...{ id, recipients, createdAt: claim.createdAt, teamName: team.name, host: new URL(url).host },
        reason: reason === 'gone' ? 'gone' : 'failing',
        locale: team.websites[0]?.locale ?? DEFAULT_LOCALE,
      });
      const giveUpAt = new Date(claim.createdAt.getTime() + GIVE_UP_AFTER_H * MS_PER_HOUR);
      const delivery = await attemptUnbatched(message, {
        ...{ ...claim, dispatch, takenAt, giveUpAt, onSlow },
        update: (data) => db.orm.webhookNotice.updateMany({ where, data }),
      });
      log.info(
        { notice: message.id, outcome: delivery?.outcome, smtpCode: delivery?.smtpCode },
        'Webhook notice attempted',
      );
    },
  };
}
